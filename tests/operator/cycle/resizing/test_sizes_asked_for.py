"""Sizes that the owner of an elastic gang asks for."""

import asyncio

import pytest

from builders.served import node
from fake_cluster.elastic import (
    FOUR,
    ask_for,
    beside_a_blocker,
    elastic,
    end_grace,
    free_the_room,
    in_a_long_change_to,
    note_of,
    run,
    until_attempt,
)
from fake_cluster.jumping import until
from fake_cluster.rig import is_placed, operator_over, pods_of, set_phases, status_of
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

# With so little work left, the size of a gang is not chosen anew.
SOON_OVER = {"serialTime": "1h"}


async def test_gang_starts_with_it_and_keeps_it():
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic(asked=2))
        await asyncio.sleep(7200)

        assert (status_of(api)["size"], status_of(api)["attempt"]) == (2, 1)


@pytest.mark.parametrize(
    ("before", "asked", "verb"), [(4, 3, "Shrinks"), (4, 1, "Shrinks"), (1, 2, "Grows"), (2, 4, "Grows")]
)
async def test_gang_that_runs_changes_to_it_even_where_lockstep_would_change_nothing(before, asked, verb):
    async with operator_over(*FOUR) as (api, parts):
        await run(api, elastic(asked=before, work=SOON_OVER))

        ask_for(api, asked)
        await until_attempt(api, 2)

        assert status_of(api)["size"] == asked
        assert note_of(api, "GangChangesSize").startswith(f"{verb} from {before} to {asked} member")
        assert ", as elastic.size asks: it ends " in note_of(api, "GangChangesSize")
        assert parts.metric("lockstep_attempts_undone_total", reason="ChangingSize") == 1


async def test_lockstep_chooses_again_when_none_is_asked_for():
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic(asked=2))

        ask_for(api, None)
        await until_attempt(api, 2)

        assert status_of(api)["size"] == 4


async def test_gang_keeps_its_size_until_there_is_room():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api)
        ask_for(api, 3)
        await asyncio.sleep(3600)
        assert (status_of(api)["size"], status_of(api)["attempt"]) == (2, 1)

        free_the_room(api)
        await until_attempt(api, 2)

        assert status_of(api)["size"] == 3


async def test_no_size_is_asked_for_twice_within_the_interval():
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic(asked=4))
        ask_for(api, 2)
        await until_attempt(api, 2)
        set_phases(api, "g", "Running")

        ask_for(api, 3)
        await asyncio.sleep(300)
        assert status_of(api)["attempt"] == 2

        await until_attempt(api, 3)
        assert status_of(api)["size"] == 3


async def test_gang_whose_change_is_dropped_keeps_a_place_and_changes_when_there_is_room():
    async with operator_over(*FOUR) as (api, _):
        await in_a_long_change_to(api, 4, from_size=3)
        [left] = {"n1", "n2", "n3", "n4"} - {pod["spec"]["nodeName"] for pod in pods_of(api, "g")}
        api.store.change(Place("nodes", "", left), spec={"unschedulable": True})
        await asyncio.sleep(10)
        end_grace(api)

        await until(lambda: is_placed(api) and status_of(api)["size"] == 3)
        set_phases(api, "g", "Running")
        api.store.change(Place("nodes", "", left), spec={"unschedulable": False})
        await until(lambda: is_placed(api) and status_of(api)["size"] == 4, seconds=1200)


async def test_size_for_which_the_profile_has_no_run_time_is_not_taken_and_keeps_no_other_gang_from_its_size():
    small = [node(f"s{number}", cpu="1", labels={"kind": "small"}) for number in (1, 2)]
    async with operator_over(*FOUR, *small) as (api, parts):
        await run(api, elastic("h", most=2, asked=2, pod_spec={"nodeSelector": {"kind": "small"}}), "h")
        await run(api, elastic(work={"profile": [{"members": 2, "time": "200h"}, {"members": 4, "time": "100h"}]}))
        ask_for(api, 1, "h")
        await until_attempt(api, 2, "h")
        set_phases(api, "h", "Running")

        ask_for(api, 1)
        await asyncio.sleep(700)
        ask_for(api, 2, "h")
        await until_attempt(api, 3, "h")

        assert (status_of(api)["size"], status_of(api)["attempt"]) == (4, 1)
        assert not parts.metric("lockstep_gang_errors_total", stage="plan")


async def test_last_size_that_is_asked_for_counts_though_a_change_is_under_way():
    async with operator_over(*FOUR) as (api, _):
        await in_a_long_change_to(api, 3, from_size=4)

        ask_for(api, 1)
        await asyncio.sleep(10)
        end_grace(api)
        await until(lambda: is_placed(api))
        set_phases(api, "g", "Running")

        await until(lambda: is_placed(api) and status_of(api)["size"] == 1, seconds=1200)
