"""The APIService of answers is deleted when its server is dead, and at no other time."""

import pytest

from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.api.times import epoch_seconds
from lockstep.process.answers_guard import DEAD_SECONDS, _check

pytestmark = pytest.mark.asyncio

SINCE = "2026-11-28T20:00:00Z"
DEAD_AT = epoch_seconds(SINCE) + DEAD_SECONDS


class ApiServices:
    """An API server with one APIService; keeps the preconditions of deletions."""

    def __init__(self, status="False", code=200):
        conditions = [{"type": "Available", "status": status, "lastTransitionTime": SINCE}]
        metadata = {"uid": "u", "resourceVersion": "7"}
        self.answer = Answer(
            code, {"metadata": metadata, "spec": {"service": {"name": "x"}}, "status": {"conditions": conditions}}
        )
        self.deleted = []

    async def get(self, _target):
        if self.answer is None:
            raise ApiUnavailableError("away")
        return self.answer

    async def delete(self, _target, *, uid, version):
        self.deleted.append((uid, version))
        return Answer(200, {})


async def test_dead_one_is_deleted_if_it_is_still_the_same():
    api = ApiServices()

    await _check(api, DEAD_AT)

    assert api.deleted == [("u", "7")]


@pytest.mark.parametrize(
    ("api", "now"),
    [
        pytest.param(ApiServices(), DEAD_AT - 1, id="not yet"),
        pytest.param(ApiServices("True"), DEAD_AT, id="it answers"),
        pytest.param(ApiServices(code=404), DEAD_AT, id="not there"),
        pytest.param(ApiServices(code=403), DEAD_AT, id="no right"),
    ],
)
async def test_all_others_stay(api, now):
    await _check(api, now)

    assert api.deleted == []


async def test_api_server_that_is_away_ends_nothing(caplog):
    api = ApiServices()
    api.answer = None

    await _check(api, DEAD_AT)

    assert "can't be checked: away" in caplog.text
