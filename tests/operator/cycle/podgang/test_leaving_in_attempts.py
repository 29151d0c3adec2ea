"""Pods have to leave a node while other pods of their Gang are being bound: that ends, and all are placed anew."""

import asyncio

import pytest

from builders.served import node
from fake_cluster.api import REFUSED
from fake_cluster.bound_in_part import job_bound_in_part, operator
from fake_cluster.elastic_jobs import HEAT, SMALL, SOURCES, create_job, has_size, indexed, numbers, placed
from fake_cluster.jumping import now, until
from fake_cluster.owners import is_suspended
from fake_cluster.pod_gangs import BINDING, add_pods, bound, create, is_placed
from fake_cluster.rig import api_with, event_reasons, pod_place, running_operator
from fake_cluster.store import Place
from lockstep.act.attempt import Attempt

pytestmark = pytest.mark.asyncio

N1 = Place("nodes", "", "n1")
TAINT = {"key": "node.kubernetes.io/out-of-service", "value": "", "effect": "NoExecute"}
SOON_SECONDS = 5


def refuse_new_pods(it):
    """Refuse to bind the pods by which the Job grows, which their dry runs have allowed."""
    return REFUSED if (it.verb, it.resource) == ("POST", BINDING) and it.name[:7] in {"heat-4-", "heat-5-"} else None


async def grow_in_vain(api):
    """Let a Job of four pods grow by pods that can't be bound."""
    create_job(api)
    await until(lambda: has_size(api, 4))
    api.fault = refuse_new_pods
    api.store.add("nodes", node("n3", cpu="2"))
    await until(lambda: numbers(api)[0] == 6)


async def test_job_leaves_a_lost_node_while_it_grows():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), indexed(api):
        await grow_in_vain(api)
        api.store.change(N1, spec={"taints": [TAINT]})
        since = now()
        await until(lambda: is_suspended(api, HEAT))
        assert now() - since < SOON_SECONDS

        api.fault = lambda _: None
        await until(lambda: {*placed(api).values()} == {"n2", "n3"} and len(placed(api)) == 4)
        assert numbers(api) == (4, 4, "4")


async def test_next_process_leaves_a_lost_node_before_it_goes_on():
    async with api_with(*SMALL) as api, indexed(api):
        async with running_operator(api, sources=SOURCES):
            await grow_in_vain(api)
        api.store.change(N1, spec={"taints": [TAINT]})
        async with running_operator(api, sources=SOURCES):
            since = now()
            await until(lambda: is_suspended(api, HEAT))
            assert now() - since < SOON_SECONDS


async def test_pods_that_stay_keep_no_later_pods_waiting():
    async with api_with(*SMALL) as api, running_operator(api):
        create(api, "a", "b", cpu="2")
        await until(lambda: is_placed(api))
        api.store.change(N1, spec={"taints": [TAINT]})
        await until(lambda: "PodLost" in event_reasons(api))
        api.store.add("nodes", node("n3", cpu="2"))
        add_pods(api, "c", cpu="2")
        await until(lambda: len(bound(api)) == 3)


async def test_gang_that_is_bound_in_part_leaves_a_lost_node_at_once():
    async with api_with() as api, operator(api), job_bound_in_part(api):
        await until(lambda: len(bound(api)) == 2)
        api.store.change(N1, spec={"taints": [TAINT]})
        since = now()
        await until(lambda: is_suspended(api, HEAT))
        assert now() - since < SOON_SECONDS


async def test_teardown_that_raises_errors_is_tried_again_after_pauses_that_double(monkeypatch):
    tries = []

    async def fail(*_):
        tries.append(now())
        raise ValueError("no")

    async with api_with() as api:
        create(api, "a", "b")
        api.fault = lambda it: REFUSED if (it.verb, it.resource, it.name) == ("POST", BINDING, "b") else None
        async with running_operator(api):
            await until(lambda: bound(api))
        api.store.change(pod_place("a"), metadata={"deletionTimestamp": "2027-01-15T08:00:00Z"})
        monkeypatch.setattr(Attempt, "interrupt", fail)
        async with running_operator(api):
            await asyncio.sleep(100)

    assert 2 <= len(tries) <= 8
