"""Kueue on a fake API server: Workloads get quota, are admitted by their checks, and lose their quota again."""

import asyncio
from contextlib import asynccontextmanager

from builders.served import metadata, node
from fake_cluster.jumping import now, until
from fake_cluster.owners import group_pod
from fake_cluster.rig import DEFAULT, api_with
from fake_cluster.store import Place
from lockstep.api.quantities import rfc3339
from lockstep.facts.gang.source import Source

WORKLOADS = frozenset({Source.WORKLOAD})
CHECK = "placement"
MEMBER_OF = "lockstep.dev/member-of"
NODES = (node("n1", cpu="2"), node("n2", cpu="2"))
GANG = Place("gangs", DEFAULT, "workload.heat")
_TURN_SECONDS = 0.2


def create_check(api, name=CHECK, controller="lockstep.dev/placement"):
    """Create an AdmissionCheck."""
    about = metadata(name, generation=1)
    api.store.create("admissionchecks", {"metadata": about, "spec": {"controllerName": controller}})


def place_of(name):
    """Where a Workload is."""
    return Place("workloads", DEFAULT, name)


def create_workload(api, name="heat", *pods, annotations=None, **spec):
    """Create a Workload without quota. ``pods`` are (name, number, processors) of its parts; else it has three pods."""
    sets = [pod_set(*one, annotations=annotations) for one in pods or [("main", 3, "1")]]
    about = metadata(name, namespace=DEFAULT, uid=f"uid-of-{name}", generation=1)
    api.store.create("workloads", {"metadata": about, "spec": {"podSets": sets, **spec}, "status": {}})


def pod_set(name, count, cpu, *, annotations=None):
    """A part of a Workload, whose pods name Lockstep as their scheduler."""
    template = {"metadata": {"annotations": annotations or {}}, "spec": group_pod("x", cpu=cpu)["spec"]}
    return {"name": name, "count": count, "template": template}


def give_quota(api, name="heat", *, checks=(CHECK,), **counts):
    """Give a Workload quota: it waits for these checks. ``counts`` are of parts that are admitted partially."""
    workload = api.store.get(place_of(name))
    assigned = [
        {"name": one["name"], "count": counts.get(one["name"], one["count"]), "flavors": {"cpu": "plain"}}
        for one in workload["spec"]["podSets"]
    ]
    entries = [{"name": one, "state": "Pending", "message": "", "lastTransitionTime": rfc3339(now())} for one in checks]
    conditions = [condition("QuotaReserved", is_true=True)]
    status = {"admission": {"podSetAssignments": assigned}, "admissionChecks": entries, "conditions": conditions}
    api.store.change(place_of(name), status=status)


async def ready_workload(api):
    """Create a Workload, give it quota, and wait until its check is ready."""
    create_workload(api)
    give_quota(api)
    await until(lambda: state_of(api) == "Ready")


def take_quota(api, name="heat"):
    """Take the quota of a Workload, as when it is preempted or deactivated: its checks are pending again."""
    conditions = [condition("QuotaReserved", is_true=False), condition("Evicted", is_true=True)]
    status = {"admission": None, "admissionChecks": _pending(api, name), "conditions": conditions}
    api.store.change(place_of(name), status=status)


def _pending(api, name):
    """The checks of a Workload as they are before any of them has an answer."""
    entries = api.store.get(place_of(name))["status"].get("admissionChecks", [])
    return [
        {"name": one["name"], "state": "Pending", "message": "", "lastTransitionTime": rfc3339(now())}
        for one in entries
    ]


def condition(kind, *, is_true):
    """A condition of a Workload since now."""
    status = "True" if is_true else "False"
    return {"type": kind, "status": status, "reason": "Fake", "lastTransitionTime": rfc3339(now())}


def entry_of(api, name="heat", check=CHECK):
    """What a check says of a Workload."""
    entries = api.store.get(place_of(name))["status"].get("admissionChecks", [])
    return next((one for one in entries if one["name"] == check), {})


def state_of(api, name="heat", check=CHECK):
    """The state of a check of a Workload."""
    return entry_of(api, name, check).get("state")


@asynccontextmanager
async def kueue(api, name="heat", *, delay=_TURN_SECONDS):
    """Let the pods of a Workload come when its checks are ready, and take them and its quota when one says Retry.

    Yields the names of all pods that were made.
    """
    made = []
    task = asyncio.create_task(_control(api, name, made, delay))
    try:
        yield made
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _control(api, name, made, delay):
    live = []
    while True:
        await asyncio.sleep(delay)
        status = api.store.get(place_of(name))["status"]
        states = {one["state"] for one in status.get("admissionChecks", [])}
        if states == {"Ready"} and not live:
            live = _make(api, name, status, made)
        elif states and states != {"Ready"}:
            for pod in live:
                if api.store.get(Place("pods", DEFAULT, pod)):
                    api.store.remove(Place("pods", DEFAULT, pod))
            live = []
            if states & {"Retry", "Rejected"}:
                take_quota(api, name)


def _make(api, name, status, made):
    labels = {
        one["name"]: one["labels"] for check in status["admissionChecks"] for one in check.get("podSetUpdates", ())
    }
    templates = {one["name"]: one["template"]["spec"] for one in api.store.get(place_of(name))["spec"]["podSets"]}
    names = []
    for part in status["admission"]["podSetAssignments"]:
        for _ in range(part["count"]):
            pod = group_pod(f"{name}-{len(made)}", labels=labels.get(part["name"], {}))
            api.store.create("pods", {**pod, "spec": templates[part["name"]]})
            names.append(pod["metadata"]["name"])
            made.append(pod["metadata"]["name"])
    return names


def in_queue(gang, queue="team"):
    """The manifest of a GangJob with the label of a queue."""
    labels = {**gang["metadata"].get("labels", {}), "kueue.x-k8s.io/queue-name": queue}
    return {**gang, "metadata": {**gang["metadata"], "labels": labels}}


def workload_of(api, gang="g"):
    """The name of the Workload that a GangJob owns; '' while there is none."""
    owned = (it["metadata"] for it in api.store.objects("workloads") if it["metadata"].get("ownerReferences"))
    return next((it["name"] for it in owned if it["ownerReferences"][0]["name"] == gang), "")


def admit(api, gang="g", *, checks=(), **counts):
    """Give the Workload of a GangJob quota, and admit it if it waits for no checks."""
    name = workload_of(api, gang)
    give_quota(api, name, checks=checks, **counts)
    if not checks:
        set_conditions(api, name, Admitted=True, Evicted=False)


def evict(api, gang="g", reason="Preempted"):
    """Have Kueue ask for the quota of a GangJob: it has it until the operator gives it back. Its checks are pending."""
    name = workload_of(api, gang)
    api.store.change(place_of(name), status={"admissionChecks": _pending(api, name)})
    set_conditions(api, name, reason=reason, Evicted=True)


def set_conditions(api, name, *, reason="Fake", **values):
    """Set conditions of a Workload."""
    known = {one["type"]: one for one in api.store.get(place_of(name))["status"].get("conditions", [])}
    for kind, is_true in values.items():
        known[kind] = {**condition(kind, is_true=is_true), "reason": reason, "message": f"{kind} since {reason}."}
    api.store.change(place_of(name), status={"conditions": list(known.values())})


def has_quota(api, gang="g"):
    """Whether the Workload of a GangJob has quota."""
    return is_true(api, gang, "QuotaReserved")


def is_true(api, gang, kind):
    """Whether a condition of the Workload of a GangJob is True."""
    place = place_of(workload_of(api, gang))
    conditions = (api.store.get(place) or {}).get("status", {}).get("conditions", [])
    return any((one["type"], one["status"]) == (kind, "True") for one in conditions)


@asynccontextmanager
async def queued(*nodes):
    """A fake API server with our check, and the kind of all quota."""
    async with api_with(*(nodes or NODES)) as api:
        create_check(api)
        api.store.create("resourceflavors", {"metadata": {"name": "plain"}, "spec": {}})
        yield api


def gang_status(api):
    return (api.store.get(GANG) or {}).get("status", {})


def change_template(api, **spec):
    """Change the pods of the Workload heat before it has quota."""
    workload = api.store.get(place_of("heat"))
    workload["spec"]["podSets"][0]["template"]["spec"] |= spec
    api.store.replace(place_of("heat"), workload)


async def found(events, state):
    """The first entry of our check in that state, among the events of a watch of Workloads."""
    while True:
        status = (await events.get())["object"].get("status", {})
        for one in status.get("admissionChecks", []):
            if one["state"] == state:
                return one
