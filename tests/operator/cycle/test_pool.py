"""The node pool: only its nodes are planned on, as they are labelled now, and members ask for them."""

import pytest

from builders.served import gang, node
from coschedule import Taint
from fake_cluster.api import POST, FakeApi
from fake_cluster.jumping import now, until
from fake_cluster.rig import (
    api_with,
    bound,
    condition,
    is_placed,
    leave_before,
    operator_over,
    pods_of,
    running_operator,
    set_phases,
    status_of,
)
from fake_cluster.store import Place
from lockstep.api.pool import Pool

pytestmark = pytest.mark.asyncio

GANGS = {"pool": "gangs"}
POOL = Pool(selector=(("pool", "gangs"),), taints=(Taint("pool", "gangs", "NoSchedule"),))
TAINT = {"key": "pool", "value": "gangs", "effect": "NoSchedule"}


def label(api, name, **labels):
    api.store.change(Place("nodes", "", name), metadata={"labels": labels})


def says(api, gang="g", kind="Planned"):
    conditions = status_of(api, gang).get("conditions", [])
    return next((one["message"] for one in conditions if one["type"] == kind), "")


async def test_members_go_to_the_pool_s_nodes_and_ask_for_them():
    nodes = [node("a1"), node("n1", labels=GANGS, taints=[TAINT]), node("z1")]
    async with operator_over(*nodes, gangs=[gang("g", size=3)], pool=POOL) as (api, parts):
        await until(lambda: is_placed(api))

        members = pods_of(api, "g")
        assert bound(members) == ["n1"] * 3
        assert [member["spec"]["nodeSelector"] for member in members] == [GANGS] * 3
        assert [member["spec"]["tolerations"] for member in members] == [[{**TAINT, "operator": "Equal"}]] * 3
        assert parts.metric("lockstep_snapshot_nodes") == 1


async def test_sentences_count_the_pool_s_nodes():
    nodes = [*(node(f"n{number}", cpu="2", labels=GANGS) for number in range(3)), node("large", cpu="64")]
    far = gang("far", pod_spec={"nodeSelector": {"disk": "tape"}})
    async with operator_over(*nodes, gangs=[far, gang("big", size=9)], pool=POOL) as (api, _):
        await until(lambda: condition(api, "far", "Planned") and condition(api, "big", "Planned"))

        assert says(api, "far") == "0 of 3 nodes of the pool pass its constraints: 3 without disk=tape."
        assert says(api, "big").startswith(
            "It needs 9 members, and 6 fit: 3 of 3 nodes of the pool pass its constraints"
        )


async def test_empty_pool_is_reported_as_such():
    async with operator_over(node("n1"), gangs=[gang("g")], pool=POOL) as (api, _):
        await until(lambda: condition(api, "g", "Planned") == ("False", "NoNodeFits"))

        assert says(api) == "It needs 2 members, and there are 0 nodes of the pool."


async def test_node_that_gets_the_label_joins_and_one_that_loses_it_leaves():
    gangs = [gang("g", size=2, cpu="4")]
    async with operator_over(node("n1"), node("n2", labels=GANGS), gangs=gangs, pool=POOL) as (api, parts):
        await until(lambda: is_placed(api))
        api.store.add("gangjobs", gang("second", cpu="4"))
        await until(lambda: condition(api, "second", "Planned"))
        assert bound(pods_of(api, "second")) == []

        label(api, "n1", pool="gangs")
        await until(lambda: is_placed(api, "second"))
        assert bound(pods_of(api, "second")) == ["n1"] * 2

        label(api, "n2", pool=None)
        set_phases(api, "g", "Running")
        set_phases(api, "g", "Succeeded")
        await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))
        api.store.add("gangjobs", gang("third", cpu="4"))
        await until(lambda: condition(api, "third", "Planned"))
        assert condition(api, "third", "Placed")[0] == "False"
        assert parts.metric("lockstep_snapshot_nodes") == 1


async def test_gang_that_selects_other_nodes_is_refused():
    wrong = gang("g", pod_spec={"nodeSelector": {"pool": "batch"}})
    async with operator_over(node("n1", labels={"pool": "batch"}), gangs=[wrong], pool=POOL) as (api, parts):
        await until(lambda: condition(api, "g", "Accepted") == ("False", "InvalidSpec"))

        assert "pool=batch selects none of the nodes of the operator's pool" in says(api, kind="Accepted")
        assert pods_of(api, "g") == []
        assert parts.state.pool.refusal(parts.state.gangs["default", "g"])


async def test_waiting_gang_is_checked_with_what_the_pool_asks():
    async with api_with(
        node("n1", labels=GANGS), gangs=[gang("g", spec={"work": {"serialTime": "10m"}}, cpu="4")]
    ) as api:
        asked = []
        async with running_operator(api, pool=POOL):
            await until(lambda: is_placed(api))
            api.admit = lambda sent: asked.append(sent) or sent
            api.store.add("gangjobs", gang("later", cpu="4"))
            await until(lambda: asked)

    assert asked[0]["spec"]["nodeSelector"] == GANGS


async def test_members_that_run_outside_a_new_pool_stay():
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1"))
        selecting = gang("g", pod_spec={"nodeSelector": {"pool": "batch"}})
        api.store.add("gangjobs", selecting)
        label(api, "n1", pool="batch")
        async with running_operator(api):
            await until(lambda: is_placed(api))
            set_phases(api, "g", "Running")
            await until(lambda: "startedAt" in status_of(api))
        before = pods_of(api, "g")
        # The gang contradicts the new pool, and its node is none of it.
        async with running_operator(api, pool=POOL) as parts:
            await parts.quiet()
            assert pods_of(api, "g") == before
            set_phases(api, "g", "Succeeded")
            await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))


@pytest.mark.parametrize(
    "moment", [pytest.param((POST, "pods"), id="reserved"), pytest.param((POST, "pods/binding"), id="created")]
)
async def test_attempt_whose_nodes_left_the_pool_is_undone(moment):
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1"))
        api.store.add("gangjobs", gang("g"))
        await leave_before(api, moment)
        api.store.add("nodes", node("n2", labels=GANGS))
        messages = []
        api.fault = lambda _: messages.append(says(api, kind="Placed"))
        async with running_operator(api, pool=POOL):
            await until(lambda: is_placed(api))

        assert bound(pods_of(api, "g")) == ["n2"] * 2
        assert any(
            "NoLongerFits: the reservation no longer fits: the operator's node pool has no node n1" in it
            for it in messages
        )


async def test_attempt_on_nodes_of_both_pools_ends_with_members_as_the_new_pool_asks():
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1", labels=GANGS))
        api.store.add("gangjobs", gang("g"))
        await leave_before(api, (POST, "pods/binding"))
        async with running_operator(api, pool=POOL):
            await until(lambda: is_placed(api))

        assert [member["spec"]["nodeSelector"] for member in pods_of(api, "g")] == [GANGS] * 2
