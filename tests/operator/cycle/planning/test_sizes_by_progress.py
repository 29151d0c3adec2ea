"""Elastic gangs without work that report progress: nodes go to those that were seen to gain most from them."""

import asyncio

import pytest

from builders.served import node, priority_class
from fake_cluster.elastic import FOUR, elastic, free_the_room, note_of, rigid, run
from fake_cluster.rig import (
    api_with,
    is_placed,
    operator_over,
    pod_place,
    pods_of,
    running_operator,
    set_phases,
    status_of,
)

pytestmark = pytest.mark.asyncio

EIGHT = (*FOUR, *(node(f"n{number}", cpu="1") for number in range(5, 9)))
LINEAR = {size: 400_000 / size for size in range(1, 9)}
"""For how many seconds a gang would run at each size."""
NEVER_FASTER = dict.fromkeys(range(1, 9), 100_000)
PAST_ITS_PEAK = {1: 400_000, 2: 200_000, 4: 300_000}
STEP = 30.0
HOUR = 3600.0


class Works:
    """Reports how far gangs are, as fast as they work at their size; members that come up run."""

    def __init__(self, api, **seconds):
        self.api = api
        self.seconds = seconds
        self.done = dict.fromkeys(seconds, 0.0)

    async def until(self, probe, *, hours=3):
        """Work until that is so."""
        for _ in range(int(hours * 3600 / STEP)):
            if probe():
                return
            await self.on(seconds=STEP)
        raise AssertionError("it is never so")

    async def on(self, *, seconds):
        """Work for so long."""
        for _ in range(int(seconds / STEP)):
            for name in self.seconds:
                self._step(name)
            await asyncio.sleep(STEP)

    def _step(self, name):
        pods, status = pods_of(self.api, name), status_of(self.api, name)
        if any(one.get("status", {}).get("phase") != "Running" for one in pods):
            set_phases(self.api, name, "Running")
        elif pods and status.get("size") == len(pods):
            self.done[name] += STEP / self.seconds[name][len(pods)]
            mark = {"lockstep.dev/progress": f"{self.done[name]:.9f}"}
            self.api.store.change(pod_place(pods[0]["metadata"]["name"]), metadata={"annotations": mark})


def size_of(api, name="g"):
    return status_of(api, name).get("size")


def measured(api, name="g"):
    return {one["size"]: one["seconds"] for one in status_of(api, name).get("unitTimes", ())}


async def grow(api, works, *, least=2):
    """Let a gang that works run on two nodes, be measured, and grow to four."""
    await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
    await run(api, elastic(work=None, least=least))
    await works.until(lambda: measured(api))
    assert size_of(api) == 2
    free_the_room(api)
    await works.until(lambda: size_of(api) == 4)


async def test_unit_time_is_measured_while_the_gang_runs():
    async with operator_over(*FOUR) as (api, _):
        works = Works(api, g=LINEAR)
        await run(api, elastic(work=None))

        await works.until(lambda: measured(api), hours=0.1)

        assert measured(api) == {4: pytest.approx(100_000, rel=0.001)}


async def test_gang_goes_back_to_the_size_at_which_it_was_faster():
    async with operator_over(*FOUR) as (api, _):
        works = Works(api, g=PAST_ITS_PEAK | {3: 250_000})
        await grow(api, works)

        await works.until(lambda: size_of(api) == 2)
        await works.on(seconds=HOUR)

        assert (size_of(api), measured(api)) == (2, {4: pytest.approx(300_000), 2: pytest.approx(200_000)})
        says = (
            "Shrinks from 4 to 2 members: by the progress that it reported, it is expected to be 1.50 times as fast as "
            "before; its end"
        )
        assert [one["note"].startswith(says) for one in api.store.objects("events")].count(True) == 1


async def test_gang_tries_a_smaller_size_once_where_fewer_members_were_faster():
    async with operator_over(*FOUR) as (api, _):
        works = Works(api, g=PAST_ITS_PEAK | {3: 250_000})
        await grow(api, works, least=1)

        await works.until(lambda: size_of(api) == 1)
        await works.until(lambda: size_of(api) == 2)
        attempt = status_of(api)["attempt"]
        await works.on(seconds=3 * HOUR)

        assert (set(measured(api)), size_of(api), status_of(api)["attempt"]) == ({1, 2, 4}, 2, attempt)


async def test_gang_that_gains_nothing_gives_nodes_to_one_that_does():
    async with operator_over(*EIGHT) as (api, _):
        works = Works(api, flat=NEVER_FASTER, g=LINEAR)
        await run(api, elastic("flat", least=2, most=6, work=None), "flat")
        await run(api, elastic(most=8, work=None))
        assert (size_of(api, "flat"), size_of(api)) == (6, 2)

        await works.until(lambda: size_of(api) == 4)
        assert size_of(api, "flat") == 4, "as nothing is known of other sizes"
        await works.until(lambda: size_of(api) == 6)
        await works.on(seconds=HOUR)

        assert (size_of(api, "flat"), size_of(api)) == (2, 6)


async def test_gang_that_waits_gets_an_equal_part_of_one_that_reports_progress():
    async with operator_over(*FOUR) as (api, _):
        works = Works(api, g=LINEAR)
        await run(api, elastic(work=None))
        await works.until(lambda: measured(api))

        api.store.create("gangjobs", elastic("next", work=None))
        await works.until(lambda: is_placed(api, "next"), hours=0.5)

        assert (size_of(api), size_of(api, "next")) == (2, 2)
        assert "default/next waits" in note_of(api, "GangChangesSize")


async def test_gang_that_reports_nothing_keeps_what_it_started_with():
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic(work=None))
        api.store.create("gangjobs", elastic("next", work=None))
        await asyncio.sleep(HOUR)

        assert (size_of(api), is_placed(api, "next")) == (4, False)


async def test_more_urgent_gang_gives_nothing_for_what_it_reports():
    async with operator_over(*FOUR) as (api, _):
        api.store.create("priorityclasses", priority_class("high", 1000))
        works = Works(api, g=LINEAR)
        await run(api, elastic(work=None, priorityClassName="high"))
        await works.until(lambda: measured(api))

        api.store.create("gangjobs", elastic("next", work=None))
        await works.on(seconds=HOUR)

        assert (size_of(api), is_placed(api, "next")) == (4, False)


async def test_next_process_knows_the_speeds_that_were_measured_before():
    async with api_with(*FOUR) as api:
        works = Works(api, g=PAST_ITS_PEAK | {3: 250_000})
        async with running_operator(api):
            await grow(api, works)
            await works.until(lambda: set(measured(api)) == {2, 4})
            assert size_of(api) == 4

        async with running_operator(api):
            await asyncio.sleep(HOUR)

            assert size_of(api) == 2


async def test_members_leave_and_join_by_what_was_measured():
    async with operator_over(*FOUR) as (api, _):
        works = Works(api, g=PAST_ITS_PEAK | {3: 250_000})
        await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
        await run(api, elastic(work=None, mode="Members"))
        await works.until(lambda: measured(api))
        free_the_room(api)

        await works.until(lambda: size_of(api) == 4)
        await works.until(lambda: size_of(api) == 2)

        assert status_of(api)["attempt"] == 1
        assert [one["metadata"]["name"] for one in pods_of(api, "g")] == ["g-1-0", "g-1-1"]
