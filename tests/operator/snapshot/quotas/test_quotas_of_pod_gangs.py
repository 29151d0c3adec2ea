"""Quotas count the pods of a Gang before the Gang is placed, so only pods that do not exist yet are counted here."""

import asyncio

import pytest

from builders.pod_gangs import group_of, waiting_pod
from builders.served import gang, node
from fake_cluster.api import POST, Refusal
from fake_cluster.jumping import until
from fake_cluster.pod_gangs import BINDING, create, status_of
from fake_cluster.rig import operator_over, pods_of
from lockstep.belief.state import State
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.snapshot.quotas.pods_to_create import pods_to_create

TWELVE = tuple(node(f"n{number}", cpu="1") for number in range(1, 13))


def under_quota(api, pods, used):
    """Create a quota of so many pods, of which so many are used."""
    status = {"hard": {"pods": str(pods)}, "used": {"pods": str(used)}}
    metadata = {"name": "small", "namespace": "default"}
    api.store.create("resourcequotas", {"metadata": metadata, "spec": {"hard": status["hard"]}, "status": status})


def in_part(api):
    """Whether a pod of the Gang is on a node."""
    return any(it["spec"].get("nodeName") for it in api.store.objects("pods"))


@pytest.mark.asyncio
async def test_gang_gets_the_quota_that_is_left_while_pods_of_others_are_being_bound():
    async with operator_over(*TWELVE) as (api, _):
        under_quota(api, pods=8, used=4)
        # Bindings that are refused after the first one are tried again for a minute.
        api.fault = lambda it: Refusal(code=500) if it[:2] == (POST, BINDING) and it.name in "bcd" else None
        create(api, *"abcd", cpu="1")
        await until(lambda: in_part(api))

        api.store.create("gangjobs", gang("g", size=1, most=4))
        await asyncio.sleep(30)

        assert "reservedAt" in status_of(api)
        assert len(pods_of(api, "g")) == 4


@pytest.mark.parametrize(("there", "want"), [(0, 4), (1, 3), (4, 0), (5, 0)])
def test_reserved_pods_that_do_not_exist_yet_are_about_to_take_quota(there, want):
    group = group_of([waiting_pod(str(number)) for number in range(there)])
    pod_gangs = State(lambda: None).pod_gangs
    for pod in group.pods.values():
        pod_gangs.enter(pod)

    assert pods_to_create(pod_gangs, pod_gang_key("default", "g"), {"all": 4})["all"] == want


@pytest.mark.parametrize(("there", "want"), [(0, {"head": 1, "workers": 3}), (2, {"head": 0, "workers": 2})])
def test_pods_of_all_roles_are_about_to_take_quota(there, want):
    pod_gangs = State(lambda: None).pod_gangs
    for pod in group_of([], going=there).pods.values():
        pod_gangs.enter(pod)

    assert pods_to_create(pod_gangs, pod_gang_key("default", "g"), {"head": 1, "workers": 3}) == want
