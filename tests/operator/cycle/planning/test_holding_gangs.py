"""Holds in the whole operator: a large gang among small ones of unknown end."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.served import at, gang, node, pod
from fake_cluster.jumping import now, until
from fake_cluster.rig import INLINE, condition, is_placed, operator_over, pod_place, pods_of, set_phases, status_of
from lockstep.cycle.planning.holds import HoldPolicy
from lockstep.cycle.planning.planning import PlanOptions

pytestmark = pytest.mark.asyncio

NEVER = PlanOptions(run=INLINE.run, holds=HoldPolicy(seconds=0))


@asynccontextmanager
async def large_gang_behind_a_pod(*, reason="HoldsNodes", plans=None):
    """A gang that needs both nodes, one of which a pod takes for an unknown time; its condition has that reason."""
    async with operator_over(node("n1"), node("n2"), plans=plans) as (api, parts):
        api.store.create("pods", pod("forever", node="n1"))
        await asyncio.sleep(1)
        api.store.create("gangjobs", gang("a-large", size=2, cpu="8"))
        await until(lambda: condition(api, "a-large", "Planned") == ("False", reason))
        yield api, parts


async def test_gang_that_runs_without_an_end_is_named_as_what_is_waited_for():
    nowork = gang("nowork", size=2, cpu="8")
    async with operator_over(*(node(f"n{number}") for number in range(3)), gangs=[nowork], plans=NEVER) as (api, _):
        await until(lambda: is_placed(api, "nowork"))
        api.store.create("gangjobs", gang("behind", size=3, cpu="8"))
        await until(lambda: condition(api, "behind", "Planned") == ("False", "NotEnoughRoom"))

        [planned] = [one for one in status_of(api, "behind")["conditions"] if one["type"] == "Planned"]
        assert planned["message"] == (
            "It needs 3 members, and 1 fit while default/nowork holds 2 nodes and has no known end: 3 of 3 nodes pass "
            "its "
            "constraints; of these, 2 short of cpu; cpu: 3 × 8 needed, 1 × 8 free."
        )


async def submit_stream(api, *, seconds, run_for):
    """Small gangs of unknown end, each as soon as the one before is placed or after a second; all end after a while."""
    began, number = now(), 0
    placed_at = {}
    while now() - began < seconds and not is_placed(api, "large"):
        api.store.create("gangjobs", gang(f"s{number}", size=1, cpu="8", creationTimestamp=at(now())))
        number += 1
        for name in [f"s{one}" for one in range(number)]:
            if is_placed(api, name):
                placed_at.setdefault(name, now())
            if name in placed_at and now() - placed_at[name] >= run_for:
                set_phases(api, name, "Succeeded")
        await asyncio.sleep(5)


@pytest.mark.parametrize("run_for", [20, 60])
async def test_large_gang_starts_when_what_ran_before_has_ended(run_for):
    async with operator_over(node("n1"), node("n2"), gangs=[gang("s", size=1, cpu="8")]) as (api, _):
        await until(lambda: is_placed(api, "s"))
        api.store.create("gangjobs", gang("large", size=2, cpu="8", creationTimestamp=at(now())))
        await until(lambda: condition(api, "large", "Planned") == ("False", "HoldsNodes"))
        asyncio.get_running_loop().call_later(run_for, set_phases, api, "s", "Succeeded")
        await submit_stream(api, seconds=600, run_for=run_for)

        assert is_placed(api, "large")
        assert pods_of(api, "s0") == []


async def test_gangs_that_wait_for_what_runs_on_take_turns():
    async with large_gang_behind_a_pod() as (api, _):
        api.store.create("gangjobs", gang("small", size=1, cpu="1", creationTimestamp=at(now())))
        await until(lambda: condition(api, "small", "Planned") == ("False", "HeldByGangsInFront"))
        began = now()
        # A hold lasts 600 s.
        await until(lambda: is_placed(api, "small"), seconds=700)

        assert 590 <= now() - began <= 602
        await until(lambda: condition(api, "a-large", "Planned") == ("False", "NotEnoughRoom"), seconds=15)
        set_phases(api, "small", "Succeeded")
        await until(lambda: condition(api, "a-large", "Planned") == ("False", "HoldsNodes"), seconds=602)


async def test_hold_is_reported_once_while_nothing_changes():
    async with large_gang_behind_a_pod() as (api, parts):
        await asyncio.sleep(5)
        count = len(api.writes)
        for _ in range(20):
            parts.state.changes.record_change(needs_plan=True)
            await asyncio.sleep(10)

        assert len(api.writes) == count
        assert "it has kept n1, n2 free for itself since" in str(status_of(api, "a-large"))


async def test_no_gang_holds_where_the_administrator_says_never():
    async with large_gang_behind_a_pod(reason="NotEnoughRoom", plans=NEVER) as (api, _):
        api.store.create("gangjobs", gang("small", size=1, cpu="1"))
        await until(lambda: is_placed(api, "small"))


async def test_pod_that_ends_lets_the_gang_start_at_once():
    async with large_gang_behind_a_pod() as (api, _):
        api.store.remove(pod_place("forever"))
        await until(lambda: is_placed(api, "a-large"), seconds=5)


async def test_step_of_the_clock_prolongs_no_hold():
    async with large_gang_behind_a_pod() as (api, parts):
        api.store.create("gangjobs", gang("small", size=1, cpu="1", creationTimestamp=at(now())))
        await until(lambda: condition(api, "small", "Planned") == ("False", "HeldByGangsInFront"))
        began = now()
        parts.cycle._now = lambda: now() - 3600
        # A hold lasts 600 s.
        await until(lambda: is_placed(api, "small"), seconds=700)

        assert 590 <= now() - began <= 602


async def test_hold_that_ends_while_a_plan_is_made_is_over_for_the_next_plan():
    seconds = [0]

    async def slowly(work):
        await asyncio.sleep(seconds[0])
        return work()

    async with large_gang_behind_a_pod(plans=PlanOptions(run=slowly)) as (api, _):
        held = now()
        api.store.create("gangjobs", gang("small", size=1, cpu="1", creationTimestamp=at(now())))
        await until(lambda: condition(api, "small", "Planned") == ("False", "HeldByGangsInFront"))
        # A hold lasts 600 s. This plan begins before its end, and is made after it.
        await asyncio.sleep(held + 590 - now())
        seconds[0] = 20
        api.store.create("gangjobs", gang("other", size=1, cpu="1", creationTimestamp=at(now())))
        await asyncio.sleep(10)
        seconds[0] = 0

        await until(lambda: is_placed(api, "small"), seconds=60)
