"""The APIService leads to a server that lives, and rests if the API server does not reach it."""

import base64

import pytest

from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.api.cluster.answers_service import APISERVICE, apiservice_manifest, dead_since
from lockstep.tenants.registration import OwnService, Registration

pytestmark = pytest.mark.asyncio


ABSENT = Answer(404, {"message": "not found", "details": {"name": APISERVICE}})


class ApiServices:
    """As much of an API server as has one APIService; ``refusal`` is what it says to writes."""

    def __init__(self):
        self.there, self.refusal, self.is_away, self.page = None, "", False, None

    async def get(self, _target):
        if self.is_away:
            raise ApiUnavailableError("away")
        if self.page:
            return self.page
        return Answer(200, self.there) if self.there else ABSENT

    async def apply(self, _target, body, *, manager):
        if self.refusal:
            return Answer(403, {"message": self.refusal})
        self.there = {**body, "metadata": {**body["metadata"], "manager": manager}}
        return Answer(200, self.there)

    def report(self, status):
        conditions = [{"type": "Available", "status": status, "lastTransitionTime": "2026-11-28T20:00:00Z"}]
        self.there = {**self.there, "status": {"conditions": conditions}}


@pytest.fixture
def api():
    return ApiServices()


@pytest.fixture
def registration(api, tmp_path):
    (tmp_path / "ca.crt").write_text("PEM")
    return Registration(api, OwnService("lockstep-system", "answers", 443, tmp_path))


async def test_server_has_requests_lead_to_itself_with_its_own_authority(api, registration, tmp_path):
    # As the chart has it.
    api.there = {"metadata": {}, "spec": {"group": "answers.lockstep.dev"}}
    await registration.renew()

    assert (
        api.there["spec"]
        == apiservice_manifest("lockstep-system", "answers", 443, base64.b64encode(b"PEM").decode())["spec"]
    )
    (tmp_path / "ca.crt").write_text("next")
    await registration.renew()
    assert base64.b64decode(api.there["spec"]["caBundle"]) == b"next"


async def test_server_that_is_not_reached_rests_longer_each_time_until_it_is(api, registration):
    rests = []
    for _ in range(6):
        await registration.renew()
        api.report("False")
        await registration.renew()
        api.there = None
        rests.append(await registration.renew())
    assert rests == [300, 600, 1200, 2400, 3600, 3600]

    await registration.renew()
    api.report("True")
    await registration.renew()
    api.there = None

    assert await registration.renew() == 300


async def test_server_does_not_rest_after_a_page_of_a_proxy(api, registration):
    await registration.renew()
    api.page = Answer(404, {"message": "404 page not found"})
    pauses = [await registration.renew() for _ in range(3)]
    api.page, api.there = None, None

    assert (pauses, await registration.renew()) == ([10] * 3, 300)


async def test_trouble_is_logged_once_and_tried_again(api, registration, caplog, tmp_path):
    api.refusal = "forbidden"
    pauses = [await registration.renew() for _ in range(2)]
    api.is_away = True
    pauses.append(await registration.renew())
    api.is_away, api.refusal = False, ""
    (tmp_path / "ca.crt").rename(tmp_path / "elsewhere")
    pauses.append(await registration.renew())

    assert set(pauses) == {10}
    assert [record.getMessage().partition(": ")[2] for record in caplog.records][:2] == ["forbidden", "away"]
    assert len(caplog.records) == 3


@pytest.mark.parametrize(
    ("spec", "status", "want"),
    [
        ({"service": {"name": "x"}}, "False", 1_795_896_000.0),
        ({"service": {"name": "x"}}, "True", None),
        ({}, "False", None),
        ({"service": {"name": "x"}}, None, None),
    ],
    ids=["dead", "available", "leads nowhere", "not known yet"],
)
async def test_apiservice_is_dead_only_if_it_leads_to_a_server_that_does_not_answer(spec, status, want):
    conditions = [{"type": "Available", "status": status, "lastTransitionTime": "2026-11-28T20:00:00Z"}]
    manifest = {"spec": spec, "status": {"conditions": conditions} if status else {}}

    assert dead_since(manifest) == want
