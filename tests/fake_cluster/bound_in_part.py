"""Gangs that are bound in part on a fake API server: the owner of their pods, and what is said of it."""

from contextlib import asynccontextmanager
from functools import partial

from fake_cluster.api import REFUSED
from fake_cluster.owners import controlled, create_owner, group_pod, reference
from fake_cluster.pod_gangs import BINDING
from fake_cluster.rig import DEFAULT, running_operator
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source

MARK = "lockstep.dev/suspended-by"
MARKED_FOR = "lockstep.dev/suspended-for"
JOB = reference("batch/v1", "Job", "heat")
HEAT = Place("jobs", DEFAULT, "heat")


def refuses(*refused):
    """No binding to one of the first pods is made, if it is real."""
    return lambda it: REFUSED if (it.verb, it.resource) == ("POST", BINDING) and it.name in refused else None


@asynccontextmanager
async def operator(api, sources=frozenset(Source)):
    """An operator with these sources."""
    async with running_operator(api, sources=sources) as parts:
        yield parts


@asynccontextmanager
async def job_bound_in_part(api, **job):
    """A Job of three pods, of which two are bound; the binding of the other is refused for good."""
    api.fault = refuses("heat-1")
    place = create_owner(api, "jobs", "heat", spec={"parallelism": 3}, **job)
    async with controlled(api, place, partial(group_pod, owner=JOB), 3) as made:
        yield made


def mark_of(api, place):
    """The label of an object that says who has suspended it; None where there is none."""
    return api.store.get(place)["metadata"].get("labels", {}).get(MARK)


def placed(api):
    """The Gangs whose status says that they are placed."""
    gangs = api.store.objects("gangs")
    return [one for one in gangs for it in one.get("status", {}).get("conditions", []) if _says_placed(it)]


def _says_placed(condition):
    return (condition["type"], condition["status"]) == ("Placed", "True")


def message(api):
    """What the Gang's condition Placed says; empty while there is none."""
    conditions = [it for gang in api.store.objects("gangs") for it in gang.get("status", {}).get("conditions", [])]
    return next((it["message"] for it in conditions if it["type"] == "Placed"), "")
