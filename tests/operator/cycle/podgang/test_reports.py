"""What is wrong with a Gang is said about the owner of its pods, once."""

import asyncio

import pytest

from builders.served import metadata, node, priority_class
from fake_cluster.jumping import until
from fake_cluster.owners import create_owner, group_pod, reference
from fake_cluster.rig import DEFAULT, api_with, running_operator
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

BOTH = frozenset({Source.PODS, Source.JOB, Source.LEADER_WORKER_SET})
JOB = reference("batch/v1", "Job", "heat")
OWN = {"lockstep.dev/member-of": "heat"}
MINUTES = 60


def create_job(api, size, **annotations):
    """A Job of so many pods, none of which is there yet."""
    place = create_owner(api, "jobs", "heat", spec={"parallelism": size})
    api.store.change(place, metadata={"annotations": annotations})


def create_pods(api, *names, priority="", labels=None, owner=JOB):
    """Create pods now."""
    for name in names:
        made = group_pod(name, owner=owner, labels=labels, cpu="1")
        del made["metadata"]["creationTimestamp"]
        made["spec"]["priorityClassName"] = priority
        api.store.create("pods", made)


def condition(api, gang, kind):
    """A condition of a Gang; empty while there is none."""
    found = api.store.get(Place("gangs", DEFAULT, gang)) or {}
    conditions = found.get("status", {}).get("conditions", [])
    return next((one for one in conditions if one["type"] == kind), {})


def said(api, kind):
    """The reasons and notes of the events about objects of a kind."""
    events = [one for one in api.store.objects("events") if one["regarding"]["kind"] == kind]
    return [(one["regarding"]["name"], one["regarding"]["uid"], one["reason"], one["note"]) for one in events]


async def refused_job(api):
    """A Job whose Gang is refused for an annotation, and an operator that has said so."""
    create_job(api, 2, **{"lockstep.dev/size": "many"})
    create_pods(api, "a", "b")
    async with running_operator(api, sources=BOTH):
        await until(lambda: said(api, "Job"))


async def test_annotation_that_is_no_value_is_said_about_the_job():
    async with api_with() as api:
        await refused_job(api)

        [(name, uid, reason, note)] = said(api, "Job")
        assert (name, uid, reason) == ("heat", "uid-of-heat", "InvalidSpec")
        assert note == condition(api, "job.heat", "Accepted")["message"]


async def test_next_process_does_not_say_it_again():
    async with api_with() as api:
        await refused_job(api)
        async with running_operator(api, sources=BOTH):
            await asyncio.sleep(10 * MINUTES)

        assert len(said(api, "Job")) == 1


async def test_pods_that_cant_be_planned_together_are_said_about_the_job():
    async with api_with() as api, running_operator(api, sources=BOTH):
        api.store.create("priorityclasses", priority_class("urgent", 100))
        create_job(api, 2)
        create_pods(api, "a")
        create_pods(api, "b", priority="urgent")
        await until(lambda: said(api, "Job"))

        [(_, _, reason, note)] = said(api, "Job")
        assert reason == "InvalidSpec"
        assert "All pods of a Gang have one priority" in note


async def test_why_the_pods_of_a_job_wait_is_said_about_the_job_once():
    async with api_with(node("n1", cpu="1")) as api, running_operator(api, sources=BOTH):
        create_job(api, 2)
        create_pods(api, "a", "b")
        await until(lambda: said(api, "Job"))
        planned = condition(api, "job.heat", "Planned")["message"]
        # The numbers in the reason change.
        api.store.create("nodes", node("n2", cpu="500m"))
        await asyncio.sleep(10 * MINUTES)

        [(name, uid, reason, note)] = said(api, "Job")
        assert (name, uid, reason) == ("heat", "uid-of-heat", "GangUnplaceable")
        assert note == f"Its pods wait. {planned}"
        assert said(api, "Pod") == []


async def test_nothing_is_said_about_a_job_whose_pods_are_placed_at_once():
    async with api_with() as api, running_operator(api, sources=BOTH):
        create_job(api, 2)
        create_pods(api, "a", "b")
        await until(lambda: condition(api, "job.heat", "Placed").get("status") == "True")
        await asyncio.sleep(MINUTES)

        assert said(api, "Job") == []


async def test_groups_of_one_owner_say_their_problem_once():
    async with api_with() as api, running_operator(api, sources=BOTH):
        place = create_owner(api, "leaderworkersets", "heat", spec={"leaderWorkerTemplate": {"size": 1}})
        api.store.change(place, metadata={"annotations": {"lockstep.dev/size": "many"}})
        for group in "01":
            labels = {"leaderworkerset.sigs.k8s.io/name": "heat", "leaderworkerset.sigs.k8s.io/group-index": group}
            create_pods(api, f"p{group}", labels=labels, owner=None)
            await until(lambda of=group: condition(api, f"leaderworkerset.heat.{of}", "Accepted"))
            await asyncio.sleep(MINUTES)

        assert [name for name, *_ in said(api, "LeaderWorkerSet")] == ["heat"]


async def test_gang_that_stays_incomplete_is_said_about_its_job_after_some_minutes():
    async with api_with() as api, running_operator(api, sources=BOTH):
        create_job(api, 3)
        create_pods(api, "a", "b")
        await asyncio.sleep(4 * MINUTES)
        planned = condition(api, "job.heat", "Planned")
        assert planned["reason"] == "AwaitsPods"
        assert planned["message"] == ("2 of the 3 needed pods wait for a node, the first since 2027-01-15T08:00:00Z.")
        assert said(api, "Job") == []

        await asyncio.sleep(3 * MINUTES)
        [(_, _, reason, note)] = said(api, "Job")
        assert reason == condition(api, "job.heat", "Planned")["reason"] == "PodsMissing"
        assert note == f"Gang job.heat is not complete: {planned['message']}"

        create_pods(api, "c")
        await until(lambda: condition(api, "job.heat", "Placed").get("status") == "True")
        assert len(said(api, "Job")) == 1


async def test_gang_that_stays_incomplete_for_long_says_so_once_in_all_processes():
    async with api_with() as api:
        create_job(api, 3)
        for name in "ab":
            create_pods(api, name)
            async with running_operator(api, sources=BOTH):
                await asyncio.sleep(10 * MINUTES)

        assert condition(api, "job.heat", "Planned")["message"].startswith("2 of the 3")
        assert [reason for _, _, reason, _ in said(api, "Job")] == ["PodsMissing"]


async def test_gang_of_a_user_that_stays_incomplete_is_said_about_a_pod():
    async with api_with() as api, running_operator(api, sources=BOTH):
        about = metadata("heat", namespace=DEFAULT, generation=1)
        api.store.create("gangs", {"metadata": about, "spec": {"size": {"min": 3}}})
        create_pods(api, "a", labels=OWN)
        await asyncio.sleep(10 * MINUTES)

        assert [(name, reason) for name, _, reason, _ in said(api, "Pod")] == [("a", "PodsMissing")]
