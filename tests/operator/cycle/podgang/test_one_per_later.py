"""Later pods of a Gang whose pods each need a domain of their own: they keep apart from those that run."""

import asyncio

import pytest

from builders.served import gang, node, pod
from fake_cluster.jumping import until
from fake_cluster.pod_gangs import add_pods, bound, create, is_placed, message, stop_after
from fake_cluster.rig import DEFAULT, api_with, operator_over, running_operator
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

HOST = "kubernetes.io/hostname"
APART = {"onePer": HOST}


def host(name, cpu):
    """A node with its name as a label."""
    return node(name, cpu=cpu, labels={HOST: name})


def nodes_of(api):
    """The node of each pod that has one."""
    return {it["metadata"]["name"]: it["spec"]["nodeName"] for it in bound(api)}


async def test_later_pod_does_not_share_a_domain():
    async with operator_over(host("n1", "4")) as (api, _):
        create(api, "a", cpu="1", placement=APART)
        await until(lambda: is_placed(api))
        add_pods(api, "b", cpu="1")
        await until(lambda: "another pod of its Gang" in message(api, "Planned"))
        assert nodes_of(api) == {"a": "n1"}

        api.store.create("nodes", host("n2", "1"))
        await until(lambda: nodes_of(api) == {"a": "n1", "b": "n2"})


async def test_replacement_takes_the_domain_of_the_pod_that_is_gone():
    async with operator_over(host("n1", "1"), host("n2", "1")) as (api, _):
        create(api, "a", "b", cpu="1", placement=APART)
        await until(lambda: is_placed(api))
        left = nodes_of(api)["a"]
        api.store.remove(Place("pods", DEFAULT, "a"))
        add_pods(api, "c", cpu="1")

        await until(lambda: nodes_of(api).get("c") == left)


async def test_next_process_binds_the_rest_beside_what_was_bound():
    async with api_with(host("n1", "1"), host("n2", "1"), host("n3", "1")) as api:
        create(api, "a", "b", "c", cpu="1", placement=APART)
        await stop_after(api, {"a"})
        async with running_operator(api):
            await until(lambda: is_placed(api))

        assert {*nodes_of(api).values()} == {"n1", "n2", "n3"}


async def test_room_is_kept_in_another_domain():
    async with operator_over(host("n1", "2"), host("n2", "1")) as (api, _):
        later = [{"pods": 1, "resources": {"requests": {"cpu": "1"}}}]
        create(api, "a", cpu="1", placement=APART, later=later, least=1)
        await until(lambda: is_placed(api))
        free = {"n1", "n2"} - {nodes_of(api)["a"]}
        for name in ("cold", "wet"):
            api.store.create("gangjobs", gang(name, size=1))
        await asyncio.sleep(60)
        add_pods(api, "b", cpu="1")

        await until(lambda: {nodes_of(api).get("b")} == free)


async def test_pods_of_others_share_the_domain():
    async with operator_over(host("n1", "2")) as (api, _):
        create(api, "a", cpu="1", placement=APART)
        await until(lambda: is_placed(api))
        api.store.create("gangs", {"metadata": {"name": "other", "namespace": DEFAULT}, "spec": {"size": {"min": 1}}})
        labels = {"lockstep.dev/member-of": "other"}
        api.store.create("pods", pod("x", cpu="1", spec={"schedulerName": "lockstep"}, labels=labels))

        await until(lambda: nodes_of(api).get("x") == "n1")
