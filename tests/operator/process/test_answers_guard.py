"""The APIService of answers is deleted when its server is dead, and at no other time."""

import pytest

from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.api.times import epoch_seconds
from lockstep.process.answers_guard import DEAD_SECONDS, _Guard

pytestmark = pytest.mark.asyncio

SINCE = "2026-11-28T20:00:00Z"


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


class Watched:
    """The guard of an API server, with a clock of its own; ``start`` is its time at first."""

    def __init__(self, api, start=0.0):
        self.now = start
        self.guard = _Guard(api, lambda: self.now)

    async def check_after(self, *pauses):
        for seconds in pauses:
            self.now += seconds
            await self.guard.check()


async def test_dead_one_is_deleted_if_it_is_still_the_same():
    api = ApiServices()

    await Watched(api).check_after(0, DEAD_SECONDS)

    assert api.deleted == [("u", "7")]


@pytest.mark.parametrize(
    ("api", "seconds"),
    [
        pytest.param(ApiServices(), DEAD_SECONDS - 1, id="not yet"),
        pytest.param(ApiServices("True"), DEAD_SECONDS, id="it answers"),
        pytest.param(ApiServices(code=404), DEAD_SECONDS, id="not there"),
        pytest.param(ApiServices(code=403), DEAD_SECONDS, id="no right"),
    ],
)
async def test_all_others_stay(api, seconds):
    await Watched(api).check_after(0, seconds)

    assert api.deleted == []


async def test_clock_ahead_of_the_api_servers_ends_nothing():
    api = ApiServices()

    await Watched(api, epoch_seconds(SINCE) + 10 * DEAD_SECONDS).check_after(0)

    assert api.deleted == []


async def test_what_is_known_from_before_the_api_server_was_away_ends_nothing():
    """Back again, it says at first what it has known last."""
    api = ApiServices()
    watched = Watched(api)
    await watched.check_after(0)
    known, api.answer = api.answer, None
    await watched.check_after(10)
    api.answer = known

    await watched.check_after(DEAD_SECONDS, DEAD_SECONDS - 1)

    assert api.deleted == []


async def test_server_that_was_there_meanwhile_has_a_minute_again():
    api = ApiServices()
    watched = Watched(api)
    await watched.check_after(0)
    conditions = api.answer.body["status"]["conditions"]
    conditions[0]["lastTransitionTime"] = "2026-11-28T20:00:50Z"

    await watched.check_after(DEAD_SECONDS)

    assert api.deleted == []


async def test_api_server_that_is_away_ends_nothing(caplog):
    api = ApiServices()
    api.answer = None

    await Watched(api).check_after(0, DEAD_SECONDS)

    assert "can't be checked: away" in caplog.text
