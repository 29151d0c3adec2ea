"""Owners of pods on a fake API server, and a controller that makes and deletes their pods."""

import asyncio
from contextlib import asynccontextmanager

from builders.served import metadata, pod
from fake_cluster.rig import DEFAULT
from fake_cluster.store import Place

# A controller does something so long after a change.
_TURN_SECONDS = 0.2


def reference(api_version, kind, name):
    """The reference to a controller of that name."""
    return {"apiVersion": api_version, "kind": kind, "name": name, "uid": f"uid-of-{name}", "controller": True}


def create_owner(api, plural, name, *, owners=(), labels=None, annotations=None, spec=None):
    """Create an owner, or an object above it."""
    said = {"labels": labels or {}, "annotations": annotations or {}}
    about = metadata(name, namespace=DEFAULT, uid=f"uid-of-{name}", ownerReferences=list(owners), **said)
    api.store.create(plural, {"metadata": about, "spec": spec or {}})
    return Place(plural, DEFAULT, name)


def is_suspended(api, place, policy=""):
    """Whether an object is suspended; ``policy`` is the field of its spec that has ``suspend``."""
    return says_suspended(api.store.get(place), policy)


def says_suspended(owner, policy=""):
    """Whether the object, as it is, is suspended."""
    spec = owner["spec"]
    return bool((spec.get(policy, {}) if policy else spec).get("suspend"))


@asynccontextmanager
async def controlled(api, place, make_pod, size, *, policy=""):
    """Let an object have so many pods while it is not suspended, and none while it is.

    ``make_pod`` is called with the number of a pod. Yields the names of all pods that were made.
    """
    made = []
    task = asyncio.create_task(_control(api, place, make_pod, size, policy, made))
    try:
        yield made
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _control(api, place, make_pod, size, policy, made):
    live = set()
    changes = api.store.watch(place.resource, api.store.version)
    while True:
        owner = api.store.get(place)
        if owner is None or says_suspended(owner, policy):
            for name in live:
                api.store.remove(Place("pods", DEFAULT, name))
            live.clear()
        while owner is not None and not says_suspended(owner, policy) and len(live) < size:
            name = f"{place.name}-{len(made)}"
            api.store.create("pods", make_pod(name))
            live.add(name)
            made.append(name)
        await changes.get()
        await asyncio.sleep(_TURN_SECONDS)


def group_labels(name, group, worker):
    """The labels of a pod of a LeaderWorkerSet; worker 0 is the leader of its group."""
    words = {"name": name, "group-index": group, "worker-index": worker}
    return {f"leaderworkerset.sigs.k8s.io/{word}": str(value) for word, value in words.items()}


def group_pod(name, *, labels=None, owner=None, cpu="4"):
    """A pod of an owner, which names Lockstep as its scheduler."""
    owners = {"ownerReferences": [owner]} if owner else {}
    return pod(name, cpu=cpu, spec={"schedulerName": "lockstep"}, labels=labels or {}, **owners)
