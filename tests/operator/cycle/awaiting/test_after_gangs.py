"""Gangs that wait until a Gang has succeeded: all of its pods have to end, whatever keeps them from a node."""

import asyncio

import pytest

from builders.served import gang, node
from fake_cluster.jumping import until
from fake_cluster.pod_gangs import HEAT, add_pods, bound, create
from fake_cluster.rig import is_placed, operator_over, pod_place, pods_of

pytestmark = pytest.mark.asyncio

GATED = {"schedulingGates": [{"name": "example.com/data"}]}


def create_successor(api):
    """Create a gang that starts after the Gang."""
    after = [{"kind": "Gang", "name": HEAT.name, "when": "Succeeded"}]
    api.store.create("gangjobs", gang("late", size=1, spec={"after": after}))


async def succeed(api, *names):
    """Let these pods succeed once all of them are bound."""
    await until(lambda: {*names} <= {it["metadata"]["name"] for it in bound(api)})
    for name in names:
        api.store.change(pod_place(name), status={"phase": "Succeeded"})


async def test_gang_waits_for_pods_that_have_a_gate():
    async with operator_over(node("n1", cpu="4")) as (api, _):
        create(api, "a", "b", least=1, cpu="1")
        add_pods(api, "c", cpu="1", **GATED)
        create_successor(api)
        await succeed(api, "a", "b")
        await asyncio.sleep(100)
        assert not pods_of(api, "late")

        api.store.change(pod_place("c"), spec={"schedulingGates": None})
        await succeed(api, "c")

        await until(lambda: is_placed(api, "late"))


async def test_gang_starts_once_the_last_pod_with_a_gate_is_deleted():
    async with operator_over(node("n1", cpu="4")) as (api, _):
        create(api, "a", "b", least=1, cpu="1")
        add_pods(api, "c", cpu="1", **GATED)
        create_successor(api)
        await succeed(api, "a", "b")
        await asyncio.sleep(100)

        api.store.remove(pod_place("c"))

        await until(lambda: is_placed(api, "late"))
