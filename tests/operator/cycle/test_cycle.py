"""The whole operator on a fake API server: what it does, when, and that it does nothing else."""

import asyncio

import pytest

from builders.served import at, bid, gang, node, priority_class
from fake_cluster.jumping import now, until
from fake_cluster.rig import (
    api_with,
    bound,
    condition,
    event_reasons,
    is_placed,
    operator_over,
    pods_of,
    set_phases,
    status_of,
    watching_operator,
)
from fake_cluster.store import Place
from lockstep.cycle.planning.planning import PlanOptions

pytestmark = pytest.mark.asyncio

LONG = {"work": {"serialTime": "10m"}}


async def test_gang_lands_runs_and_succeeds():
    async with operator_over(gangs=[gang("g", size=3)]) as (api, parts):
        await until(lambda: is_placed(api))
        assert len(bound(pods_of(api, "g"))) == 3
        set_phases(api, "g", "Running")
        await until(lambda: "startedAt" in status_of(api))
        set_phases(api, "g", "Succeeded")
        await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))
        await until(lambda: len(event_reasons(api)) == 2)

        assert sorted(event_reasons(api)) == ["GangPlaced", "GangSucceeded"]
        assert len(pods_of(api, "g")) == 3
        assert (parts.state.reservations, parts.state.ledger.assumed) == ({}, 0)
        assert parts.metric("lockstep_gang_wait_seconds_count") == 1


async def test_idle_cycles_write_nothing():
    async with operator_over(gangs=[gang("g", spec=LONG), gang("too-big", size=90)]) as (api, parts):
        await until(lambda: is_placed(api) and condition(api, "too-big", "Planned"))
        await asyncio.sleep(30)
        quiet, cycles = len(api.requests), parts.metric("lockstep_cycles_total", result="idle")
        for number in range(5):
            # A heartbeat of a node, which changes nothing, and a wake-up for nothing.
            api.store.change(Place("nodes", "", "n1"), metadata={"annotations": {"beat": str(number)}})
            parts.state.changes.record_change(needs_plan=False)
            await asyncio.sleep(30)

        assert api.requests[quiet:] == []
        assert parts.metric("lockstep_cycles_total", result="idle") >= cycles + 5


async def test_planning_again_moves_nothing():
    async with operator_over(gangs=[gang("g", spec=LONG), gang("too-big", size=90)]) as (api, parts):
        await until(lambda: is_placed(api) and condition(api, "too-big", "Planned"))
        await asyncio.sleep(30)
        quiet = len(api.requests)
        for _ in range(5):
            parts.state.changes.record_change(needs_plan=True)
            await asyncio.sleep(30)

        assert api.requests[quiet:] == []
        assert parts.metric("lockstep_cycles_total", result="ok") >= 5


async def test_sleeping_operator_does_not_spin():
    async with operator_over(gangs=[gang("g")]) as (api, parts):
        await until(lambda: is_placed(api))
        await asyncio.sleep(5)
        before = sum(parts.metric("lockstep_cycles_total", result=one) for one in ("ok", "idle", "error"))
        await asyncio.sleep(3600)

        assert sum(parts.metric("lockstep_cycles_total", result=one) for one in ("ok", "idle", "error")) == before


async def test_two_gangs_of_which_one_fits():
    async with operator_over(node("n1"), gangs=[gang("a", cpu="3"), gang("b", cpu="3")]) as (api, _):
        await until(lambda: is_placed(api, "a") and condition(api, "b", "Planned"))
        assert pods_of(api, "b") == []

        set_phases(api, "a", "Succeeded")
        await until(lambda: is_placed(api, "b"))


async def test_gang_that_starts_later_starts_then():
    since = now() + 40
    async with operator_over(node("n1"), gangs=[gang("g", spec=LONG)], bids=[bid("n1", availableFrom=at(since))]) as (
        api,
        _,
    ):
        await until(lambda: condition(api, "g", "Planned") == ("True", "StartsLater"))
        assert (pods_of(api, "g"), status_of(api)["start"]) == ([], at(since))

        await until(lambda: is_placed(api))
        assert since <= now() <= since + 2
        assert status_of(api)["firstPlannedStart"] == at(since)
        assert "GangStartsLater" in event_reasons(api)


async def test_more_urgent_gang_goes_first():
    async with operator_over(node("n1"), gangs=[gang("held", cpu="4")]) as (api, _):
        await until(lambda: is_placed(api, "held"))
        api.store.create("priorityclasses", priority_class("urgent", 100))
        api.store.create("gangjobs", gang("early", cpu="4"))
        api.store.create("gangjobs", gang("late", cpu="4", spec={"priorityClassName": "urgent"}))
        await until(lambda: condition(api, "early", "Planned") and condition(api, "late", "Planned"))
        set_phases(api, "held", "Succeeded")
        await until(lambda: is_placed(api, "late"))
        assert pods_of(api, "early") == []


async def test_predictions_are_measured():
    async with operator_over(node("n1"), gangs=[gang("g", size=1, spec=LONG)]) as (api, parts):
        await until(lambda: is_placed(api))
        set_phases(api, "g", "Running")
        await until(lambda: "startedAt" in status_of(api))
        await asyncio.sleep(1200)
        set_phases(api, "g", "Succeeded")
        await until(lambda: condition(api, "g", "Complete"))
        await until(lambda: parts.metric("lockstep_run_time_ratio_count"))

        assert parts.metric("lockstep_start_delay_seconds_count") == 1
        assert parts.metric("lockstep_start_delay_seconds_sum") < 5
        assert parts.metric("lockstep_run_time_ratio_sum") == pytest.approx(2, rel=0.02)
        assert parts.metric("lockstep_run_time_predicted_seconds_sum") == pytest.approx(600, rel=0.01)
        assert parts.metric("lockstep_run_time_seconds_sum") == pytest.approx(1200, rel=0.02)
        assert parts.metric("lockstep_speedup_predicted_ratio_sum") == pytest.approx(1)
        assert parts.metric("lockstep_speedup_ratio_sum") == pytest.approx(0.5, rel=0.02)
        assert parts.metric("lockstep_gang_size_members_sum") == 1
        assert parts.metric("lockstep_finish_error_seconds_sum", reason="RunTime") == pytest.approx(600, rel=0.02)
        assert parts.metric("lockstep_finish_ratio_count", reason="RunTime") == 1
        assert parts.metric("lockstep_start_wait_seconds_count") == 1


async def test_lag_is_how_long_a_plan_is_under_way_and_none_where_there_is_nothing_to_do():
    begun, goes_on = asyncio.Event(), asyncio.Event()

    async def when_set(work):
        begun.set()
        await goes_on.wait()
        return work()

    async with operator_over(node("n1"), gangs=[gang("g")], plans=PlanOptions(run=when_set)) as (api, parts):
        await begun.wait()
        await asyncio.sleep(300)
        assert parts.cycle.lag == pytest.approx(300, abs=5)
        goes_on.set()
        await until(lambda: is_placed(api))
        await asyncio.sleep(3600)
        assert parts.cycle.lag == 0


async def test_changes_from_before_the_first_cycle_make_no_lag():
    async with api_with(node("n1"), gangs=[gang("g")]) as api, watching_operator(api) as parts:
        await asyncio.sleep(3600)
        assert parts.cycle.lag == pytest.approx(3600, abs=5)
        task = asyncio.create_task(parts.cycle.run())
        await asyncio.sleep(0)
        assert parts.cycle.lag == 0
        task.cancel()
        await parts.cycle.stop()
