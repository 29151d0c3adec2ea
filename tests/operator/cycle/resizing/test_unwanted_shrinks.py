"""Members have notice that their gang shrinks, and the gang for which it was to shrink needs the seats no more."""

import asyncio

import pytest

from builders.notices import READS
from builders.served import node
from fake_cluster.elastic import (
    FOUR,
    MIN_INTERVAL,
    ask_for,
    beside_a_blocker,
    elastic,
    free_the_room,
    note_of,
    rigid,
    run,
    until_attempt,
)
from fake_cluster.jumping import now, until
from fake_cluster.noticed import notices, said_at, until_noticed
from fake_cluster.rig import (
    api_with,
    event_reasons,
    gang_place,
    is_placed,
    operator_over,
    pods_of,
    running_operator,
    set_phases,
    status_of,
)

pytestmark = pytest.mark.asyncio

LONG_GONE = "no waiting gang still needs the places that it would give up"


async def shrinking_for(api, *, work=..., waits=("short",)):
    """Have a gang of four get notice that it shrinks for others that wait; returns the notice."""
    await run(api, elastic(pod_spec=READS, **({} if work is ... else {"work": work})))
    await asyncio.sleep(7200)
    for name in waits:
        api.store.create("gangjobs", rigid(name, size=1, takes="10m"))
    notice = await until_noticed(api)
    assert said_at(notice)[0] == 4 - len(waits)
    return notice


async def until_dropped(api, *, attempt=1):
    """Wait until the gang of four keeps its size, and its members have no notice any more."""
    await until(lambda: "next" not in status_of(api))
    await until(lambda: set(notices(api)) == {None})
    assert (status_of(api)["attempt"], is_placed(api), len(pods_of(api, "g"))) == (attempt, True, 4)
    assert note_of(api, "SizeChangeDropped") == f"The change of size was dropped: {LONG_GONE}. The gang keeps its size."


async def test_gang_keeps_its_size_if_the_one_for_which_it_was_to_shrink_is_deleted():
    async with operator_over(*FOUR) as (api, parts):
        await shrinking_for(api)
        began = now()

        api.store.remove(gang_place("short"))
        await until_dropped(api)

        assert now() - began < 10
        assert parts.metric("lockstep_size_changes_dropped_total") == 1
        # Gangs may come and go: members are patched once in an interval at most.
        api.store.create("gangjobs", rigid("short", size=1, takes="10m"))
        await asyncio.sleep(MIN_INTERVAL - 30)
        assert (set(notices(api)), is_placed(api, "short")) == ({None}, False)
        await until_attempt(api, 2)
        await until(lambda: is_placed(api, "short"))


async def test_gang_keeps_its_size_if_the_one_for_which_it_was_to_shrink_is_placed_elsewhere():
    async with operator_over(*FOUR) as (api, _):
        await shrinking_for(api)

        api.store.create("nodes", node("n5", cpu="1"))
        await until(lambda: is_placed(api, "short"))

        await until_dropped(api)


async def test_gang_shrinks_if_another_one_that_waits_takes_the_seats():
    async with operator_over(*FOUR) as (api, _):
        await shrinking_for(api)
        api.store.create("gangjobs", rigid("next", size=1, takes="20m"))
        await asyncio.sleep(5)

        api.store.remove(gang_place("short"))

        await until_attempt(api, 2)
        await until(lambda: is_placed(api, "next"))
        assert (status_of(api)["size"], "SizeChangeDropped" in event_reasons(api)) == (3, False)


async def test_gang_that_is_created_anew_at_once_still_gets_the_seats():
    async with operator_over(*FOUR) as (api, _):
        await shrinking_for(api)

        api.store.remove(gang_place("short"))
        await asyncio.sleep(1)
        api.store.create("gangjobs", rigid("short", size=1, takes="10m"))

        await until(lambda: is_placed(api, "short"))
        assert (status_of(api)["attempt"], "SizeChangeDropped" in event_reasons(api)) == (2, False)


async def test_gang_that_shrinks_for_two_shrinks_though_one_of_them_is_deleted():
    async with operator_over(*FOUR) as (api, _):
        await shrinking_for(api, waits=("short", "other"))

        api.store.remove(gang_place("short"))

        await until(lambda: is_placed(api, "other"))
        assert (status_of(api)["size"], "SizeChangeDropped" in event_reasons(api)) == (2, False)


async def test_size_that_the_owner_asks_for_meanwhile_is_made():
    async with operator_over(*FOUR) as (api, _):
        await shrinking_for(api)

        ask_for(api, 3)
        await asyncio.sleep(1)
        api.store.remove(gang_place("short"))

        await until_attempt(api, 2)
        assert status_of(api)["size"] == 3


async def test_gang_of_unknown_end_keeps_what_it_was_to_give_back():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api, work=None, pod_spec=READS)
        free_the_room(api)
        await until_attempt(api, 2)
        set_phases(api, "g", "Running")
        await asyncio.sleep(MIN_INTERVAL)
        api.store.create("gangjobs", rigid("short", size=1, takes="10m"))
        await until_noticed(api)

        api.store.remove(gang_place("short"))

        await until_dropped(api, attempt=2)


async def test_gang_shrinks_for_one_that_grows_though_no_gang_waits():
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic("h", asked=1, work={"serialTime": "40h"}), "h")
        await run(api, elastic(pod_spec=READS))
        assert [status_of(api, name)["size"] for name in ("g", "h")] == [3, 1]

        ask_for(api, None, "h")
        await until_noticed(api)
        await until_attempt(api, 2)

        await until_attempt(api, 2, "h")
        assert status_of(api, "h")["size"] > 1
        assert "SizeChangeDropped" not in event_reasons(api)


async def test_next_process_makes_the_change_since_no_status_says_who_gains():
    async with api_with(*FOUR) as api:
        async with running_operator(api):
            await shrinking_for(api)
        async with running_operator(api):
            api.store.remove(gang_place("short"))
            await until_attempt(api, 2)

        assert (status_of(api)["size"], "SizeChangeDropped" in event_reasons(api)) == (3, False)
