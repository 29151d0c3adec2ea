"""Gangs that wait for each other in a ring, on a fake API server."""

import asyncio

import pytest

from builders.served import gang
from fake_cluster.jumping import until
from fake_cluster.rig import condition, gang_place, is_placed, operator_over, pods_of, set_phases, status_of

pytestmark = pytest.mark.asyncio

REFUSED = ("False", "WaitsForItself")


def after(name, *names):
    """A GangJob that waits for others of these names."""
    return gang(name, spec={"after": [{"name": other, "kind": "GangJob"} for other in names]})


def accepted(api, name):
    """The message of its condition Accepted."""
    conditions = status_of(api, name).get("conditions", ())
    return next((one["message"] for one in conditions if one["type"] == "Accepted"), "")


@pytest.mark.parametrize("names", [["a"], ["a", "b"], ["a", "b", "c"], [f"g{number}" for number in range(30)]])
async def test_ring_of_any_length_is_refused_with_its_path(names):
    others = [*names[1:], names[0]]
    async with operator_over(gangs=[after(*pair) for pair in zip(names, others, strict=True)]) as (api, _):
        await until(lambda: all(condition(api, name, "Accepted") == REFUSED for name in names))
        await asyncio.sleep(600)

        assert accepted(api, names[0]).startswith(f"after: {names[0]} waits for {others[0]}")
        assert f"which waits for {names[0]}." in accepted(api, names[0]) or names == ["a"]
        assert not any(pods_of(api, name) for name in names)


async def test_gang_that_only_waits_for_one_of_a_ring_is_accepted():
    async with operator_over(gangs=[after("a", "b"), after("b", "a"), after("late", "a")]) as (api, _):
        await until(lambda: condition(api, "a", "Accepted") == REFUSED)
        await until(lambda: condition(api, "late", "Planned") == ("False", "AwaitsOthers"))
        assert condition(api, "late", "Accepted")[0] == "True"


async def test_ring_that_is_opened_runs_in_its_order():
    async with operator_over(gangs=[after("a", "b"), after("b", "a")]) as (api, _):
        await until(lambda: condition(api, "b", "Accepted") == REFUSED)
        generation = api.store.get(gang_place("b"))["metadata"]["generation"]
        api.store.change(gang_place("b"), metadata={"generation": generation + 1}, spec={"after": None})
        await until(lambda: is_placed(api, "b"))
        assert condition(api, "a", "Accepted")[0] == "True"

        set_phases(api, "b", "Running")
        await until(lambda: "startedAt" in status_of(api, "b"))
        set_phases(api, "b", "Succeeded")
        await until(lambda: is_placed(api, "a"))


async def test_deletion_of_one_of_a_ring_lets_the_others_wait():
    async with operator_over(gangs=[after("a", "b"), after("b", "a")]) as (api, _):
        await until(lambda: condition(api, "a", "Accepted") == REFUSED)
        api.store.remove(gang_place("b"))
        await until(lambda: condition(api, "a", "Planned") == ("False", "AwaitsOthers"))
        assert condition(api, "a", "Accepted")[0] == "True"
