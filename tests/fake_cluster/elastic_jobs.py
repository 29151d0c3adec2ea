"""An Indexed Job on a fake API server that the operator has given a size, and may give another one while it runs."""

import asyncio
import itertools
from contextlib import asynccontextmanager

from builders.served import metadata, node
from fake_cluster.jumping import MIDDAY, until
from fake_cluster.owners import group_pod, reference, says_suspended
from fake_cluster.pod_gangs import bound
from fake_cluster.rig import DEFAULT
from fake_cluster.store import Place
from lockstep.api.quantities import rfc3339
from lockstep.facts.gang.source import Source

HEAT = Place("jobs", DEFAULT, "heat")
GANG = Place("gangs", DEFAULT, "job.heat")
SOURCES = frozenset({Source.JOB, Source.SIZED_JOB})
SMALL = (node("n1", cpu="2"), node("n2", cpu="2"))
"""Two nodes, each for two pods of the Job."""
THIRD = node("n3", cpu="2")
ELASTIC = {"lockstep.dev/size": "2-6", "lockstep.dev/elastic": "Members"}
LONG = {"lockstep.dev/serial-time": "400h"}
_INDEX = "batch.kubernetes.io/job-completion-index"
_TURN_SECONDS = 0.5


def create_job(api, *, annotations=None, uid="uid-of-heat", ports=(), **spec):
    """Create a suspended Job with a range, whose size may change while it runs; its pods take one processor."""
    template = {"metadata": {}, "spec": group_pod("x", cpu="1")["spec"]}
    template["spec"]["containers"][0]["ports"] = list(ports)
    about = metadata("heat", namespace=DEFAULT, uid=uid, annotations={**ELASTIC, **(annotations or {})})
    wanted = {"suspend": True, "parallelism": 1, "completions": 1, "completionMode": "Indexed", "template": template}
    api.store.create("jobs", {"metadata": about, "spec": {**wanted, **spec}})


def numbers(api):
    """How many pods the Job makes, how many completions it needs, and the size that the operator has given it."""
    job = api.store.get(HEAT)
    annotations = job["metadata"].get("annotations") or {}
    return job["spec"]["parallelism"], job["spec"]["completions"], annotations.get("lockstep.dev/sized")


def status(api):
    """The status of the Job's Gang."""
    return (api.store.get(GANG) or {}).get("status", {})


def placed(api):
    """The indexes of the Job's pods that are on nodes, and where."""
    return {int(it["metadata"]["labels"][_INDEX]): it["spec"]["nodeName"] for it in bound(api) if _is_of_job(it)}


def has_size(api, size):
    """Whether the Job has so many pods, all run, and no change is under way."""
    pods = sum(_is_of_job(it) for it in api.store.objects("pods"))
    started = sum(_is_of_job(it) and "startTime" in it["status"] for it in api.store.objects("pods"))
    is_quiet = "next" not in status(api) and "reservedAt" not in status(api)
    return is_quiet and numbers(api) == (size, size, str(size)) and len(placed(api)) == pods == started == size


@asynccontextmanager
async def indexed(api):
    """The controller of Jobs: a pod for each index of the Job heat, which its node starts once it is bound."""
    task = asyncio.create_task(_control(api))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def running_job(api, *, size, **job):
    """The Job runs with so many pods, and its controller is there."""
    async with indexed(api):
        create_job(api, **job)
        await until(lambda: has_size(api, size))
        yield


async def _control(api):
    changes = [api.store.watch(resource, api.store.version) for resource in ("jobs", "pods")]
    made = itertools.count()
    while True:
        _make_and_remove(api, made)
        _start(api)
        await any_of(changes)
        await asyncio.sleep(_TURN_SECONDS)


def _make_and_remove(api, made):
    """Let the Job have a pod for each index."""
    job = api.store.get(HEAT)
    wanted = 0 if job is None or says_suspended(job) else job["spec"]["parallelism"]
    pods = {int(it["metadata"]["labels"][_INDEX]): it for it in api.store.objects("pods") if _is_of_job(it)}
    for index in sorted(pods.keys() - {*range(wanted)}):
        api.store.remove(Place("pods", DEFAULT, pods[index]["metadata"]["name"]))
    for index in sorted({*range(wanted)} - pods.keys()):
        owner = {**reference("batch/v1", "Job", "heat"), "uid": job["metadata"]["uid"]}
        pod = group_pod(f"heat-{index}-{next(made)}", labels={_INDEX: str(index)}, owner=owner, cpu="1")
        api.store.create("pods", {**pod, "spec": job["spec"]["template"]["spec"]})


def _start(api):
    """Let nodes start the pods that are bound to them."""
    for pod in api.store.objects("pods"):
        if _is_of_job(pod) and pod["spec"].get("nodeName") and "startTime" not in pod["status"]:
            place = Place("pods", DEFAULT, pod["metadata"]["name"])
            api.store.change(place, status={"phase": "Running", "startTime": rfc3339(MIDDAY)})


async def any_of(queues):
    """Wait until one of these has something, and empty all."""
    gets = [asyncio.create_task(queue.get()) for queue in queues]
    try:
        await asyncio.wait(gets, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in gets:
            one.cancel()
        await asyncio.gather(*gets, return_exceptions=True)
    for queue in queues:
        while not queue.empty():
            queue.get_nowait()


def _is_of_job(pod):
    return any(one["kind"] == "Job" for one in pod["metadata"].get("ownerReferences") or ())


@asynccontextmanager
async def grown(api, third, **job):
    """The Job has grown from four to six pods, onto a third node."""
    async with running_job(api, size=4, **job):
        api.store.add("nodes", third)
        await until(lambda: has_size(api, 6))
        yield


def said(api, reason):
    """What events with that reason say, by the kind that they are about."""
    found = [one for one in api.store.objects("events") if one["reason"] == reason]
    return [(one["regarding"]["kind"], one["note"]) for one in found]


def fail(api, *, index):
    """Let the pod with that index fail; its controller makes another one."""
    for pod in api.store.objects("pods"):
        if _is_of_job(pod) and pod["metadata"]["labels"][_INDEX] == str(index):
            api.store.remove(Place("pods", DEFAULT, pod["metadata"]["name"]))


def drain(api, name):
    """Close a node, and remove the pods on it: their owner makes them anew."""
    api.store.change(Place("nodes", "", name), spec={"unschedulable": True})
    for index in [index for index, its_node in placed(api).items() if its_node == name]:
        fail(api, index=index)


def uids(api):
    """The UIDs of the Job's pods that are on nodes."""
    return {it["metadata"]["uid"] for it in bound(api) if _is_of_job(it)}


def change_pod(api, *, index, annotations):
    """Write other annotations, as a user could, to the pod with that index."""
    for pod in api.store.objects("pods"):
        if _is_of_job(pod) and pod["metadata"]["labels"][_INDEX] == str(index):
            api.store.annotate(Place("pods", DEFAULT, pod["metadata"]["name"]), annotations)
