"""Gangs that give way to urgent gangs: the owner of their pods is suspended, and all pods begin anew."""

import asyncio
from functools import partial

import pytest

from builders.served import gang, metadata, node, pod
from fake_cluster.api import DRY_RUN, REFUSED, Refusal
from fake_cluster.bound_in_part import mark_of
from fake_cluster.giving_way import (
    HEAT,
    JOB_GANG,
    LONG_SECONDS,
    ONE_NODE,
    REMEMBERED_SECONDS,
    create_classes,
    gang_condition,
    is_job_placed,
    notes,
    of_job,
    running_job,
    suspensions,
    urgent_gang,
    yielding_pod,
)
from fake_cluster.jumping import until
from fake_cluster.owners import controlled, create_owner, is_suspended, reference
from fake_cluster.pod_gangs import BINDING, changes_of_pods
from fake_cluster.rig import DEFAULT, api_with, condition, gang_place, is_placed, operator_over, running_operator
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio
ALL = frozenset(Source)


def changes_of_job_pods(api):
    return [it for it in changes_of_pods(api) if it.name.startswith("heat-")]


async def test_job_gives_way_and_is_placed_again_when_the_urgent_gang_is_gone():
    async with operator_over(*ONE_NODE, sources=ALL) as (api, parts), running_job(api) as made:
        api.store.create("gangjobs", urgent_gang())
        await until(lambda: is_placed(api, "hot") and len(made) == 4)

        assert of_job(api) == []
        assert not is_suspended(api, HEAT)
        assert mark_of(api, HEAT) is None
        assert gang_condition(api, "Preempted") == ("True", "Preempted")
        assert changes_of_job_pods(api) == []
        assert parts.metric("lockstep_gangs_preempted_total") == 1
        api.store.remove(gang_place("hot"))
        await until(lambda: is_job_placed(api))
        assert gang_condition(api, "Preempted") == ("False", "Bound")
        assert suspensions(api) == 1


async def test_events_say_for_which_gang_a_job_gave_way():
    async with operator_over(*ONE_NODE, sources=ALL) as (api, _), running_job(api):
        api.store.create("gangjobs", urgent_gang())
        await until(lambda: is_placed(api, "hot") and notes(api, "PreemptedForGang"))

        [(kind, note)] = notes(api, "OwnerSuspended")
        assert (kind, "gang default/hot, of priority 100, takes the place of this gang" in note) == ("Job", True)
        [(kind, note)] = notes(api, "GangPreempted")
        assert (kind, note.startswith("Gang default/hot, of priority 100, takes the place of this gang.")) == (
            "Gang",
            True,
        )
        [(kind, note)] = notes(api, "PreemptedForGang")
        assert (kind, note.startswith("Gang default/gang/job.heat begins anew for this gang")) == ("GangJob", True)


async def test_job_gives_way_to_pods_of_higher_priority():
    async with operator_over(*ONE_NODE, sources=ALL) as (api, _), running_job(api):
        about = metadata("warm", namespace=DEFAULT, generation=1)
        api.store.create("gangs", {"metadata": about, "spec": {"size": {"min": 2}}})
        spec = {"schedulerName": "lockstep", "priorityClassName": "urgent", "priority": 100}
        for name in ("a", "b"):
            api.store.create("pods", pod(name, cpu="1", spec=spec, labels={"lockstep.dev/member-of": "warm"}))
        await until(lambda: gang_condition(api, "Placed", Place("gangs", DEFAULT, "warm")) == ("True", "Bound"))

        assert suspensions(api) == 1


CHANGED = Refusal(code=409, message="the object has been modified")


@pytest.mark.parametrize("verb", [DRY_RUN, "PATCH"])
async def test_job_that_changes_while_it_is_asked_about_gives_way_at_once(verb):
    async with operator_over(*ONE_NODE, sources=ALL) as (api, _), running_job(api) as made:
        answers = [CHANGED, CHANGED]
        api.fault = lambda it: answers.pop() if answers and (it.verb, it.resource) == (verb, "jobs") else None
        began = asyncio.get_running_loop().time()
        api.store.create("gangjobs", urgent_gang())
        await until(lambda: is_placed(api, "hot") and len(made) == 4)

        assert (answers, suspensions(api)) == ([], 1)
        assert asyncio.get_running_loop().time() - began < REMEMBERED_SECONDS


async def test_next_process_resumes_the_job_and_starts_the_urgent_gang():
    async with api_with(*ONE_NODE) as api:
        async with running_operator(api, sources=ALL):
            job = running_job(api)
            made = await job.__aenter__()
            api.fault = lambda it: REFUSED if it.resource == "jobs" and mark_of(api, HEAT) else None
            api.store.create("gangjobs", urgent_gang())
            await until(lambda: is_suspended(api, HEAT))
        api.fault = lambda _: None
        async with running_operator(api, sources=ALL):
            await until(lambda: is_placed(api, "hot") and len(made) == 4)
            await job.__aexit__(None, None, None)

        assert suspensions(api) == 1


async def test_job_is_resumed_if_the_urgent_gang_is_deleted_meanwhile():
    async with operator_over(*ONE_NODE, sources=ALL) as (api, _), running_job(api) as made:

        def fault(it):
            if it.resource == "jobs" and is_suspended(api, HEAT) and api.store.get(gang_place("hot")):
                api.store.remove(gang_place("hot"))

        api.fault = fault
        api.store.create("gangjobs", urgent_gang())
        await until(lambda: len(made) == 4 and is_job_placed(api))

        assert gang_condition(api, "Preempted") == ("False", "Bound")


async def test_two_gangs_give_way_to_one_that_needs_the_room_of_both():
    nodes = (*ONE_NODE, node("n2", cpu="2"))
    async with operator_over(*nodes, sources=ALL) as (api, _), running_job(api):
        api.store.create("gangjobs", gang("cold"))
        await until(lambda: is_placed(api, "cold"))
        api.store.create("gangjobs", urgent_gang(size=4))
        await until(lambda: is_placed(api, "hot"))

        assert suspensions(api) == 1
        assert condition(api, "cold", "Preempted") == ("True", "Preempted")


OURS, OF_OTHERS = (
    {"template": {"spec": {"parallelism": 1, "template": {"spec": spec}}}}
    for spec in ({"schedulerName": "lockstep"}, {})
)


@pytest.mark.parametrize(
    ("jobs", "want"), [pytest.param([OURS, OURS], 4, id="whole"), pytest.param([OURS, OF_OTHERS], 2, id="in part")]
)
async def test_job_set_gives_way_if_all_of_its_pods_are_of_the_gang(jobs, want):
    async with operator_over(*ONE_NODE, sources=ALL) as (api, _):
        create_classes(api)
        place = create_owner(api, "jobsets", "heat", spec={"replicatedJobs": jobs})
        labels = {"jobset.sigs.k8s.io/jobset-name": "heat"}
        async with controlled(api, place, partial(yielding_pod, owner=None, labels=labels), 2) as made:
            await until(lambda: len(of_job(api)) == 2)
            api.store.create("gangjobs", urgent_gang())
            await asyncio.sleep(LONG_SECONDS)

            assert len(made) == want
            assert not is_suspended(api, place)


async def test_job_set_does_not_give_way_to_later_pods_of_its_own():
    async with operator_over(*ONE_NODE, sources=ALL) as (api, _):
        create_classes(api)
        place = create_owner(api, "jobsets", "heat", spec={"replicatedJobs": [OURS, OURS]})
        labels = {"jobset.sigs.k8s.io/jobset-name": "heat"}
        async with controlled(api, place, partial(yielding_pod, owner=None, labels=labels), 2) as made:
            await until(lambda: len(of_job(api)) == 2)
            spec = {"schedulerName": "lockstep", "priorityClassName": "urgent", "priority": 100}
            api.store.create("pods", pod("later", cpu="1", spec=spec, labels=labels))
            await asyncio.sleep(LONG_SECONDS)

            assert len(made) == 2
            assert suspensions(api) == 0


async def test_pods_of_an_owner_of_before_stay_with_the_gang_of_the_next_one():
    async with operator_over(*ONE_NODE, sources=ALL) as (api, _), running_job(api):
        stray = {**reference("batch/v1", "Job", "heat"), "uid": "uid-of-before"}
        seat = {"annotations": {"lockstep.dev/seat": "uid-of-none/1/0"}}
        api.store.create("nodes", node("n2", cpu="1"))
        api.store.create(
            "pods", pod("stray", node="n2", spec={"schedulerName": "lockstep"}, ownerReferences=[stray], **seat)
        )
        api.store.create("gangjobs", urgent_gang())
        await asyncio.sleep(LONG_SECONDS)

        assert suspensions(api) == 0


async def test_room_of_pods_that_still_end_is_awaited_and_no_other_gang_gives_way():
    nodes = (*ONE_NODE, node("n2", cpu="2"))
    async with operator_over(*nodes, sources=ALL) as (api, _):
        create_classes(api)
        create_owner(api, "jobs", "heat", spec={"parallelism": 2, "template": {"spec": {"schedulerName": "lockstep"}}})
        for name in ("heat-0", "heat-1"):
            api.store.create("pods", yielding_pod(name))
        await until(lambda: is_job_placed(api))
        await asyncio.sleep(10)
        api.store.create("gangjobs", gang("cold", spec={"priorityClassName": "patient"}))
        await until(lambda: is_placed(api, "cold"))
        api.store.create("gangjobs", urgent_gang())
        await asyncio.sleep(100)

        assert is_placed(api, "cold")
        assert is_suspended(api, HEAT)
        for name in ("heat-0", "heat-1"):
            api.store.remove(Place("pods", DEFAULT, name))
        await until(lambda: is_placed(api, "hot") and not is_suspended(api, HEAT))


async def test_bindings_of_an_urgent_gang_are_tried_before_a_job_is_suspended():
    async with operator_over(*ONE_NODE, sources=ALL) as (api, _), running_job(api):
        api.fault = lambda it: REFUSED if (it.verb, it.resource) == (DRY_RUN, BINDING) else None
        about = metadata("warm", namespace=DEFAULT, generation=1)
        api.store.create("gangs", {"metadata": about, "spec": {"size": {"min": 1}}})
        spec = {"schedulerName": "lockstep", "priorityClassName": "urgent", "priority": 100}
        api.store.create("pods", pod("a", cpu="1", spec=spec, labels={"lockstep.dev/member-of": "warm"}))
        await asyncio.sleep(LONG_SECONDS)

        assert suspensions(api) == 0
        assert api.store.get(JOB_GANG)
