"""Pods of others that stay though an urgent gang waits: they may not give way, or it would not help."""

import asyncio

import pytest

from builders.served import budget, gang, metadata, node
from fake_cluster.api import DRY_RUN, REFUSED, Refusal
from fake_cluster.giving_way import (
    HEAT,
    LONG_SECONDS,
    ONE_NODE,
    create_classes,
    gang_condition,
    of_job,
    running_job,
    suspensions,
    urgent_gang,
    yielding_pod,
)
from fake_cluster.jumping import until
from fake_cluster.owners import create_owner, reference
from fake_cluster.pod_gangs import changes_of_pods
from fake_cluster.rig import DEFAULT, condition, is_placed, operator_over
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio
ALL = frozenset(Source)


@pytest.mark.parametrize(
    ("priority", "of"),
    [
        pytest.param(0, "patient", id="its class preempts nothing"),
        pytest.param(0, "", id="it has no class"),
        pytest.param(100, "urgent", id="equal priority"),
    ],
)
async def test_job_stays_for_a_gang_that_may_not_take_its_place(priority, of):
    async with operator_over(*ONE_NODE, sources=ALL) as (api, _), running_job(api, priority=priority):
        api.store.create("gangjobs", urgent_gang(of=of))
        await asyncio.sleep(LONG_SECONDS)

        assert suspensions(api) == 0


QUEUED = {"labels": {"kueue.x-k8s.io/queue-name": "q"}}
OF_WORKFLOW = {"owners": [reference("argoproj.io/v1alpha1", "Workflow", "flow")]}
OTHERS_SCHEDULE = {"template": {"spec": {}}}
NAMES_ANOTHER = {
    "template": {"metadata": {"labels": {"lockstep.dev/member-of": "g"}}, "spec": {"schedulerName": "lockstep"}}
}
ODD = {"template": {"spec": {"schedulerName": ["lockstep"]}}}


@pytest.mark.parametrize(
    "job",
    [
        pytest.param(QUEUED, id="Kueue has queued it"),
        pytest.param(OF_WORKFLOW, id="a controller that is not known"),
        pytest.param(OTHERS_SCHEDULE, id="pods that others schedule"),
        pytest.param(NAMES_ANOTHER, id="pods of another Gang"),
        pytest.param(ODD, id="a template that can't be understood"),
    ],
)
async def test_job_that_can_not_give_way_stays_and_another_gang_gives_way(job):
    nodes = (*ONE_NODE, node("n2", cpu="2"))
    async with operator_over(*nodes, sources=ALL) as (api, _):
        api.store.create("gangjobs", gang("cold"))
        await until(lambda: is_placed(api, "cold"))
        async with running_job(api, **job):
            api.store.create("gangjobs", urgent_gang())
            await until(lambda: is_placed(api, "hot"))

            assert len(of_job(api)) == 2
            assert suspensions(api) == 0
            assert condition(api, "cold", "Preempted") == ("True", "Preempted")


async def test_job_stays_without_the_right_to_suspend_it():
    async with operator_over(*ONE_NODE, sources=ALL) as (api, _):
        api.may_write_statuses = False
        async with running_job(api):
            api.store.create("gangjobs", urgent_gang())
            await asyncio.sleep(LONG_SECONDS)

            assert suspensions(api) == 0
            assert [it for it in api.requests if (it.verb, it.resource) == (DRY_RUN, "jobs")] == []
            assert condition(api, "hot", "Planned")[1] != "Preempting"


async def test_job_that_may_not_be_suspended_is_asked_about_seldom():
    async with operator_over(*ONE_NODE, sources=ALL) as (api, _), running_job(api):
        api.fault = lambda it: REFUSED if (it.verb, it.resource) == (DRY_RUN, "jobs") else None
        api.store.create("gangjobs", urgent_gang())
        await asyncio.sleep(3_000)

        asked = [it for it in api.requests if (it.verb, it.resource) == (DRY_RUN, "jobs")]
        assert 2 <= len(asked) <= 7
        assert suspensions(api) == 0
        api.fault = lambda _: None
        await until(lambda: is_placed(api, "hot"))


async def test_job_whose_suspension_is_refused_after_all_is_left_and_another_gang_gives_way():
    nodes = (*ONE_NODE, node("n2", cpu="2"))
    async with operator_over(*nodes, sources=ALL) as (api, _):
        api.store.create("gangjobs", gang("cold"))
        await until(lambda: is_placed(api, "cold"))
        async with running_job(api):
            api.fault = lambda it: (
                Refusal(code=422, message="no") if (it.verb, it.resource) == ("PATCH", "jobs") else None
            )
            api.store.create("gangjobs", urgent_gang())
            await until(lambda: is_placed(api, "hot"))

            assert len(of_job(api)) == 2
            assert gang_condition(api, "Preempted") is None


async def test_job_stays_if_a_webhook_resumes_it_at_once():
    def resumed(place, changed):
        return {**changed, "spec": {**changed["spec"], "suspend": False}} if place == HEAT else changed

    async with operator_over(*ONE_NODE, sources=ALL) as (api, _), running_job(api) as made:
        api.admit_patch = resumed
        api.store.create("gangjobs", urgent_gang())
        await asyncio.sleep(LONG_SECONDS)

        assert len(made) == 2
        assert suspensions(api) == 0


async def test_job_stays_while_the_members_of_the_urgent_gang_are_refused():
    async with operator_over(*ONE_NODE, sources=ALL) as (api, _), running_job(api):
        api.admit = lambda it: REFUSED if it["metadata"]["name"].startswith("hot-") else it
        api.store.create("gangjobs", urgent_gang())
        await asyncio.sleep(LONG_SECONDS)

        assert suspensions(api) == 0


async def test_job_that_a_budget_protects_stays_while_another_gang_can_give_way():
    nodes = (*ONE_NODE, node("n2", cpu="2"))
    async with operator_over(*nodes, sources=ALL) as (api, _), running_job(api):
        for name in of_job(api):
            api.store.change(Place("pods", DEFAULT, name), status={"phase": "Running"})
        api.store.create("poddisruptionbudgets", budget(allowed=1))
        api.store.create("gangjobs", gang("cold"))
        await until(lambda: is_placed(api, "cold"))
        api.store.create("gangjobs", urgent_gang())
        await until(lambda: is_placed(api, "hot"))

        assert suspensions(api) == 0


async def test_pods_that_end_in_more_than_an_hour_stay():
    async with operator_over(*ONE_NODE, sources=ALL) as (api, _), running_job(api, grace=3_601):
        api.store.create("gangjobs", urgent_gang())
        await asyncio.sleep(LONG_SECONDS)

        assert suspensions(api) == 0


async def test_many_gangs_that_can_not_give_way_cost_one_plan():
    names = [f"heat{number}" for number in range(4)]
    async with operator_over(*(node(f"n-{name}", cpu="1") for name in names), sources=ALL) as (api, parts):
        create_classes(api)
        for name in names:
            spec = {"parallelism": 1, "template": {"spec": {"schedulerName": "lockstep"}}}
            create_owner(api, "jobs", name, spec=spec, **QUEUED)
            api.store.create("pods", yielding_pod(f"{name}-0", owner=reference("batch/v1", "Job", name)))
        await until(lambda: all("nodeName" in it["spec"] for it in api.store.objects("pods")))
        await asyncio.sleep(60)
        before = len(api.requests)
        api.store.create("gangjobs", urgent_gang(size=1))
        await asyncio.sleep(LONG_SECONDS)

        read = [it.name for it in api.requests[before:] if (it.verb, it.resource) == ("GET", "jobs") and it.name]
        assert sorted(read) == names
        assert not any(parts.state.pod_gangs.yielding.can(gang) for gang in parts.state.pod_gangs.objects.values())


async def test_none_gives_way_if_one_of_two_can_not():
    nodes = (*ONE_NODE, node("n2", cpu="2"))
    async with operator_over(*nodes, sources=ALL) as (api, _), running_job(api, **QUEUED):
        api.store.create("gangjobs", gang("cold"))
        await until(lambda: is_placed(api, "cold"))
        api.store.create("gangjobs", urgent_gang(size=4))
        await asyncio.sleep(LONG_SECONDS)

        assert is_placed(api, "cold")
        assert suspensions(api) == 0


async def test_single_pods_and_pods_of_a_gang_that_a_user_wrote_stay():
    async with operator_over(*ONE_NODE, sources=ALL) as (api, _):
        create_classes(api)
        about = metadata("warm", namespace=DEFAULT, generation=1)
        api.store.create("gangs", {"metadata": about, "spec": {"size": {"min": 1}}})
        api.store.create("pods", yielding_pod("a", owner=None, labels={"lockstep.dev/member-of": "warm"}))
        api.store.create("pods", yielding_pod("b", owner=None))
        await until(lambda: all("nodeName" in it["spec"] for it in api.store.objects("pods")))
        api.store.create("gangjobs", urgent_gang(size=1))
        await asyncio.sleep(LONG_SECONDS)

        assert not is_placed(api, "hot")
        assert changes_of_pods(api) == []
