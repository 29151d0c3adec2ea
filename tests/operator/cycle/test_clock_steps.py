"""The clock of the operator's machine is set while gangs wait for a promised start, or while elastic gangs run."""

import asyncio
from functools import partial

import pytest

from builders.served import gang, node
from fake_cluster import jumping, rig
from fake_cluster.api import Refusal
from fake_cluster.elastic import FOUR, ask_for, beside_a_blocker, free_the_room, until_attempt
from fake_cluster.elastic_jobs import HEAT, SMALL, SOURCES, THIRD, drain, has_size, placed, running_job, said
from fake_cluster.jumping import until
from fake_cluster.kueue import (
    WORKLOADS,
    change_template,
    create_workload,
    entry_of,
    give_quota,
    in_queue,
    queued,
    state_of,
    workload_of,
)
from fake_cluster.owners import controlled, create_owner, group_pod, reference
from fake_cluster.pod_gangs import bound
from fake_cluster.rig import api_with, condition, is_placed, operator_over, running_operator, set_phases, status_of
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

HOUR = 3600.0


@pytest.fixture
def clock(monkeypatch):
    """The operator's time of day, which is ``ahead`` of the real one."""

    class Clock:
        ahead = 0.0

        def __call__(self):
            return jumping.now() + self.ahead

    clock = Clock()
    monkeypatch.setattr(rig, "wall", clock)
    return clock


def submit(api, name, seconds):
    api.store.create("gangjobs", gang(name, size=2, cpu="8", spec={"work": {"serialTime": f"{seconds}s"}}))


@pytest.mark.parametrize("step", [-30 * 24 * HOUR, -HOUR, HOUR, 30 * 24 * HOUR])
async def test_queue_goes_on_after_the_clock_was_set(clock, step, caplog):
    async with operator_over() as (api, _):
        submit(api, "runs", 600)
        await until(lambda: is_placed(api, "runs"))
        set_phases(api, "runs", "Running")
        submit(api, "waits", 120)
        await until(lambda: status_of(api, "waits").get("plan"))

        clock.ahead += step
        submit(api, "comes", 60)
        await until(lambda: status_of(api, "comes").get("plan"))
        set_phases(api, "runs", "Succeeded")
        for name in ("comes", "waits"):
            await until(lambda name=name: is_placed(api, name) or condition(api, name, "Complete"))
            set_phases(api, name, "Succeeded")
            await until(lambda name=name: condition(api, name, "Complete"))

    assert not [record.getMessage() for record in caplog.records if record.exc_info]


async def test_gang_may_change_its_size_again_after_the_clock_was_set_back(clock):
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api)
        free_the_room(api)
        await until_attempt(api, 2)
        set_phases(api, "g", "Running")
        await until(lambda: status_of(api).get("startedAt"))

        clock.ahead -= 24 * HOUR
        ask_for(api, 2)
        await until_attempt(api, 3)

        assert status_of(api)["size"] == 2


async def test_gang_restarts_after_its_pause_although_the_clock_was_set_back(clock):
    policy = {"failurePolicy": {"maxRestarts": 3, "backoff": "60s"}}
    async with operator_over(gangs=[gang("g", spec=policy)]) as (api, _):
        await until(lambda: is_placed(api))
        set_phases(api, "g", "Failed")
        await until(lambda: "reservedAt" not in status_of(api))
        clock.ahead -= 24 * HOUR

        await until(lambda: status_of(api)["attempt"] == 2 and is_placed(api), seconds=200)


async def test_job_without_room_shrinks_although_the_clock_was_set_back(clock):
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        api.fault = lambda it: (
            Refusal(code=422, message="frozen") if (it.verb, it.resource) == ("PATCH", "jobs") else None
        )
        drain(api, placed(api)[3])
        await until(lambda: said(api, "SizeChangeDropped"))
        api.fault = lambda _: None
        clock.ahead -= 24 * HOUR

        await until(lambda: has_size(api, 2), seconds=2000)


async def test_gang_gets_its_refused_workload_although_the_clock_was_set_back(clock):
    async with api_with(gangs=[in_queue(gang("g"))]) as api, running_operator(api, sources=WORKLOADS):
        api.fault = refuse("POST", "workloads", code=422)
        await asyncio.sleep(20)
        clock.ahead -= 24 * HOUR
        api.fault = lambda _: None

        await until(lambda: workload_of(api), seconds=100)


async def test_workload_gets_a_refused_answer_although_the_clock_was_set_back(clock):
    async with queued(node("n1", cpu="1")) as api, running_operator(api, sources=WORKLOADS):
        api.fault = refuse("PATCH", "workloads/status", code=422)
        create_workload(api)
        give_quota(api)
        await asyncio.sleep(20)
        clock.ahead -= 24 * HOUR
        api.fault = lambda _: None

        await until(lambda: "3 members" in entry_of(api).get("message", ""), seconds=100)


async def test_workload_is_rejected_although_the_clock_was_set_back_before(clock):
    async with queued() as api, running_operator(api, sources=WORKLOADS):
        create_workload(api)
        spread = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
        change_template(api, topologySpreadConstraints=[spread])
        give_quota(api)
        await asyncio.sleep(5)
        clock.ahead -= 24 * HOUR

        await until(lambda: state_of(api) == "Rejected", seconds=100)


async def test_job_leaves_a_lost_node_after_a_refusal_although_the_clock_was_set_back(clock):
    async with api_with(*SMALL, THIRD) as api, running_operator(api, sources=frozenset(Source)):
        create_owner(api, "jobs", "heat", spec={"parallelism": 2})
        pod = partial(group_pod, owner=reference("batch/v1", "Job", "heat"), cpu="2")
        async with controlled(api, HEAT, pod, 2):
            await until(lambda: len(nodes_with_pods(api)) == 2)
            await asyncio.sleep(5)
            api.fault = refuse("PATCH", "jobs", code=422)
            lost = nodes_with_pods(api)[0]
            taint = {"key": "node.kubernetes.io/out-of-service", "value": "", "effect": "NoExecute"}
            api.store.change(Place("nodes", "", lost), spec={"taints": [taint]})
            await until(lambda: said(api, "PodLost"))
            clock.ahead -= 24 * HOUR
            api.fault = lambda _: None

            await until(lambda: len(nodes_with_pods(api)) == 2 and lost not in nodes_with_pods(api), seconds=1000)


async def test_job_shrinks_after_errors_although_the_clock_was_set_back(clock):
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        api.fault = refuse("PATCH", "jobs", code=409)
        drain(api, placed(api)[3])
        await until(lambda: sum(it[:2] == ("PATCH", "jobs") for it in api.requests) > 1, seconds=2000)
        clock.ahead -= 24 * HOUR
        api.fault = lambda _: None

        await until(lambda: has_size(api, 2), seconds=3000)


def nodes_with_pods(api):
    return sorted(it["spec"]["nodeName"] for it in bound(api))


def refuse(verb, resource, code):
    """Refuse these requests with that code."""
    return lambda it: Refusal(code=code) if it[:2] == (verb, resource) else None
