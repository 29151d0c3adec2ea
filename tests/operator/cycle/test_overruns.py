"""Gangs that run longer than expected, in the whole operator: who waits for them is planned again, step by step."""

import asyncio

import pytest

from builders.served import at, bid, gang, node
from fake_cluster.jumping import now, until
from fake_cluster.rig import (
    INLINE,
    api_with,
    condition,
    event_reasons,
    is_placed,
    operator_over,
    running_operator,
    set_phases,
    status_of,
)

pytestmark = pytest.mark.asyncio


def timed(name, seconds, **more):
    return gang(name, cpu="8", spec={"work": {"serialTime": f"{seconds}s"}}, **more)


def plans_made(parts):
    return parts.metric("lockstep_cycles_total", result="ok")


async def placed_and_running(api, *names):
    await until(lambda: all(is_placed(api, name) for name in names))
    for name in names:
        set_phases(api, name, "Running")


async def test_who_waits_is_planned_again_whenever_an_expected_end_has_passed():
    """It starts when the longer of two has ended: the overrun of the other moves nothing in its status."""
    gangs = [timed("a", 100, size=1), timed("b", 1000, size=1)]
    async with operator_over(node("n1"), node("n2"), gangs=gangs, plans=INLINE) as (api, parts):
        await placed_and_running(api, "a", "b")
        api.store.add("gangjobs", timed("c", 100, size=2))
        await asyncio.sleep(50)
        before = plans_made(parts)
        await asyncio.sleep(250)

        # 100 s, 105 s, 110 s … 293 s after the start; a clock may ring a little early, and then once more.
        assert 23 <= plans_made(parts) - before <= 2 * 23


async def test_no_plan_is_made_where_no_gang_waits():
    async with operator_over(node("n1"), gangs=[timed("a", 100, size=1)], plans=INLINE) as (api, parts):
        await placed_and_running(api, "a")
        await asyncio.sleep(50)
        before = plans_made(parts)
        await asyncio.sleep(1000)

        assert plans_made(parts) - before <= 1


def nodes(count):
    return [node(f"n{number:02}") for number in range(count)]


async def crowd(api, count):
    """So many gangs overrun, each at a time of its own, and as many wait for their nodes."""
    runs = [f"r{number:02}" for number in range(count)]
    for number, name in enumerate(runs):
        api.store.create("gangjobs", timed(name, 1000 + 2 * number, size=1))
    await placed_and_running(api, *runs)
    for number in range(count):
        api.store.create("gangjobs", timed(f"w{number:02}", 1000, size=1))
    await asyncio.sleep(1100)


@pytest.mark.parametrize("count", [3, 20])
async def test_plans_do_not_grow_with_the_number_of_gangs_that_overrun(count):
    """A step of each of them takes 50 s and more."""
    async with operator_over(*nodes(count), plans=INLINE) as (api, parts):
        await crowd(api, count)
        before = plans_made(parts)
        await asyncio.sleep(500)

        assert 500 / 60 <= plans_made(parts) - before <= 500 / 25


async def test_who_waits_among_many_that_overrun_starts_as_soon_as_one_has_ended():
    async with operator_over(*nodes(20), plans=INLINE) as (api, _):
        await crowd(api, 20)
        for run in ("r03", "r11", "r07"):
            set_phases(api, run, "Succeeded")
            began = now()
            waiting = [f"w{number:02}" for number in range(20) if not is_placed(api, f"w{number:02}")]
            await until(lambda names=waiting: any(is_placed(api, name) for name in names))
            assert now() < began + 1
            await asyncio.sleep(7)


async def test_node_that_opens_while_many_overrun_is_used_at_once():
    async with operator_over(*nodes(20), plans=INLINE) as (api, parts):
        await crowd(api, 20)
        opens = int(now()) + 33.0
        api.store.create("nodebids", bid("opens", availableFrom=at(opens)))
        await parts.quiet()
        api.store.add("nodes", node("opens", cpu="16"))
        api.store.create("gangjobs", gang("large", size=1, cpu="16", spec={"work": {"serialTime": "100s"}}))
        await until(lambda: is_placed(api, "large"))

        assert opens <= now() < opens + 1


async def test_overrun_keeps_what_was_predicted_and_is_expected_to_end_later_and_later():
    async with operator_over(node("n1"), gangs=[timed("a", 100, size=1), timed("b", 100, size=1)]) as (api, parts):
        await placed_and_running(api, "a")
        finish = status_of(api, "a")["expectedFinish"]
        await asyncio.sleep(1000)

        [decision] = parts.cycle.decided.plan.decisions
        assert now() < decision.start < now() + 60
        assert status_of(api, "a")["expectedFinish"] == finish
        set_phases(api, "a", "Succeeded")
        await until(lambda: is_placed(api, "b"))


async def test_overrun_is_reported_once_also_after_a_restart():
    async with api_with(node("n1"), gangs=[timed("a", 100, size=1)]) as api:
        async with running_operator(api):
            await placed_and_running(api, "a")
            await asyncio.sleep(103)
            assert (condition(api, "a", "Overrunning"), status_of(api, "a")["state"]) == (None, "Running")
            await asyncio.sleep(4)

            assert condition(api, "a", "Overrunning") == ("True", "RunsLonger")
            end = status_of(api, "a")["expectedFinish"]
            assert status_of(api, "a")["summary"] == f"was expected to end at {end}, and still runs"
        async with running_operator(api):
            await asyncio.sleep(1000)
            assert event_reasons(api).count("GangOverruns") == 1
            set_phases(api, "a", "Succeeded")
            await until(lambda: condition(api, "a", "Complete") == ("True", "Succeeded"))
            assert condition(api, "a", "Overrunning") is None


async def test_run_that_ends_about_when_it_should_overruns_nothing():
    async with operator_over(node("n1"), gangs=[timed("a", 100, size=1)]) as (api, _):
        await placed_and_running(api, "a")
        await asyncio.sleep(104)
        set_phases(api, "a", "Succeeded")
        await until(lambda: condition(api, "a", "Complete") == ("True", "Succeeded"))

        assert "GangOverruns" not in event_reasons(api)
