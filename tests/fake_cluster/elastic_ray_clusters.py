"""A RayCluster on a fake API server that the operator has given a size, and may give another one while it runs.

KubeRay is as measured with the real one. It deletes the workers that are named, whatever the number of replicas is.
Pods that are being deleted count for it until they are gone. If there are still too many, it removes any workers: here
the first ones that run, since these are the dearest.
"""

import asyncio
import itertools
from contextlib import asynccontextmanager

from builders.served import metadata, node
from fake_cluster.elastic_jobs import any_of
from fake_cluster.jumping import MIDDAY, until
from fake_cluster.owners import group_pod, reference, says_suspended
from fake_cluster.pod_gangs import bound
from fake_cluster.rig import DEFAULT
from fake_cluster.store import Place
from lockstep.api.quantities import rfc3339
from lockstep.facts.gang.source import Source

RAY = Place("rayclusters", DEFAULT, "heat")
RAY_GANG = Place("gangs", DEFAULT, "raycluster.heat")
RAY_SOURCES = frozenset({Source.RAY_CLUSTER, Source.SIZED_RAY_CLUSTER})
HEAD_NODE, *WORKER_NODES = (node("n0", cpu="4"), node("n1", cpu="2"), node("n2", cpu="2"))
"""A node that the head fills, and two nodes, each for two workers."""
MORE = node("n3", cpu="2")
# It may change its size soon after each change.
OFTEN = {"lockstep.dev/min-interval": "10s"}
ELASTIC = {"lockstep.dev/size": "3-7", "lockstep.dev/elastic": "Members"}
_GROUP = "ray.io/group"
_SLOW = "tests.lockstep.dev/slow"
# KubeRay adds it to workers.
_WAITS_FOR_HEAD = {
    "name": "wait-gcs-ready",
    "resources": {field: {"cpu": "200m", "memory": "256Mi"} for field in ("requests", "limits")},
}
_TURN_SECONDS = 0.5


def create_cluster(api, *, annotations=None, uid="uid-of-heat", head="4", memory=None, **group):
    """Create a suspended RayCluster with a range, whose size may change while it runs; a worker takes one processor."""
    about = metadata("heat", namespace=DEFAULT, uid=uid, annotations={**ELASTIC, **(annotations or {})})
    workers = {"groupName": "workers", "replicas": 1, "template": _template("1", memory), **group}
    spec = {"suspend": True, "headGroupSpec": {"template": _template(head, memory)}, "workerGroupSpecs": [workers]}
    api.store.create("rayclusters", {"metadata": about, "spec": spec})


def group_of(api):
    """The group of workers as the RayCluster has it."""
    return api.store.get(RAY)["spec"]["workerGroupSpecs"][0]


def change_group(api, **fields):
    """Change the group of workers, as its author may."""
    api.store.change(RAY, spec={"workerGroupSpecs": [{**group_of(api), **fields}]})


def replicas(api):
    """How many replicas the RayCluster has, and the size that the operator has given it."""
    annotations = api.store.get(RAY)["metadata"].get("annotations") or {}
    return group_of(api)["replicas"], annotations.get("lockstep.dev/sized")


def ray_status(api):
    """The status of the RayCluster's Gang."""
    return (api.store.get(RAY_GANG) or {}).get("status", {})


def ray_places(api):
    """The pods of the RayCluster that are on nodes, and where."""
    return {it["metadata"]["name"]: it["spec"]["nodeName"] for it in bound(api) if _is_of_ray(it)}


def nodes_of_workers(api):
    """The node of each worker that is on one, sorted."""
    return sorted(where for name, where in ray_places(api).items() if not name.startswith("head"))


def has_workers(api, workers):
    """Whether the RayCluster has so many workers and a head, all run, and no change is under way."""
    pods = [it for it in api.store.objects("pods") if _is_of_ray(it)]
    started = sum("startTime" in it["status"] for it in pods)
    is_quiet = "next" not in ray_status(api) and "reservedAt" not in ray_status(api)
    is_said = replicas(api) == (workers, str(1 + workers))
    return is_quiet and is_said and len(ray_places(api)) == len(pods) == started == 1 + workers


@asynccontextmanager
async def elastic_kuberay(api):
    """KubeRay, and the kubelets of the RayCluster's pods. Yields the workers that it has removed by its own choice."""
    unnamed = []
    task = asyncio.create_task(_control(api, unnamed))
    try:
        yield unnamed
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def begin_cluster(api):
    """Create the RayCluster, and wait until it runs with four workers; return where its pods are."""
    create_cluster(api, annotations=OFTEN)
    await until(lambda: has_workers(api, 4))
    return ray_places(api)


@asynccontextmanager
async def running_cluster(api, *, workers, **cluster):
    """The RayCluster runs with so many workers, and KubeRay is there."""
    async with elastic_kuberay(api):
        create_cluster(api, **cluster)
        await until(lambda: has_workers(api, workers))
        yield


@asynccontextmanager
async def grown_cluster(api, **cluster):
    """The RayCluster has grown from four to six workers, onto another node."""
    async with running_cluster(api, workers=4, **cluster):
        api.store.add("nodes", MORE)
        await until(lambda: has_workers(api, 6))
        yield


def drain_cluster(api, *names):
    """Close these nodes, and evict the pods of the RayCluster there: KubeRay makes them anew."""
    for name in names:
        api.store.change(Place("nodes", "", name), spec={"unschedulable": True})
    for pod in [pod for pod, where in ray_places(api).items() if where in names]:
        _delete(api, pod)


def end_slowly(api, name):
    """Ask a pod to end, which takes its kubelet longer than everything else."""
    api.store.change(
        Place("pods", DEFAULT, name), metadata={"deletionTimestamp": rfc3339(MIDDAY), "finalizers": [_SLOW]}
    )


async def _control(api, unnamed):
    changes = [api.store.watch(resource, api.store.version) for resource in ("rayclusters", "pods")]
    made = itertools.count()
    while True:
        unnamed += _make_and_remove(api, made)
        _end_and_start(api)
        await any_of(changes)
        await asyncio.sleep(_TURN_SECONDS)


def _make_and_remove(api, made):
    """Let the RayCluster have the head and the workers that its spec says; returns those that it removes unnamed."""
    unnamed = []
    cluster = api.store.get(RAY)
    is_going = cluster is not None and not says_suspended(cluster)
    wanted = {"headgroup": 1 if is_going else 0}
    group = group_of(api) if cluster is not None else {"groupName": "workers", "template": None}
    wanted[group["groupName"]] = group["replicas"] if is_going else 0
    named = set((group.get("scaleStrategy") or {}).get("workersToDelete") or ())
    for role, count in wanted.items():
        there = sorted(name for name, of in _pods(api).items() if of == role)
        for name in named & {*there}:
            _delete(api, name)
        left = sorted((_is_ending(api, name), name) for name in there if name not in named)
        surplus = [name for _, name in left[: max(0, len(left) - count)]]
        for name in surplus:
            _delete(api, name)
        unnamed += surplus if is_going else []
        for _ in range(count - len(left)):
            template = cluster["spec"]["headGroupSpec"]["template"] if role == "headgroup" else group["template"]
            _create(api, cluster, role, template, next(made))
    return unnamed


def _create(api, cluster, role, template, number):
    name = f"{'head' if role == 'headgroup' else 'worker'}-{number:03}"
    owner = {**reference("ray.io/v1", "RayCluster", "heat"), "uid": cluster["metadata"]["uid"]}
    pod = group_pod(name, labels={"ray.io/cluster": "heat", _GROUP: role}, owner=owner)
    waits = {} if role == "headgroup" else {"initContainers": [_WAITS_FOR_HEAD]}
    api.store.create("pods", {**pod, "spec": {**template["spec"], **waits}})


def _delete(api, name):
    """Delete a pod; one on a node ends a turn later."""
    place = Place("pods", DEFAULT, name)
    if api.store.get(place)["spec"].get("nodeName"):
        api.store.change(place, metadata={"deletionTimestamp": rfc3339(MIDDAY)})
    else:
        api.store.remove(place)


def _is_ending(api, name):
    return "deletionTimestamp" in api.store.get(Place("pods", DEFAULT, name))["metadata"]


def _end_and_start(api):
    """Let kubelets end pods that are being deleted, and start those that are bound."""
    for pod in api.store.objects("pods"):
        place = Place("pods", DEFAULT, pod["metadata"]["name"])
        if _is_of_ray(pod) and "deletionTimestamp" in pod["metadata"]:
            _end(api, place, pod["metadata"].get("finalizers") or ())
        elif _is_of_ray(pod) and pod["spec"].get("nodeName") and "startTime" not in pod["status"]:
            api.store.change(place, status={"phase": "Running", "startTime": rfc3339(MIDDAY)})


def _end(api, place, finalizers):
    if _SLOW not in finalizers or replicas(api) == (4, "5"):
        api.store.remove(place)


def _pods(api):
    """The group of each pod of the RayCluster, by its name."""
    pods = [it for it in api.store.objects("pods") if _is_of_ray(it)]
    return {it["metadata"]["name"]: it["metadata"]["labels"].get(_GROUP) for it in pods}


def _is_of_ray(pod):
    return any(one["kind"] == "RayCluster" for one in pod["metadata"].get("ownerReferences") or ())


def _template(cpu, memory):
    template = {"metadata": {}, "spec": group_pod("x", cpu=cpu)["spec"]}
    if memory:
        template["spec"]["containers"][0]["resources"]["requests"]["memory"] = memory
    return template
