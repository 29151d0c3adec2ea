"""Sweeps on a fake API server, and runs whose members end."""

import asyncio
from contextlib import asynccontextmanager

from builders.served import gang, metadata
from fake_cluster.rig import DEFAULT, end, pods_of, set_phase
from fake_cluster.store import Place

SWEEP = Place("gangsweeps", DEFAULT, "s")


def sweep(name="s", *, runs=3, template=None, **spec):
    """Describe a GangSweep of so many runs, by default each of two members."""
    counted = {} if runs is None else {"runs": runs}
    return {
        "apiVersion": "lockstep.dev/v1alpha1",
        "kind": "GangSweep",
        "metadata": metadata(name, namespace=DEFAULT, generation=1),
        "spec": {**counted, "template": template or gang("x")["spec"], **spec},
    }


def parameters(text, *, name="p", immutable=True):
    """Describe a ConfigMap with the parameters of runs."""
    about = {"name": name, "namespace": DEFAULT}
    return {"kind": "ConfigMap", "metadata": about, "immutable": immutable, "data": {"parameters.csv": text}}


def status(api, place=SWEEP):
    """The status of the sweep."""
    return api.store.get(place).get("status", {})


def counts(api):
    """How many runs have succeeded and failed, by the sweep's status."""
    said = status(api)
    return said.get("succeeded", 0), said.get("failed", 0)


def run_names(api):
    """The names of the GangJobs that are there."""
    return [one["metadata"]["name"] for one in api.store.objects("gangjobs")]


def made(api, name="s"):
    """The numbers of the runs whose GangJob was created, one entry for each creation."""
    past = [it.event for it in api.store.past if it.resource == "gangjobs" and it.event["type"] == "ADDED"]
    names = [event["object"]["metadata"]["name"] for event in past]
    return sorted(int(one.removeprefix(f"{name}-")) for one in names)


@asynccontextmanager
async def ending(api, fails=lambda _name: False, seconds=2.0):
    """Let the members of each placed run end after a while: in failure where ``fails`` says so of its GangJob."""
    task = asyncio.create_task(_end_members(api, fails, seconds))
    try:
        yield
    finally:
        await end([task])


async def _end_members(api, fails, seconds):
    while True:
        for one in api.store.objects("gangjobs"):
            name = one["metadata"]["name"]
            if "reservedAt" in one.get("status", {}):
                _end_run(api, name, "Failed" if fails(name) else "Succeeded")
        await asyncio.sleep(seconds)


def _end_run(api, name, phase):
    pods = pods_of(api, name)
    if pods and all("nodeName" in pod["spec"] for pod in pods):
        for pod in pods:
            if pod["status"]["phase"] == "Pending":
                set_phase(api, pod, phase)
