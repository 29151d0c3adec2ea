"""Members that find no dealer any more: a gang whose pieces are settled ends without them, whatever came first."""

import asyncio

import pytest

from builders.served import node
from fake_cluster.api import NEVER_ARRIVED
from fake_cluster.dealt import ScriptedDealer, bits, dealt_gang, end_member, reads_of, run_members
from fake_cluster.elastic import change_spec, run, suspend
from fake_cluster.giving_way import create_classes, urgent_gang
from fake_cluster.jumping import until
from fake_cluster.rig import (
    api_with,
    condition,
    gang_place,
    is_placed,
    operator_over,
    pod_place,
    pods_of,
    running_operator,
    set_phase,
    status_of,
)

pytestmark = pytest.mark.asyncio

ALL_DONE = "done 8, failed 0:"
COMPLETE = ("True", "Succeeded")
RESTARTS = {"failurePolicy": {"maxRestarts": 1}}
WAIVED = "All pieces are done or have failed, and rank 0 has succeeded. Lockstep does not wait for 1 of 2 members."


def names(api):
    return [one["metadata"]["name"] for one in pods_of(api, "g")]


def is_complete(api):
    return condition(api, "g", "Complete") == COMPLETE


def message(api):
    return next(one["message"] for one in status_of(api)["conditions"] if one["type"] == "Complete")


async def read(parts, states):
    await reads_of(parts).read_all(ScriptedDealer(bits(states)))


async def before_the_minute_is_over(api):
    await asyncio.sleep(55)
    assert not is_complete(api), "members that were answered still have to end"
    assert names(api) == ["g-1-0", "g-1-1"]


async def succeeded_without_the_rest(api):
    async with asyncio.timeout(70):
        await until(lambda: is_complete(api))
    assert message(api) == WAIVED
    assert status_of(api)["attempt"] == 1
    await until(lambda: names(api) == ["g-1-0"])


async def starts_late(api):
    """The image of a member is still on its way."""


async def works_on(api):
    run_members(api, "g-1-1")
    await until(lambda: status_of(api).get("startedAt"))


@pytest.mark.parametrize("other", [starts_late, works_on])
async def test_gang_whose_dealer_was_never_read_ends_a_minute_after_rank_0(other):
    async with operator_over(gangs=[dealt_gang()]) as (api, _):
        await until(lambda: is_placed(api))
        run_members(api, "g-1-0")
        await other(api)
        end_member(api, "g-1-0", ALL_DONE)

        await before_the_minute_is_over(api)
        await succeeded_without_the_rest(api)
        assert status_of(api)["pieces"] == {"done": 8, "failed": 0}


async def test_gang_whose_dealer_left_no_counts_ends_by_what_was_read():
    async with operator_over(gangs=[dealt_gang(maxFailedPieces=1)]) as (api, parts):
        await until(lambda: is_placed(api))
        run_members(api, "g-1-0", "g-1-1")
        await until(lambda: status_of(api).get("startedAt"))
        await read(parts, "11121111")
        await asyncio.sleep(100)
        assert not is_complete(api), "the dealer is there as long as rank 0"
        end_member(api, "g-1-0")

        await before_the_minute_is_over(api)
        await succeeded_without_the_rest(api)


async def test_member_that_ends_in_that_minute_is_waited_for():
    async with operator_over(gangs=[dealt_gang()]) as (api, _):
        await until(lambda: is_placed(api))
        run_members(api, "g-1-0", "g-1-1")
        end_member(api, "g-1-0", ALL_DONE)
        await before_the_minute_is_over(api)
        end_member(api, "g-1-1")

        await until(lambda: is_complete(api))
        assert message(api) == "All 2 members have succeeded."


@pytest.mark.parametrize("pod", ["there", "gone"])
async def test_next_process_ends_the_gang_too(pod):
    async with api_with(gangs=[dealt_gang()]) as api:
        async with running_operator(api):
            await until(lambda: is_placed(api))
            run_members(api, "g-1-0", "g-1-1")
            end_member(api, "g-1-0", ALL_DONE)
            await until(lambda: status_of(api).get("succeededRanks") == "0")
        if pod == "gone":
            api.store.remove(pod_place("g-1-0"))
        async with running_operator(api):
            await until(lambda: is_complete(api))
            assert message(api) == WAIVED


async def test_process_that_finds_all_of_it_ends_the_gang_too():
    async with api_with(gangs=[dealt_gang()]) as api:
        async with running_operator(api):
            await until(lambda: is_placed(api))
        run_members(api, "g-1-0", "g-1-1")
        end_member(api, "g-1-0", ALL_DONE)
        async with running_operator(api):
            await succeeded_without_the_rest(api)


def lose(api):
    api.store.remove(pod_place("g-1-1"))


def set_a_deadline(api):
    change_spec(api, {"activeDeadlineSeconds": 10})


@pytest.mark.parametrize("ends_attempt", [suspend, lose, set_a_deadline])
async def test_what_would_end_the_attempt_in_that_minute_completes_the_gang(ends_attempt):
    async with operator_over(gangs=[dealt_gang()]) as (api, _):
        await until(lambda: is_placed(api))
        run_members(api, "g-1-0", "g-1-1")
        end_member(api, "g-1-0", ALL_DONE)
        await before_the_minute_is_over(api)
        ends_attempt(api)

        await asyncio.sleep(2)
        assert is_complete(api)
        assert message(api) == WAIVED


async def test_gang_that_is_deleted_in_that_minute_leaves_nothing():
    async with operator_over(gangs=[dealt_gang()]) as (api, parts):
        await until(lambda: is_placed(api))
        run_members(api, "g-1-0", "g-1-1")
        end_member(api, "g-1-0", ALL_DONE)
        await before_the_minute_is_over(api)
        api.store.remove(gang_place("g"))

        await until(lambda: not names(api))
        await asyncio.sleep(120)
        assert parts.state.ledger.assumed == 0


@pytest.mark.parametrize("first", ["g-1-0", "g-1-1"])
async def test_member_that_fails_fails_the_gang_whether_rank_0_ended_before_or_after(first):
    async with operator_over(gangs=[dealt_gang()]) as (api, parts):
        await until(lambda: is_placed(api))
        run_members(api, "g-1-0", "g-1-1")
        await read(parts, "11111111")
        for name in sorted(names(api), reverse=first == "g-1-1"):
            end_member(api, name, ALL_DONE if name == "g-1-0" else None, "Succeeded" if name == "g-1-0" else "Failed")
            await asyncio.sleep(30)

        assert condition(api, "g", "Failed") == ("True", "MemberFailed")


async def test_rank_0_that_fails_restarts_the_gang_though_all_pieces_are_settled():
    async with operator_over(gangs=[dealt_gang(**RESTARTS)]) as (api, parts):
        await until(lambda: is_placed(api))
        run_members(api, "g-1-0", "g-1-1")
        await read(parts, "11111111")
        end_member(api, "g-1-0", ALL_DONE, "Failed")

        await until(lambda: status_of(api).get("attempt") == 2 and is_placed(api))
        run_members(api, "g-2-0", "g-2-1")
        end_member(api, "g-2-0", ALL_DONE)
        await until(lambda: is_complete(api))
        assert status_of(api)["restarts"] == 1


async def test_members_do_not_go_on_without_a_dealer_while_pieces_are_open():
    async with operator_over(gangs=[dealt_gang(**RESTARTS)]) as (api, _):
        await until(lambda: is_placed(api))
        run_members(api, "g-1-0", "g-1-1")
        end_member(api, "g-1-0", "done 5, failed 0:")

        await until(lambda: status_of(api).get("attempt") == 2 and is_placed(api))
        assert (status_of(api)["restarts"], status_of(api)["progress"]) == (1, "0.625")


async def test_members_that_are_lost_while_pieces_are_open_cost_no_restart():
    async with operator_over(gangs=[dealt_gang()]) as (api, _):
        await until(lambda: is_placed(api))
        run_members(api, "g-1-0", "g-1-1")
        lose(api)
        end_member(api, "g-1-0", "done 5, failed 0:")

        await until(lambda: status_of(api).get("attempt") == 2 and is_placed(api))
        assert "restarts" not in status_of(api)


@pytest.mark.parametrize("mode", ["Restart", "Members"])
async def test_elastic_gang_ends_without_the_rest_at_the_size_that_it_has(mode):
    terms = {"restartTime": "2m", "minInterval": "10m", "mode": mode}
    nodes = [node(f"n{number}", cpu="1100m") for number in range(3)]
    sized = {"size": {"min": 1, "max": 3}, "work": {"serialTime": "400h"}, "elastic": terms}
    async with operator_over(*nodes) as (api, _):
        await run(api, dealt_gang(**sized))
        assert status_of(api)["size"] == 3
        set_phase(api, "g-1-1", "Succeeded")
        end_member(api, "g-1-0", ALL_DONE)
        api.store.add("nodes", *(node(f"m{number}", cpu="1100m") for number in range(3)))

        await until(lambda: is_complete(api))
        assert (status_of(api)["size"], status_of(api)["attempt"]) == (3, 1)
        await until(lambda: names(api) == ["g-1-0", "g-1-1"])


@pytest.mark.parametrize("has_ended", [True, False])
async def test_gang_is_evicted_for_an_urgent_one_only_before_rank_0_has_ended(has_ended):
    async with operator_over(node("n1", cpu="2200m")) as (api, _):
        create_classes(api)
        await run(api, dealt_gang())
        if has_ended:
            end_member(api, "g-1-0", ALL_DONE)
            await until(lambda: status_of(api).get("succeededRanks") == "0")
        api.store.create("gangjobs", urgent_gang())

        await until(lambda: is_placed(api, "hot"))
        assert is_complete(api) == has_ended
        assert (condition(api, "g", "Preempted") is None) == has_ended


async def test_urgent_gang_waits_for_the_end_of_that_minute_without_a_plan_for_each_moment():
    """A plan that chose the ending gang again would be refused, and made anew at once."""
    async with operator_over(node("n1", cpu="2200m")) as (api, parts):
        create_classes(api)
        await run(api, dealt_gang())
        end_member(api, "g-1-0", ALL_DONE)
        await until(lambda: status_of(api).get("succeededRanks") == "0")
        api.store.create("gangjobs", urgent_gang())
        await until(lambda: is_placed(api, "hot"))

        assert parts.metrics.registry.get_sample_value("lockstep_cycles_total", {"result": "ok"}) < 60


async def test_time_for_late_members_is_no_part_of_the_learned_run_time():
    async with operator_over(gangs=[dealt_gang(work={"serialTime": "100s"})]) as (api, parts):
        await until(lambda: is_placed(api))
        run_members(api, "g-1-0", "g-1-1")
        await until(lambda: status_of(api).get("startedAt"))
        await asyncio.sleep(20)
        end_member(api, "g-1-0", ALL_DONE)
        await until(lambda: is_complete(api))

        assert 19 <= parts.metrics.registry.get_sample_value("lockstep_run_time_ratio_sum") * 50 <= 25


async def end_beside_a_late_member(api, *, writes=None):
    """Run a gang whose rank 0 ends well, beside a process that dies at its next write after so many."""
    async with running_operator(api) as parts:
        await until(lambda: is_placed(api))
        run_members(api, "g-1-0", "g-1-1")
        await until(lambda: status_of(api).get("startedAt"))
        await parts.quiet()
        before, died = len(api.writes), []

        def dies(request):
            is_late = writes is not None and len(api.writes) - before > writes
            died.extend([request] if is_late and request.is_write else [])
            return NEVER_ARRIVED if died and request.is_write else None

        api.fault = dies
        end_member(api, "g-1-0", ALL_DONE)
        await until(lambda: died or names(api) == ["g-1-0"])
        await parts.quiet()
    api.fault = lambda _: None
    return len(api.writes) - before


async def test_process_that_dies_at_any_write_of_the_end_is_followed_by_one_that_ends_the_gang_alike():
    async with api_with(gangs=[dealt_gang()]) as api:
        points = await end_beside_a_late_member(api)
    assert points >= 4, "the rank that has ended, the success, its event, and the deletion of the other member"
    for writes in range(points):
        async with api_with(gangs=[dealt_gang()]) as api:
            await end_beside_a_late_member(api, writes=writes)
            async with running_operator(api):
                await succeeded_without_the_rest(api)
                assert status_of(api)["finishedAt"], writes
