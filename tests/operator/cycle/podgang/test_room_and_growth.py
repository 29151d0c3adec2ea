"""Room for later pods beside elastic gangs: what they grow into, and what does not hold them up."""

import asyncio

import pytest

from builders.served import metadata, node, pod
from fake_cluster.elastic import FOUR, elastic, free_the_room, rigid, run
from fake_cluster.giving_way import create_classes
from fake_cluster.jumping import until
from fake_cluster.pod_gangs import HEAT, is_placed
from fake_cluster.rig import DEFAULT, operator_over, status_of
from lockstep.belief.gangs.age import ROOM_KEPT_SECONDS

pytestmark = pytest.mark.asyncio

ONE_MORE = (*FOUR, node("n5", cpu="1"))
# An elastic gang may change its size a few times while room is kept.
MOST_PLANS = 15
WORKS = [pytest.param({}, id="known end"), pytest.param({"work": None}, id="unknown end")]


async def beside_room(api, pods, *, cpu, described):
    """An elastic gang on two nodes, two idle ones, and an urgent Gang that runs and has such later pods."""
    create_classes(api)
    await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
    about = metadata("heat", namespace=DEFAULT, generation=1)
    api.store.create("gangs", {"metadata": about, "spec": {"size": {"min": 1}}})
    spec = {"schedulerName": "lockstep", "priorityClassName": "urgent", "priority": 100}
    api.store.create("pods", pod("a", cpu="1", spec=spec, labels={"lockstep.dev/member-of": "heat"}))
    await until(lambda: is_placed(api))
    wanted = elastic(restart="1s", **described)
    wanted["spec"]["elastic"]["minInterval"] = "1m"
    await run(api, wanted)
    assert status_of(api)["size"] == 2
    later = [{"pods": pods, "resources": {"requests": {"cpu": cpu}}, "priorityClassName": "urgent"}]
    api.store.change(HEAT, spec={"size": {"min": 1}, "later": later})
    await asyncio.sleep(10)
    free_the_room(api)


@pytest.mark.parametrize("described", WORKS)
async def test_elastic_gang_grows_beside_room_that_fits_nowhere(described):
    async with operator_over(*ONE_MORE) as (api, _):
        await beside_room(api, 1, cpu="7", described=described)
        await until(lambda: status_of(api).get("size") == 4, seconds=ROOM_KEPT_SECONDS / 2)


@pytest.mark.parametrize("described", WORKS)
async def test_elastic_gang_does_not_grow_into_room_that_is_kept(described):
    async with operator_over(*ONE_MORE) as (api, parts):
        await beside_room(api, 2, cpu="1", described=described)
        before = parts.metric("lockstep_cycles_total", result="ok")
        await asyncio.sleep(ROOM_KEPT_SECONDS / 2)
        assert status_of(api)["size"] == 2
        assert parts.metric("lockstep_cycles_total", result="ok") - before < MOST_PLANS
        await until(lambda: status_of(api).get("size") == 4)


@pytest.mark.parametrize("described", WORKS)
async def test_elastic_gang_grows_beside_room_beyond_a_quota(described):
    async with operator_over(*ONE_MORE) as (api, _):
        amounts = {"hard": {"requests.cpu": "9"}, "used": {"requests.cpu": "1"}}
        about = metadata("small", namespace=DEFAULT)
        api.store.create("resourcequotas", {"metadata": about, "spec": {"hard": amounts["hard"]}, "status": amounts})
        await beside_room(api, 20, cpu="1", described=described)
        await until(lambda: status_of(api).get("size") == 4, seconds=ROOM_KEPT_SECONDS / 2)
