"""Suspended Jobs get a size and are resumed, or stay as they are."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.served import gang, metadata, node
from fake_cluster.api import REFUSED, Refusal
from fake_cluster.jumping import until
from fake_cluster.owners import group_pod, is_suspended, reference
from fake_cluster.pod_gangs import BINDING, bound
from fake_cluster.rig import DEFAULT, api_with, is_placed, running_operator
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

HEAT = Place("jobs", DEFAULT, "heat")
JOB = reference("batch/v1", "Job", "heat")
SIZED = "lockstep.dev/sized"
SOURCES = frozenset({Source.JOB, Source.SIZED_JOB})
NODES = (node("n1", cpu="2"), node("n2", cpu="2"))


def create_job(api, name="heat", *, size="2-6", uid="uid-of-heat", annotations=None, **spec):
    """Create a suspended Job with a range, whose pods take one processor."""
    template = {"metadata": {}, "spec": group_pod("x", cpu="1")["spec"]}
    about = metadata(name, namespace=DEFAULT, uid=uid, annotations={"lockstep.dev/size": size, **(annotations or {})})
    wanted = {"suspend": True, "parallelism": 1, "completions": 1, "completionMode": "Indexed", "template": template}
    api.store.create("jobs", {"metadata": about, "spec": {**wanted, **spec}})


def spec_of(api):
    return api.store.get(HEAT)["spec"]


def sized(api):
    return api.store.get(HEAT)["metadata"]["annotations"].get(SIZED)


@asynccontextmanager
async def controller(api, *, delay=0.2):
    """The controller of Jobs: pods of the Job heat as its spec says, after a delay."""
    made, live = [], set()

    async def control():
        while True:
            await asyncio.sleep(delay)
            wanted = 0 if api.store.get(HEAT) is None or is_suspended(api, HEAT) else spec_of(api)["parallelism"]
            for name in sorted(live)[wanted:]:
                api.store.remove(Place("pods", DEFAULT, name))
                live.discard(name)
            while len(live) < wanted:
                name = f"heat-{len(made)}"
                api.store.create(
                    "pods", group_pod(name, owner={**JOB, "uid": api.store.get(HEAT)["metadata"]["uid"]}, cpu="1")
                )
                live.add(name)
                made.append(name)

    task = asyncio.create_task(control())
    try:
        yield made
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def message(api, kind="Placed"):
    conditions = [it for gang in api.store.objects("gangs") for it in gang.get("status", {}).get("conditions", [])]
    return next((it["message"] for it in conditions if it["type"] == kind), "")


async def test_job_gets_the_size_of_its_plan_and_only_so_many_pods():
    async with api_with(*NODES) as api, running_operator(api, sources=SOURCES), controller(api) as made:
        create_job(api)
        await until(lambda: len(bound(api)) == 4)

        assert len(made) == 4
        assert (spec_of(api)["parallelism"], spec_of(api)["completions"], sized(api)) == (4, 4, "4")


def under_quota(api, **hard):
    """Create a quota of which nothing is used."""
    about, used = {"name": "small", "namespace": DEFAULT}, dict.fromkeys(hard, "0")
    api.store.create(
        "resourcequotas", {"metadata": about, "spec": {"hard": hard}, "status": {"hard": hard, "used": used}}
    )


@pytest.mark.parametrize("hard", [{"pods": "3"}, {"cpu": "3500m"}], ids=["pods", "cpu"])
async def test_job_gets_only_as_many_pods_as_its_quota_allows(hard):
    async with api_with(*NODES) as api, running_operator(api, sources=SOURCES), controller(api) as made:
        under_quota(api, **hard)
        create_job(api)
        await until(lambda: len(bound(api)) == 3)

        assert len(made) == 3
        assert (spec_of(api)["parallelism"], spec_of(api)["completions"], sized(api)) == (3, 3, "3")


async def test_job_stays_suspended_while_its_quota_allows_no_size_of_its_range():
    async with api_with(*NODES) as api, running_operator(api, sources=SOURCES), controller(api) as made:
        under_quota(api, pods="1")
        create_job(api)
        await until(lambda: "quota small" in message(api, "Planned"))
        await asyncio.sleep(100)
        assert (made, is_suspended(api, HEAT)) == ([], True)

        allowed = {"pods": "2"}
        api.store.change(Place("resourcequotas", DEFAULT, "small"), spec={"hard": allowed}, status={"hard": allowed})
        await until(lambda: len(bound(api)) == 2)


async def test_copy_of_a_job_with_a_size_gets_a_size_of_its_own():
    copied = {SIZED: "2", "lockstep.dev/sized-uid": "uid-of-another", "lockstep.dev/first-size": "6"}
    async with api_with(*NODES) as api, running_operator(api, sources=SOURCES), controller(api):
        create_job(api, annotations=copied)
        await until(lambda: len(bound(api)) == 4)

        annotations = api.store.get(HEAT)["metadata"]["annotations"]
        assert (sized(api), annotations["lockstep.dev/sized-uid"]) == ("4", "uid-of-heat")
        assert "lockstep.dev/first-size" not in annotations


async def test_refusal_of_a_size_is_said_and_the_job_stays_suspended():
    def fault(it):
        return Refusal(code=422, message="frozen") if (it.verb, it.resource) == ("PATCH", "jobs") else None

    async with api_with(*NODES) as api, running_operator(api, sources=SOURCES), controller(api) as made:
        api.fault = fault
        create_job(api)
        await until(lambda: "Job heat can't be changed to 4 pods: frozen" in message(api))
        assert (made, is_suspended(api, HEAT)) == ([], True)
        api.fault = lambda _: None
        await until(lambda: len(bound(api)) == 4)


async def test_pods_that_do_not_come_give_the_nodes_back_and_are_placed_when_they_do():
    async with api_with(*NODES) as api, running_operator(api, sources=SOURCES) as parts:
        create_job(api)
        say = "Job heat has created 0 of 4 pods, and no new pod for 60 seconds"
        await until(lambda: any(say in one["note"] for one in api.store.objects("events")))
        await asyncio.sleep(1)
        assert parts.state.reservations == {}
        async with controller(api):
            await until(lambda: len(bound(api)) == 4)


async def test_room_of_pods_that_have_not_come_yet_is_kept():
    async with api_with(*NODES) as api, running_operator(api, sources=SOURCES), controller(api, delay=20):
        create_job(api)
        await until(lambda: sized(api) == "4")
        api.store.create("gangjobs", gang("other", size=2))
        await until(lambda: len(bound(api)) == 4)

        assert not is_placed(api, "other")


async def test_job_that_changes_before_it_gets_its_size_is_planned_again():
    async with api_with(*NODES) as api, running_operator(api, sources=SOURCES), controller(api) as made:
        changes = iter(range(3))

        def fault(it):
            if (it.verb, it.resource) == ("PATCH", "jobs") and next(changes, None) is not None:
                api.store.change(HEAT, spec={"backoffLimit": 1})

        api.fault = fault
        create_job(api)
        await until(lambda: len(bound(api)) == 4)

        assert len(made) == 4


async def test_job_that_is_bound_in_part_waits_for_a_size_again():
    async with api_with(*NODES) as api, running_operator(api, sources=SOURCES), controller(api) as made:
        api.fault = lambda it: REFUSED if (it.verb, it.resource, it.name) == ("POST", BINDING, "heat-1") else None
        create_job(api)
        await until(lambda: len(made) == 4 and sized(api) is None)
        api.fault = lambda _: None
        await until(lambda: len(bound(api)) == 4)

        assert sized(api) == "4"
        assert not set(made[:4]) & {it["metadata"]["name"] for it in bound(api)}


async def test_pods_that_admission_refuses_leave_the_job_suspended():
    async with api_with(*NODES) as api, running_operator(api, sources=SOURCES), controller(api) as made:
        api.admit = lambda _: Refusal(code=403, message="not here")
        create_job(api)
        await until(lambda: "the API server refuses its pods: not here" in message(api, "Accepted"))
        await asyncio.sleep(200)
        assert (made, is_suspended(api, HEAT)) == ([], True)
        api.admit = lambda pod: pod
        await until(lambda: len(bound(api)) == 4)


async def test_next_process_goes_on_after_the_job_got_its_size():
    async with api_with(*NODES) as api:
        async with running_operator(api, sources=SOURCES):
            create_job(api)
            await until(lambda: sized(api) == "4")
        async with running_operator(api, sources=SOURCES), controller(api):
            await until(lambda: len(bound(api)) == 4)


async def test_job_that_is_deleted_before_its_size_leaves_nothing():
    async with api_with(node("n1", cpu="1")) as api, running_operator(api, sources=SOURCES) as parts:
        create_job(api)
        await until(lambda: api.store.objects("gangs"))
        api.store.remove(HEAT)
        api.store.add("nodes", node("n2", cpu="8"))
        await asyncio.sleep(100)

        assert parts.state.reservations == {}
        assert bound(api) == []


async def test_job_whose_pods_name_another_scheduler_is_left_alone():
    async with api_with(*NODES) as api, running_operator(api, sources=SOURCES):
        template = {"metadata": {}, "spec": {"containers": []}}
        create_job(api, template=template)
        await asyncio.sleep(100)

        assert [it for it in api.writes if it.resource in ("jobs", "gangs")] == []


async def test_job_of_which_a_part_is_done_keeps_its_completions():
    async with api_with(*NODES) as api, running_operator(api, sources=SOURCES), controller(api):
        create_job(api, completions=6, parallelism=6)
        api.store.change(HEAT, status={"succeeded": 2})
        await until(lambda: len(bound(api)) == 4)

        assert (spec_of(api)["parallelism"], spec_of(api)["completions"]) == (4, 6)


async def test_job_whose_range_shrinks_after_the_plan_never_gets_more():
    async with api_with(*NODES) as api, running_operator(api, sources=SOURCES), controller(api) as made:

        def shrink(it):
            if (it.verb, it.resource) == ("PATCH", "gangs/status") and not made:
                annotations = api.store.get(HEAT)["metadata"]["annotations"]
                if annotations["lockstep.dev/size"] == "2-6":
                    api.store.change(HEAT, metadata={"annotations": {"lockstep.dev/size": "2-3"}})

        api.fault = shrink
        create_job(api)
        await until(lambda: len(bound(api)) == 3)
        await asyncio.sleep(100)

        assert (len(made), spec_of(api)["parallelism"]) == (3, 3)


async def test_gang_that_is_deleted_while_its_job_waits_is_made_anew():
    async with api_with(node("n1", cpu="1")) as api, running_operator(api, sources=SOURCES), controller(api):
        create_job(api)
        await until(lambda: "It needs 2 members" in message(api))
        api.store.remove(Place("gangs", DEFAULT, "job.heat"))
        await until(lambda: "It needs 2 members" in message(api))
        api.store.add("nodes", node("n2", cpu="8"))

        await until(lambda: len(bound(api)) == 6)


async def test_job_of_the_same_name_gets_its_own_size_beside_the_gang_of_the_first():
    async with api_with(node("n1", cpu="1")) as api, running_operator(api, sources=SOURCES), controller(api):
        create_job(api, size="2-3")
        await until(lambda: "It needs 2 members" in message(api))
        api.store.remove(HEAT)
        create_job(api, size="3-5", uid="uid-of-heat-2")
        api.store.add("nodes", node("n2", cpu="8"))
        await until(lambda: len(bound(api)) == 5)

        [gang] = api.store.objects("gangs")
        assert gang["spec"]["size"] == {"min": 3, "max": 5}
        assert [one["uid"] for one in gang["metadata"]["ownerReferences"]] == ["uid-of-heat-2"]
