"""A made Gang is as its owner wants it now: whatever was written into it before, and whatever the owner has done."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.served import node, pod
from fake_cluster.jumping import until
from fake_cluster.owners import create_owner, group_pod, reference
from fake_cluster.pod_gangs import bound
from fake_cluster.rig import DEFAULT, api_with, pod_place, running_operator
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

JOB = Place("jobs", DEFAULT, "heat")
GANG = Place("gangs", DEFAULT, "job.heat")
SET = Place("jobsets", DEFAULT, "train")
WORK = {"lockstep.dev/serial-time": "1h"}
JOB_SET = "jobset.sigs.k8s.io"


@asynccontextmanager
async def operator_with(*nodes, source=Source.JOB):
    """An operator that places pods of that source on these nodes."""
    async with api_with(*nodes) as api, running_operator(api, sources=frozenset({source})):
        yield api


def create_job(api, *pods, annotations=None, **spec):
    """Create a Job that makes so many pods at once and needs as many to succeed, and these pods."""
    numbers = {"parallelism": len(pods), "completions": len(pods), **spec}
    create_owner(api, "jobs", "heat", annotations=annotations, spec={**numbers, "template": {}})
    add_pods(api, *pods)


def add_pods(api, *names):
    """Create pods of the Job, of one processor each."""
    for name in names:
        api.store.create("pods", group_pod(name, owner=reference("batch/v1", "Job", "heat"), cpu="1"))


def remove_pods(api, *names):
    for name in names:
        api.store.remove(pod_place(name))


def end_pods(api, *names):
    """Let these pods succeed."""
    for name in names:
        api.store.change(pod_place(name), status={"phase": "Succeeded"})


def block(api, cpu):
    """Put a pod of another scheduler on the only node."""
    api.store.create("pods", pod("other", node="n1", cpu=cpu, phase="Running"))


def names(api):
    """The pods of the Gang that run or will run on nodes."""
    pods = (it for it in bound(api) if it["status"]["phase"] != "Succeeded")
    return {it["metadata"]["name"] for it in pods} - {"other"}


def says(api, place=GANG):
    """Why the Gang is not planned, or when it starts."""
    conditions = (api.store.get(place) or {}).get("status", {}).get("conditions", [])
    return next((one["message"] for one in conditions if one["type"] == "Planned"), "")


def least(api, place=GANG):
    """How many pods the Gang needs together."""
    return api.store.get(place)["spec"]["size"]["min"]


async def waits_for_room(api, place=GANG):
    """Wait until the Gang is planned, and is not placed."""
    await until(lambda: "members" in says(api, place))
    assert not names(api)


async def test_job_that_takes_back_an_annotation_is_placed():
    async with operator_with(node("n1", cpu="1")) as api:
        create_job(api, "a", "b", annotations=WORK | {"lockstep.dev/overhead-per-member": "2s"})
        await waits_for_room(api)
        remove_pods(api, "a", "b")

        api.store.annotate(JOB, {"lockstep.dev/overhead-per-member": None})
        add_pods(api, "c", "d")
        api.store.create("nodes", node("n2", cpu="1"))

        await until(lambda: names(api) == {"c", "d"})
        assert api.store.get(GANG)["spec"]["work"] == {"serialTime": "1h"}


@pytest.mark.parametrize(
    "written",
    [
        pytest.param({"deadline": "1h"}, id="deadline"),
        pytest.param({"sizing": "Fastest"}, id="sizing"),
        pytest.param({"priorityClassName": "urgent"}, id="priority class"),
        pytest.param({"placement": {"onePer": "kubernetes.io/hostname"}}, id="placement"),
        pytest.param({"work": {"serialTime": "1h", "overhead": {"fixed": "1s"}}}, id="overhead"),
    ],
)
async def test_field_that_a_user_has_written_into_a_made_gang_does_not_keep_its_pods_waiting(written):
    async with operator_with(node("n1", cpu="1")) as api:
        create_job(api, "a", "b", annotations=WORK)
        await waits_for_room(api)
        remove_pods(api, "a", "b")

        api.store.change(GANG, spec=written)
        add_pods(api, "c", "d")
        api.store.create("nodes", node("n2", cpu="1"))

        await until(lambda: names(api) == {"c", "d"})
        assert api.store.get(GANG)["spec"] == {"size": {"min": 2}, "work": {"serialTime": "1h"}}


async def test_job_that_makes_more_pods_while_it_waits_is_placed_whole():
    async with operator_with(node("n1", cpu="1")) as api:
        create_job(api, "a", "b")
        await waits_for_room(api)

        api.store.change(JOB, spec={"parallelism": 4, "completions": 4})
        add_pods(api, "c", "d")
        await until(lambda: least(api) == 4)
        api.store.create("nodes", node("n2", cpu="2"))
        await asyncio.sleep(100)
        assert names(api) == set()

        api.store.create("nodes", node("n3", cpu="1"))
        await until(lambda: names(api) == {*"abcd"})


async def test_job_that_makes_more_pods_after_a_long_wait_is_placed_soon_after_it_is_read_again():
    async with operator_with(node("n1", cpu="6")) as api:
        create_job(api, "a", "b", parallelism=4, completions=4)
        # By now, the Job is read every minute.
        await asyncio.sleep(600)

        api.store.change(JOB, spec={"parallelism": 6, "completions": 6})
        add_pods(api, *"cdef")
        await until(lambda: least(api) == 6)
        await asyncio.sleep(5)

        assert names(api) == {*"abcdef"}


async def test_job_that_keeps_making_more_pods_is_read_ever_less_often():
    async with operator_with(node("n1", cpu="1")) as api:
        create_job(api, "a", "b")
        await asyncio.sleep(1)
        for size in range(3, 63):
            api.store.change(JOB, spec={"parallelism": size, "completions": size})
            add_pods(api, f"p{size}")
            await asyncio.sleep(10)

        reads = [it for it in api.requests if (it.verb, it.resource, it.name) == ("GET", "jobs", "heat")]
        # Two reads a minute, after more of them at first.
        assert len(reads) <= 30
        assert least(api) > 50


@pytest.mark.parametrize("completions", [4, 10], ids=["its last pods", "pods with more to come"])
async def test_pods_of_a_job_are_placed_together_after_others_have_succeeded(completions):
    left = "efgh"[: min(4, completions - 2)]
    async with operator_with(node("n1", cpu="4")) as api:
        create_job(api, *"abcd", completions=completions)
        await until(lambda: names(api) == {*"abcd"})
        end_pods(api, "a", "b")
        api.store.change(JOB, status={"succeeded": 2})
        remove_pods(api, "c", "d")
        block(api, cpu="3")

        add_pods(api, *left)
        await until(lambda: f"It needs {len(left)} members" in says(api))
        await asyncio.sleep(100)
        assert names(api) == set()

        remove_pods(api, "other")
        await until(lambda: names(api) == {*left})


def pods_of_set(api, job, *pods):
    """Create pods of one of the JobSet's Jobs."""
    labels = {"jobset-name": "train", "jobset-uid": "uid-of-train", "replicatedjob-name": job}
    said = {f"{JOB_SET}/{name}": value for name, value in labels.items()}
    for name in pods:
        api.store.create("pods", group_pod(name, labels=said, cpu="1"))


def replicated(name, pods, *awaited):
    """A Job of a JobSet that waits until others are complete."""
    template = {"spec": group_pod("x", cpu="1")["spec"]}
    spec = {"parallelism": pods, "completions": pods, "template": template}
    after = [{"name": one, "status": "Complete"} for one in awaited]
    return {"name": name, "replicas": 1, "dependsOn": after, "template": {"spec": spec}}


async def test_job_that_waits_until_another_is_complete_is_placed_whole():
    gang = Place("gangs", DEFAULT, "jobset.train")
    async with operator_with(node("n1", cpu="4"), source=Source.JOB_SET) as api:
        jobs = [replicated("data", 1), replicated("node", 4, "data")]
        create_owner(api, "jobsets", "train", spec={"replicatedJobs": jobs})
        pods_of_set(api, "data", "data-0")
        await until(lambda: names(api) == {"data-0"})
        end_pods(api, "data-0")
        api.store.change(SET, status={"replicatedJobsStatus": [{"name": "data", "succeeded": 1}]})
        block(api, cpu="2")

        pods_of_set(api, "node", "node-0", "node-1")
        await until(lambda: "2 of the 4 needed pods" in says(api, gang))
        pods_of_set(api, "node", "node-2", "node-3")
        await until(lambda: "It needs 4 members" in says(api, gang))
        await asyncio.sleep(100)
        assert names(api) == set()

        remove_pods(api, "other")
        await until(lambda: names(api) == {f"node-{number}" for number in range(4)})


async def test_pods_of_a_job_that_is_left_are_placed_although_the_size_counts_a_complete_one():
    gang = Place("gangs", DEFAULT, "jobset.train")
    async with operator_with(node("n1", cpu="4"), source=Source.JOB_SET) as api:
        jobs = [replicated("data", 2), replicated("node", 2)]
        create_owner(api, "jobsets", "train", annotations={"lockstep.dev/size": "4"}, spec={"replicatedJobs": jobs})
        pods_of_set(api, "data", "data-0", "data-1")
        pods_of_set(api, "node", "node-0", "node-1")
        await until(lambda: names(api) == {"data-0", "data-1", "node-0", "node-1"})
        end_pods(api, "data-0", "data-1")
        api.store.change(SET, status={"replicatedJobsStatus": [{"name": "data", "succeeded": 1}]})
        remove_pods(api, "node-0", "node-1")
        block(api, cpu="3")

        pods_of_set(api, "node", "node-2", "node-3")
        await until(lambda: "It needs 2 members" in says(api, gang))
        await asyncio.sleep(100)
        assert names(api) == set()

        remove_pods(api, "other")
        await until(lambda: names(api) == {"node-2", "node-3"})


async def test_pods_of_a_complete_job_take_no_room_from_pods_that_come_later():
    async with operator_with(node("n1", cpu="4"), source=Source.JOB_SET) as api:
        workers = {**replicated("workers", 3), "dependsOn": [{"name": "driver", "status": "Ready"}]}
        jobs = [replicated("data", 1), replicated("driver", 1, "data"), workers]
        create_owner(api, "jobsets", "train", spec={"replicatedJobs": jobs})
        pods_of_set(api, "data", "data-0")
        await until(lambda: names(api) == {"data-0"})
        end_pods(api, "data-0")
        api.store.change(SET, status={"replicatedJobsStatus": [{"name": "data", "succeeded": 1}]})
        block(api, cpu="1")

        pods_of_set(api, "driver", "driver-0")
        await asyncio.sleep(200)
        assert names(api) == set()

        remove_pods(api, "other")
        await until(lambda: names(api) == {"driver-0"})
