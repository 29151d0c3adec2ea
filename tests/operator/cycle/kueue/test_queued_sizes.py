"""Jobs in queues of Kueue get their size before their Workload has quota; Kueue resumes them."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.served import gang, metadata, node
from fake_cluster.api import DRY_RUN, REFUSED
from fake_cluster.jumping import now, until
from fake_cluster.kueue import NODES, create_workload, entry_of, give_quota, kueue, place_of, queued
from fake_cluster.owners import group_pod
from fake_cluster.pod_gangs import bound
from fake_cluster.rig import DEFAULT, api_with, running_operator
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

QUEUE = {"kueue.x-k8s.io/queue-name": "team"}
SOURCES = frozenset({Source.JOB, Source.SIZED_JOB, Source.WORKLOAD})


@asynccontextmanager
async def operated(*nodes):
    async with queued(*(nodes or NODES)) as api, running_operator(api, sources=SOURCES) as parts:
        yield api, parts


def create_job(api, name="heat", *, size="2-6", annotations=None, labels=QUEUE, namespace=DEFAULT, uid=None, **spec):
    """Create a suspended Job in a queue, whose pods take one processor each."""
    template = {"metadata": {}, "spec": group_pod("x", cpu="1")["spec"]}
    about = metadata(name, namespace=namespace, uid=uid or f"uid-of-job-{name}", labels=labels)
    about["annotations"] = {"lockstep.dev/size": size, **(annotations or {})}
    wanted = {"suspend": True, "parallelism": 1, "completions": 1, "completionMode": "Indexed", "template": template}
    api.store.create("jobs", {"metadata": about, "spec": {**wanted, **spec}})


def job(api, name="heat", namespace=DEFAULT):
    return api.store.get(Place("jobs", namespace, name))


def numbers(api, name="heat", namespace=DEFAULT):
    spec = job(api, name, namespace)["spec"]
    return spec["parallelism"], spec["completions"], spec["suspend"]


def notes(api, reason):
    return [one["note"] for one in api.store.objects("events") if one["reason"] == reason]


def own(api, name="heat"):
    """Have the Job own the Workload, as Kueue does."""
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": f"uid-of-job-{name}", "controller": True}
    api.store.change(place_of(name), metadata={"ownerReferences": [owner]})


async def test_job_gets_its_size_stays_suspended_and_has_no_gang():
    async with operated() as (api, _):
        create_job(api)
        await until(lambda: numbers(api) == (4, 4, True))

        assert notes(api, "SizeChosen") == ["It gets 4 pods; 2 to 6 are allowed. Kueue decides when to admit them."]
        assert api.store.objects("gangs") == []
        said = job(api)["metadata"]["annotations"]
        assert said["lockstep.dev/sized"] == "4"
        # With less quota, Kueue may admit fewer.
        assert said["kueue.x-k8s.io/job-min-parallelism"] == "2"
        assert said["kueue.x-k8s.io/job-completions-equal-parallelism"] == "true"
        assert job(api)["spec"]["template"]["metadata"] == {}


async def test_size_is_chosen_behind_all_gangs_and_takes_no_room_from_them():
    async with operated() as (api, _):
        work = {"work": {"serialTime": "10m"}}
        api.store.create("gangjobs", gang("first", size=1, cpu="1", spec=work))
        create_job(api, annotations={"lockstep.dev/serial-time": "1h"})
        api.store.create("gangjobs", gang("last", size=3, cpu="1", spec=work))
        await until(lambda: numbers(api)[0] > 1)
        await until(lambda: len([pod for pod in api.store.objects("pods") if pod["spec"].get("nodeName")]) == 4)


async def test_job_without_room_gets_a_size_when_there_is_some():
    async with operated(node("n1", cpu="1")) as (api, _):
        create_job(api)
        await asyncio.sleep(60)
        assert numbers(api) == (1, 1, True)

        api.store.add("nodes", node("n2", cpu="2"))
        await until(lambda: numbers(api) == (3, 3, True))


async def test_job_that_has_had_its_turn_gets_another_when_there_is_room():
    async with operated(node("n1", cpu="1")) as (api, _):
        # More than one plan considers, and all have had their turn.
        for number in range(30):
            create_job(api, f"vain-{number}", size="500-600")
        create_job(api)
        await asyncio.sleep(60)

        api.store.add("nodes", node("n2", cpu="2"))
        await until(lambda: numbers(api) == (3, 3, True))


async def test_job_gets_no_more_pods_than_it_has_completions():
    async with operated() as (api, _):
        create_job(api, completions=3, completionMode="NonIndexed")
        create_job(api, "vain", completionMode="NonIndexed")
        await until(lambda: numbers(api) == (3, 3, True))
        await until(lambda: notes(api, "SizeNotChosen"))

        assert "its range begins at 2 pods, which its completions do not allow" in notes(api, "SizeNotChosen")[0]
        assert numbers(api, "vain") == (1, 1, True)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"suspend": False}, id="runs"),
        pytest.param({"annotations": {"lockstep.dev/sized": "1"}}, id="has its size"),
        pytest.param({"size": "1-0"}, id="no range"),
    ],
)
async def test_other_jobs_in_queues_keep_their_size(other):
    async with operated() as (api, _):
        create_job(api, **other)
        await asyncio.sleep(60)

        assert numbers(api)[:2] == (1, 1)
        assert [it for it in api.writes if it.resource == "jobs"] == []


async def test_workload_waits_until_its_job_has_a_size():
    async with operated(node("n1", cpu="1")) as (api, _):
        create_job(api)
        create_workload(api, "heat", ("main", 1, "1"))
        own(api)
        give_quota(api)
        say = "It has no Gang: Lockstep has not chosen the number of pods of Job heat yet."
        await until(lambda: entry_of(api).get("message") == say)
        assert entry_of(api)["state"] == "Pending"
        assert bound(api) == []

        api.store.add("nodes", node("n2", cpu="2"))
        await until(lambda: numbers(api) == (3, 3, True))
        # Kueue makes another Workload then.
        api.store.remove(place_of("heat"))
        create_workload(api, "heat", ("main", 3, "1"))
        own(api)
        give_quota(api)
        async with kueue(api):
            await until(lambda: len(bound(api)) == 3)


async def test_refusals_are_said_at_the_job_and_later_it_gets_its_size():
    def fault(it):
        return REFUSED if (it.verb, it.resource) == (DRY_RUN, "pods") else None

    async with operated() as (api, _):
        api.fault = fault
        create_job(api)
        await until(lambda: notes(api, "SizeNotChosen"))
        assert "can't be chosen" in notes(api, "SizeNotChosen")[0]
        api.fault = lambda _: None
        await until(lambda: numbers(api) == (4, 4, True))


async def test_size_that_can_not_be_written_is_tried_again_more_and_more_seldom():
    def fault(it):
        return REFUSED if (it.verb, it.resource) == ("PATCH", "jobs") else None

    async with operated() as (api, _):
        api.fault = fault
        create_job(api)
        await asyncio.sleep(100)
        assert 1 <= len([it for it in api.writes if it.resource == "jobs"]) <= 10
        [said] = notes(api, "SizeNotChosen")
        assert said.startswith("Its number of pods can't be chosen: Job heat can't be changed to 4 pods: ")
        api.fault = lambda _: None
        await until(lambda: numbers(api) == (4, 4, True))


@asynccontextmanager
async def taking_back(api):
    """Another controller writes the Job as it was submitted whenever it has a size; yields when it did so."""
    times = []

    async def control():
        changes = api.store.watch("jobs", api.store.version)
        while len(times) < 50:
            if numbers(api) != (1, 1, True):
                times.append(now())
                take_back(api)
            await changes.get()

    task = asyncio.create_task(control())
    yield times
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def take_back(api):
    """Write the Job as it was submitted."""
    annotations = {"lockstep.dev/size": "2-6"}
    spec = {"suspend": True, "parallelism": 1, "completions": 1}
    api.store.change(Place("jobs", DEFAULT, "heat"), metadata={"annotations": annotations}, spec=spec)


async def test_size_that_another_controller_takes_back_at_once_is_given_again_more_and_more_seldom():
    async with operated() as (api, _):
        create_job(api)
        async with taking_back(api) as times:
            await asyncio.sleep(60)
            assert 2 <= len(times) <= 7
            await asyncio.sleep(600)
            assert len(times) <= 17
            assert len([it for it in api.writes if it.resource == "jobs"]) == len(times)
        await until(lambda: numbers(api) == (4, 4, True))


async def test_size_that_is_taken_back_once_is_given_again_soon():
    async with operated() as (api, _):
        create_job(api)
        for kept in (1, 700, 700):
            await until(lambda: numbers(api) == (4, 4, True), seconds=3)
            await asyncio.sleep(kept)
            take_back(api)


async def test_next_job_of_that_name_gets_its_size_at_once():
    async with operated() as (api, _):
        create_job(api)
        async with taking_back(api):
            await asyncio.sleep(300)
        api.store.remove(Place("jobs", DEFAULT, "heat"))
        create_job(api, uid="another")
        await until(lambda: numbers(api) == (4, 4, True), seconds=3)


async def test_job_with_the_name_of_a_gang_of_a_user_says_so_and_gets_its_size_once_that_is_gone():
    async with operated() as (api, _):
        of_user = {"metadata": metadata("job.heat", namespace=DEFAULT, generation=1), "spec": {"size": {"min": 1}}}
        api.store.create("gangs", of_user)
        create_job(api)
        await until(lambda: notes(api, "SizeNotChosen"))
        assert "Gang job.heat exists already" in notes(api, "SizeNotChosen")[0]
        api.store.remove(Place("gangs", DEFAULT, "job.heat"))
        await until(lambda: numbers(api) == (4, 4, True))


async def test_job_that_changes_before_its_size_is_written_is_planned_as_it_is():
    async with operated() as (api, _):
        changes = iter(range(2))

        def fault(it):
            if (it.verb, it.resource) == ("PATCH", "jobs") and next(changes, None) is not None:
                api.store.change(Place("jobs", DEFAULT, "heat"), metadata={"annotations": {"lockstep.dev/size": "2-3"}})

        api.fault = fault
        create_job(api)
        await until(lambda: numbers(api) == (3, 3, True))


async def test_jobs_that_fit_nowhere_keep_none_of_another_tenant_waiting():
    async with operated() as (api, _):
        for number in range(60):
            create_job(api, f"vain-{number}", size="500-600")
        create_job(api, "heat", namespace="others")
        await until(lambda: numbers(api, "heat", "others") == (4, 4, True))

        create_job(api, "late", namespace="others")
        await until(lambda: numbers(api, "late", "others") == (4, 4, True))


async def test_next_operator_gives_sizes_to_those_that_have_none():
    async with api_with(*NODES) as api:
        create_job(api)
        async with running_operator(api, sources=SOURCES):
            await until(lambda: numbers(api) == (4, 4, True))


async def test_job_that_is_deleted_is_forgotten():
    async with operated(node("n1", cpu="1")) as (api, parts):
        create_job(api)
        await until(lambda: parts.state.pod_gangs.queued_owners.any_known)
        api.store.remove(Place("jobs", DEFAULT, "heat"))
        await until(lambda: not parts.state.pod_gangs.queued_owners.any_known)
