"""Objects that survive are frozen, so a reference cycle of theirs is freed hours later: the operator makes none."""

import asyncio
import gc
from collections import Counter

import pytest

from builders.served import bid, gang, priority_class
from fake_cluster.elastic import FOUR, beside_a_blocker, free_the_room, run, suspend
from fake_cluster.jumping import until
from fake_cluster.rig import condition, gang_place, is_placed, operator_over, set_phases, status_of

pytestmark = pytest.mark.asyncio

OURS = ("lockstep", "coschedule", "numpy")


@pytest.fixture
def garbage():
    """What the garbage collector alone can free of all that becomes garbage from here on, by type."""
    gc.collect()
    gc.disable()

    def found():
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        gc.set_debug(0)
        ours = Counter(_name(one) for one in gc.garbage if str(type(one).__module__).startswith(OURS))
        gc.garbage.clear()
        return dict(ours)

    yield found
    gc.enable()


def _name(one):
    return f"{type(one).__module__}.{type(one).__qualname__}"


async def gangs_that_end_and_wait(api):
    api.store.create("nodebids", bid("n1", slots=2))
    for name in ("a", "b"):
        await run(api, gang(name, size=1), name)
    api.store.create("gangjobs", gang("too-big", size=90))
    api.store.create("gangjobs", gang("c", size=3))
    await until(lambda: condition(api, "too-big", "Planned") and condition(api, "c", "Planned"))
    for name in ("a", "b"):
        set_phases(api, name, "Succeeded")
    await until(lambda: is_placed(api, "c"))
    api.store.remove(gang_place("c"))


async def a_more_urgent_gang(api):
    await run(api, gang("g", size=4))
    api.store.create("priorityclasses", priority_class("urgent", 1000))
    api.store.create("gangjobs", gang("first", size=4, spec={"priorityClassName": "urgent"}))
    await until(lambda: is_placed(api, "first"))


async def changes_of_size(api):
    await beside_a_blocker(api)
    free_the_room(api)
    await until(lambda: status_of(api)["size"] == 4 and is_placed(api))
    suspend(api)


@pytest.mark.parametrize("life", [gangs_that_end_and_wait, a_more_urgent_gang, changes_of_size])
async def test_only_the_last_plan_stays_without_a_collection(garbage, life):
    async with operator_over(*FOUR) as (api, _):
        await life(api)
        await asyncio.sleep(60)

        assert garbage() == {}
