"""Nothing of a gang stays in memory once its objects are gone and the next plan is made, whatever it has done."""

import asyncio

import pytest

from builders.served import gang, metadata, node
from coschedule import GangKey
from fake_cluster.elastic import elastic
from fake_cluster.elastic import run as run_elastic
from fake_cluster.jumping import until
from fake_cluster.kueue import admit, create_check, create_workload, give_quota, in_queue, workload_of
from fake_cluster.owners import group_pod
from fake_cluster.pod_gangs import create as create_gang
from fake_cluster.pod_gangs import is_placed as is_gang_placed
from fake_cluster.remembered import remembered
from fake_cluster.rig import (
    DEFAULT,
    api_with,
    condition,
    gang_place,
    is_placed,
    pods_of,
    running_operator,
    set_phases,
    status_of,
)
from fake_cluster.store import Place
from fake_cluster.sweeps import ending, status, sweep
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

SOURCES = frozenset({Source.PODS, Source.SINGLE, Source.JOB, Source.SIZED_JOB, Source.WORKLOAD})
# Longer than a failed write waits for its next attempt.
WHILE = 90


def is_of_heat(value):
    """Whether a value is the name of the gang, or the UID of an object of it."""
    if isinstance(value, GangKey):
        return "heat" in value.name
    return isinstance(value, str) and value.startswith("uid-of-") and "heat" in value


def gang_job(api, **more):
    api.store.create("gangjobs", gang("heat", size=1, cpu="1", **more))


def queued_job(api, size="2-6", **labels):
    template = {"metadata": {}, "spec": group_pod("x", cpu="1")["spec"]}
    about = metadata("heat", namespace=DEFAULT, uid="uid-of-job-heat", labels=labels)
    about["annotations"] = {"lockstep.dev/size": size}
    wanted = {"suspend": True, "parallelism": 1, "completions": 1, "completionMode": "Indexed", "template": template}
    api.store.create("jobs", {"metadata": about, "spec": wanted})


async def waits(api, parts):
    gang_job(api, spec={"size": {"min": 50, "max": 50}})
    await until(lambda: GangKey(DEFAULT, "heat") in parts.state.gangs)


async def runs(api, _):
    gang_job(api)
    await until(lambda: is_placed(api, "heat"))


async def ends(api, _):
    gang_job(api, spec={"work": {"serialTime": "10m"}})
    await until(lambda: is_placed(api, "heat"))
    set_phases(api, "heat", "Running")
    await asyncio.sleep(WHILE)
    set_phases(api, "heat", "Succeeded")
    await until(lambda: condition(api, "heat", "Complete") == ("True", "Succeeded"))


async def grows(api, _):
    api.store.create("gangjobs", gang("first", size=7, cpu="1", spec={"work": {"serialTime": "400h"}}))
    await until(lambda: is_placed(api, "first"))
    await run_elastic(api, elastic("heat", mode="Members"), "heat")
    api.store.remove(gang_place("first"))
    await until(lambda: len(pods_of(api, "heat")) > 1)
    set_phases(api, "heat", "Running")
    await until(lambda: "seconds" in status_of(api, "heat").get("lastChange", {}))


async def is_a_sweep(api, _):
    async with ending(api):
        api.store.create("gangsweeps", sweep("heat", runs=3, template=gang("x", size=1, cpu="1")["spec"]))
        await until(lambda: status(api, Place("gangsweeps", DEFAULT, "heat")).get("state") == "Complete")


async def has_pods_of_others(api, _):
    create_gang(api, "a", "b", cpu="1")
    await until(lambda: is_gang_placed(api))


async def waits_in_a_queue(api, _):
    create_check(api)
    queued_job(api, **{"kueue.x-k8s.io/queue-name": "team"})
    await until(lambda: api.store.get(Place("jobs", DEFAULT, "heat"))["spec"]["parallelism"] > 1)


async def waits_in_a_queue_for_room(api, parts):
    create_check(api)
    queued_job(api, "50-60", **{"kueue.x-k8s.io/queue-name": "team"})
    await until(lambda: parts.state.pod_gangs.queued_owners.any_known)
    await asyncio.sleep(WHILE)


async def runs_with_quota(api, _):
    api.store.create("resourceflavors", {"metadata": {"name": "plain"}, "spec": {}})
    api.store.create("gangjobs", in_queue(gang("heat", size=1, cpu="1")))
    await until(lambda: workload_of(api, "heat"))
    admit(api, "heat")
    await until(lambda: is_placed(api, "heat"))


async def has_a_workload(api, _):
    create_check(api)
    create_workload(api, "heat")
    give_quota(api, "heat")
    await asyncio.sleep(WHILE)


LIVES = [
    waits,
    runs,
    ends,
    grows,
    is_a_sweep,
    has_pods_of_others,
    waits_in_a_queue,
    waits_in_a_queue_for_room,
    runs_with_quota,
    has_a_workload,
]


@pytest.mark.parametrize("life", LIVES)
async def test_nothing_of_a_gang_is_remembered_once_it_is_gone(life):
    async with api_with(node("n1", cpu="8")) as api, running_operator(api, sources=SOURCES, sweeps=True) as parts:
        await life(api, parts)
        assert remembered(parts, is_of_heat)
        for resource in ("jobs", "gangsweeps", "gangjobs", "gangs", "workloads", "pods"):
            for one in api.store.objects(resource):
                about = one["metadata"]
                api.store.remove(Place(resource, about["namespace"], about["name"]))
        api.store.create("gangjobs", gang("next", size=1, cpu="1"))
        await until(lambda: is_placed(api, "next"))
        await asyncio.sleep(WHILE)
        assert remembered(parts, is_of_heat) == []
