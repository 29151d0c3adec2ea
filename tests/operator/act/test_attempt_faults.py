"""One attempt, with a fault at each request: in the end all members are bound, or nothing is left."""

import asyncio
import itertools

import pytest

from fake_cluster.api import ANSWER_LOST, NEVER_ARRIVED, REFUSED, Refusal
from fake_cluster.jumping import until
from fake_cluster.one_attempt import WRITES, Try, assert_nothing_left, assert_whole, at_first, at_write, cluster
from fake_cluster.rig import condition, end, pods_of
from lockstep.act.requests.outcome import Ending
from lockstep.facts.reasons import Reason

pytestmark = pytest.mark.asyncio

CONFLICT = Refusal(code=409, message="already there")
QUOTA = Refusal(code=403, message='pods "g-1-2" is forbidden: exceeded quota: small, requested: pods=1')


@pytest.mark.parametrize("write", range(1, WRITES + 1))
@pytest.mark.parametrize(
    "fault", [REFUSED, CONFLICT, Refusal(code=422), Refusal(code=404)], ids=["403", "409", "422", "404"]
)
async def test_refused_write_leaves_nothing(write, fault):
    # A creation that conflicts with nothing is tried again, so all of them go on conflicting.
    async with cluster(fault=at_write(write, fault, times=20 if fault is CONFLICT else 1)) as (api, parts):
        outcome = await Try(parts).begin()

        assert_nothing_left(api, outcome)


@pytest.mark.parametrize("write", range(1, WRITES + 1))
@pytest.mark.parametrize(
    "fault",
    [ANSWER_LOST, NEVER_ARRIVED, Refusal(code=500), Refusal(code=429)],
    ids=["answer lost", "request lost", "500", "429"],
)
async def test_passing_trouble_at_a_write_does_no_harm(write, fault):
    async with cluster(fault=at_write(write, fault)) as (api, parts):
        outcome = await Try(parts).begin()

        assert_whole(api, parts, outcome)


@pytest.mark.parametrize("write", range(1, WRITES + 1))
@pytest.mark.parametrize("fault", [ANSWER_LOST, NEVER_ARRIVED], ids=["answers lost", "requests lost"])
async def test_outage_ends_in_all_or_nothing(write, fault):
    async with cluster(fault=at_write(write, fault, times=20)) as (api, parts):
        outcome = await Try(parts).begin()

        if outcome.ending is Ending.PLACED:
            assert_whole(api, parts, outcome)
        elif outcome.ending is Ending.NOT_RESERVED:
            assert_whole(api, parts, await Try(parts).resume())
        else:
            assert_nothing_left(api, outcome)
            assert outcome.failure.reason is Reason.API_UNAVAILABLE


@pytest.mark.parametrize("write", range(2, 5))
async def test_conflict_over_a_quota_is_no_refusal(write):
    async with cluster(fault=at_write(write, Refusal(code=409), times=3)) as (api, parts):
        outcome = await Try(parts).begin()

        assert_whole(api, parts, outcome)


async def test_conflict_that_does_not_end_undoes_the_attempt():
    async with cluster(fault=at_write(4, Refusal(code=409), times=4)) as (api, parts):
        outcome = await Try(parts).begin()

        assert_nothing_left(api, outcome)
        assert outcome.failure.reason is Reason.POD_REFUSED
        assert outcome.failure.message == "the API server said 4 times that pod g-1-2 conflicts with another"


async def test_quota_is_named():
    async with cluster(fault=at_write(4, QUOTA)) as (api, parts):
        outcome = await Try(parts).begin()

        assert outcome.failure.reason is Reason.QUOTA_EXCEEDED
        assert "exceeded quota: small" in outcome.failure.message
        assert condition(api, "g", "Placed") == ("False", "QuotaExceeded")
        assert condition(api, "g", "Planned") == ("False", "ReservationReleased")


async def test_undoing_survives_trouble_of_its_own():
    troubled = itertools.chain.from_iterable([None, *[Refusal(code=500)] * 9] for _ in range(5))
    refuse = at_first("POST", "pods/binding", REFUSED)

    def fault(request):
        return refuse(request) or (next(troubled, None) if request.verb == "DELETE" else None)

    async with cluster(fault=fault) as (api, parts):
        assert_nothing_left(api, await Try(parts).begin())


@pytest.mark.parametrize("writes", range(1, WRITES))
async def test_next_process_finishes_what_one_left_after_any_write(writes):
    async with cluster(fault=at_write(writes + 1, NEVER_ARRIVED, times=100)) as (api, parts):
        dying = asyncio.create_task(Try(parts).begin())
        await until(lambda: len(api.writes) > writes)
        await end([dying])
        left = uids(pods_of(api, "g"))
        api.fault = lambda _: None
        await parts.quiet()
        outcome = await Try(parts).resume()

        assert_whole(api, parts, outcome)
        assert left.items() <= uids(pods_of(api, "g")).items()


def uids(pods):
    return {it["metadata"]["name"]: it["metadata"]["uid"] for it in pods}
