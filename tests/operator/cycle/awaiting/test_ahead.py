"""Gangs that wait for others are planned ahead: when they are likely to start, on a fake API server."""

import asyncio
from itertools import pairwise

import pytest

from builders.served import gang, node
from fake_cluster.api import ANSWER_LOST, PATCH
from fake_cluster.jumping import now, until
from fake_cluster.rig import condition, is_placed, operator_over, set_phases, status_of
from lockstep.api.quantities import epoch_seconds
from lockstep.report.timeline.facts import freeze
from lockstep.report.timeline.waiting import says, waiting

pytestmark = pytest.mark.asyncio

HOUR = {"work": {"serialTime": "1h"}}
CHAIN = 4


def after(name, *names, size=1, **spec):
    """A GangJob of one hour that waits for others of these names."""
    entries = [{"name": other, "kind": "GangJob"} for other in names]
    return gang(name, size=size, cpu="6", spec={**HOUR, "after": entries, **spec})


def likely(api, name):
    """When a gang is likely to start; None if its status does not say so."""
    plan = status_of(api, name).get("plan")
    return None if plan is None else epoch_seconds(plan["likelyStart"])


async def until_runs(api, name):
    await until(lambda: is_placed(api, name))
    set_phases(api, name, "Running")
    await until(lambda: "startedAt" in status_of(api, name))


async def test_chain_is_planned_ahead_one_after_the_other_without_a_promise():
    names = [f"g{number}" for number in range(CHAIN)]
    chain = [after(name, before) for before, name in pairwise(names)]
    async with operator_over(gangs=[gang("g0", size=1, cpu="6", spec=HOUR), *chain]) as (api, _):
        await until(lambda: all(likely(api, name) for name in names[1:]))
        await until_runs(api, "g0")
        begun = epoch_seconds(status_of(api, "g0")["start"])
        await asyncio.sleep(60)

        for number, name in enumerate(names[1:], start=1):
            assert abs(likely(api, name) - (begun + 3600 * number)) < 60
            assert condition(api, name, "Planned") == ("False", "AwaitsOthers")
            assert "promisedStart" not in status_of(api, name)["plan"]


async def test_gang_that_waits_for_others_takes_nothing_from_one_that_can_run():
    async with operator_over(
        node("n1"),
        gangs=[gang("first", size=1, cpu="6", spec=HOUR), after("late", "first", priorityClassName="urgent")],
    ) as (api, _):
        api.store.add("priorityclasses", {"metadata": {"name": "urgent"}, "value": 1000})
        await until_runs(api, "first")
        await until(lambda: likely(api, "late"))
        api.store.create("gangjobs", gang("next", size=1, cpu="6", spec=HOUR))
        await until(lambda: status_of(api, "next").get("plan", {}).get("promisedStart"))
        await asyncio.sleep(60)

        end = epoch_seconds(status_of(api, "first")["expectedFinish"])
        assert abs(likely(api, "next") - end) < 60
        assert abs(likely(api, "late") - (end + 3600)) < 60
        assert "memberPrice" not in status_of(api, "first")

        set_phases(api, "first", "Succeeded")
        await until(lambda: is_placed(api, "late"))
        assert not is_placed(api, "next")


async def test_start_behind_one_of_unknown_end_is_unknown():
    async with operator_over(gangs=[gang("first", size=1, cpu="6"), after("late", "first")]) as (api, _):
        await until_runs(api, "first")
        await asyncio.sleep(600)

        assert condition(api, "late", "Planned") == ("False", "AwaitsOthers")
        assert likely(api, "late") is None


async def test_timeline_says_what_a_gang_waits_for():
    async with operator_over(gangs=[gang("first", size=1, cpu="6"), after("late", "first")]) as (api, parts):
        await until_runs(api, "first")
        await until(lambda: condition(api, "late", "Planned") == ("False", "AwaitsOthers"))

        [late] = waiting(freeze(parts.state, [], planned_at=now(), now=now()), [])
        assert late.key.name == "late"
        assert says(late) == "It waits until first has succeeded."


async def test_likely_start_moves_with_one_that_takes_longer():
    async with operator_over(gangs=[gang("first", size=1, cpu="6", spec=HOUR), after("late", "first")]) as (api, _):
        await until_runs(api, "first")
        await until(lambda: likely(api, "late"))
        await asyncio.sleep(2 * 3600)

        assert likely(api, "late") is None or likely(api, "late") > now()


async def test_answers_that_are_lost_change_nothing():
    async with operator_over(gangs=[gang("first", size=1, cpu="6", spec=HOUR), after("late", "first")]) as (api, _):
        faults = iter([ANSWER_LOST] * 3)
        of_status = (PATCH, "gangjobs/status", "late")
        api.fault = lambda request: next(faults, None) if request == of_status else None
        await until_runs(api, "first")
        set_phases(api, "first", "Succeeded")
        await until(lambda: is_placed(api, "late"), seconds=600)
