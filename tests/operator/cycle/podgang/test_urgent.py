"""Gangs for which GangJobs give way: their pods are there, so a dry run of their bindings is what is asked before."""

import asyncio

import pytest

from builders.served import gang, metadata, node, pod, priority_class
from fake_cluster.api import DRY_RUN, REFUSED
from fake_cluster.jumping import until
from fake_cluster.pod_gangs import BINDING, bindings, bound, is_placed, message
from fake_cluster.rig import DEFAULT, api_with, condition, operator_over, running_operator
from fake_cluster.rig import is_placed as is_job_placed
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

ONE_NODE = (node("n1", cpu="2"),)


async def full(api):
    """Place a GangJob that fills the node."""
    for one in (priority_class("urgent", 100), priority_class("patient", 100, policy="Never")):
        api.store.create("priorityclasses", one)
    api.store.create("gangjobs", gang("cold"))
    await until(lambda: is_job_placed(api, "cold"))


def create_urgent(api, *names, priority="urgent", least=0, **more):
    """Create a Gang of pods of that priority, which need the whole node; ``more`` is in its spec."""
    pods = more.pop("pods", {})
    about = metadata("heat", namespace=DEFAULT, generation=1)
    api.store.create("gangs", {"metadata": about, "spec": {"size": {"min": least or len(names)}, **more}})
    for name in names:
        spec = {"schedulerName": "lockstep", "priorityClassName": priority, **pods}
        api.store.create("pods", pod(name, cpu="1", spec=spec, labels={"lockstep.dev/member-of": "heat"}))


async def test_gang_job_gives_way_to_pods_of_higher_priority():
    async with operator_over(*ONE_NODE) as (api, _):
        await full(api)
        create_urgent(api, "a", "b")
        await until(lambda: is_placed(api))

        assert not is_job_placed(api, "cold")
        assert condition(api, "cold", "Preempted")[0] == "True"
        assert sorted(it["metadata"]["name"] for it in bound(api) if it["metadata"]["name"] in "ab") == ["a", "b"]


@pytest.mark.parametrize("priority", ["patient", ""])
async def test_gang_job_stays_for_pods_that_preempt_nothing(priority):
    async with operator_over(*ONE_NODE) as (api, _):
        await full(api)
        create_urgent(api, "a", "b", priority=priority)
        await asyncio.sleep(300)

        assert is_job_placed(api, "cold")


@pytest.mark.parametrize(
    "says",
    [
        pytest.param({"preemptionPolicy": "Never"}, id="the Gang"),
        pytest.param({"pods": {"preemptionPolicy": "Never"}}, id="its pods"),
    ],
)
async def test_gang_job_stays_for_a_gang_that_says_itself_that_it_preempts_nothing(says):
    async with operator_over(*ONE_NODE) as (api, _):
        await full(api)
        create_urgent(api, "a", "b", **says)
        await asyncio.sleep(300)

        assert is_job_placed(api, "cold")


async def test_gang_job_stays_while_bindings_are_refused():
    async with operator_over(*ONE_NODE) as (api, _):
        await full(api)
        api.fault = lambda it: REFUSED if (it.verb, it.resource) == (DRY_RUN, BINDING) else None
        create_urgent(api, "a", "b")
        await asyncio.sleep(300)

        assert is_job_placed(api, "cold")
        assert len(bindings(api, DRY_RUN)) < 10
        api.fault = lambda _: None
        await until(lambda: is_placed(api))


async def test_gang_job_stays_while_the_list_of_hosts_is_in_the_way():
    place = Place("configmaps", DEFAULT, "heat.hosts")
    async with operator_over(*ONE_NODE) as (api, _):
        await full(api)
        api.store.create("configmaps", {"metadata": {"name": place.name, "namespace": DEFAULT}})
        create_urgent(api, "a", "b", hosts="ConfigMap")
        await asyncio.sleep(300)

        assert is_job_placed(api, "cold")
        api.store.remove(place)
        await until(lambda: is_placed(api))


async def test_gang_job_stays_while_pods_are_missing():
    async with operator_over(*ONE_NODE) as (api, _):
        await full(api)
        create_urgent(api, "a", "b", least=3)
        await asyncio.sleep(300)

        assert is_job_placed(api, "cold")
        assert message(api, "Planned").startswith("2 of the 3 needed pods")


async def test_next_process_knows_for_which_gang_another_gave_way():
    async with api_with(*ONE_NODE) as api:
        async with running_operator(api):
            await full(api)
            api.lingers = True
            create_urgent(api, "a", "b")
            await until(lambda: condition(api, "cold", "Preempted"))
        async with running_operator(api) as parts:
            await asyncio.sleep(1)
            [cold] = [key for key in parts.state.gangs if key.name == "cold"]
            preemptor = parts.state.giving_way.evicted.preemptor_of(cold)
            assert (preemptor.namespace, preemptor.name) == (DEFAULT, "gang/heat")
