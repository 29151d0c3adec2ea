"""A Job that fills a node of a fake API server, and gangs that are more urgent."""

from contextlib import asynccontextmanager
from functools import partial

from builders.served import gang, node, pod, priority_class
from fake_cluster.jumping import until
from fake_cluster.owners import controlled, create_owner, reference
from fake_cluster.pod_gangs import bound
from fake_cluster.rig import DEFAULT
from fake_cluster.store import Place

JOB = reference("batch/v1", "Job", "heat")
HEAT = Place("jobs", DEFAULT, "heat")
JOB_GANG = Place("gangs", DEFAULT, "job.heat")
ONE_NODE = (node("n1", cpu="2"),)
TEMPLATE = {"spec": {"schedulerName": "lockstep"}}
# For so long, nothing may happen.
LONG_SECONDS = 300
# For so long, an owner that can not be suspended is not asked about again.
REMEMBERED_SECONDS = 600


def yielding_pod(name, *, owner=JOB, labels=None, priority=0, grace=30):
    """A pod of one CPU that names Lockstep as its scheduler."""
    spec = {"schedulerName": "lockstep", "priority": priority, "terminationGracePeriodSeconds": grace}
    owners = {"ownerReferences": [owner]} if owner else {}
    return pod(name, cpu="1", spec=spec, labels=labels or {}, **owners)


def create_classes(api):
    """The classes of urgent gangs: of one that preempts, and of one that does not."""
    for one in (priority_class("urgent", 100), priority_class("patient", 100, policy="Never")):
        api.store.create("priorityclasses", one)


@asynccontextmanager
async def running_job(api, *, size=2, template=TEMPLATE, priority=0, grace=30, **job):
    """A Job whose pods are on nodes; yields the names of all pods that its controller makes."""
    create_classes(api)
    create_owner(api, "jobs", "heat", spec={"parallelism": size, "template": template}, **job)
    async with controlled(api, HEAT, partial(yielding_pod, priority=priority, grace=grace), size) as made:
        await until(lambda: is_job_placed(api, size))
        yield made


def is_job_placed(api, size=2):
    """Whether so many pods of the Job are on nodes, and its Gang says that they were placed."""
    return len(of_job(api)) == size and gang_condition(api, "Placed") == ("True", "Bound")


def of_job(api):
    """The pods of the Job that are on nodes."""
    return [it["metadata"]["name"] for it in bound(api) if it["metadata"]["name"].startswith("heat-")]


def gang_condition(api, kind, place=JOB_GANG):
    """(status, reason) of a condition of the Job's Gang; None where there is none."""
    found = api.store.get(place) or {}
    conditions = found.get("status", {}).get("conditions", [])
    return next(((one["status"], one["reason"]) for one in conditions if one["type"] == kind), None)


def urgent_gang(name="hot", *, size=2, of="urgent"):
    """A GangJob of that class, whose members need one CPU each."""
    return gang(name, size=size, spec={"priorityClassName": of})


def notes(api, reason):
    """What events with that reason say, by the kind that they are about."""
    found = [one for one in api.store.objects("events") if one["reason"] == reason]
    return [(one["regarding"]["kind"], one["note"]) for one in found]


def suspensions(api):
    """How often the Job was suspended."""
    return len(notes(api, "OwnerSuspended"))
