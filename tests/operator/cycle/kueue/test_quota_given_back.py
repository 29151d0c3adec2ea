"""Workloads of Kueue give their quota back when their pods get no places."""

import asyncio

import pytest

from builders.served import gang, node
from fake_cluster.api import REFUSED, Refusal
from fake_cluster.giving_way import notes
from fake_cluster.jumping import until
from fake_cluster.kueue import (
    WORKLOADS,
    change_template,
    create_workload,
    entry_of,
    found,
    gang_status,
    give_quota,
    kueue,
    queued,
    ready_workload,
    state_of,
    take_quota,
)
from fake_cluster.pod_gangs import BINDING, bound
from fake_cluster.rig import running_operator
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio


async def test_claim_that_is_missing_is_said_and_gives_quota_back_in_time():
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": "missing"}}
    async with queued() as api, running_operator(api, sources=WORKLOADS):
        create_workload(api)
        change_template(api, volumes=[volume])
        give_quota(api)
        await until(lambda: "missing" in entry_of(api).get("message", ""))
        assert state_of(api) == "Pending"
        await until(lambda: state_of(api) == "Retry", seconds=2_000)

        assert "missing" in entry_of(api)["message"]


async def test_workload_whose_gang_is_refused_says_so_and_gives_its_quota_back_in_time():
    """Such as by a policy, or by a quota of Gangs."""
    async with queued() as api, running_operator(api, sources=WORKLOADS):
        api.fault = lambda it: REFUSED if (it.verb, it.resource) == ("POST", "gangs") else None
        create_workload(api)
        give_quota(api)
        await until(lambda: REFUSED.message.rstrip(".") in entry_of(api)["message"])
        assert state_of(api) == "Pending"
        retry = await found(api.store.watch("workloads", 0), "Retry")

        assert "so Lockstep gives the quota back: It has no Gang" in retry["message"]


async def test_start_that_is_far_off_is_said_gives_quota_back_and_says_so():
    long = gang("long", size=2, cpu="2", spec={"work": {"serialTime": "4h"}})
    async with queued() as api, running_operator(api, sources=WORKLOADS), kueue(api):
        api.store.create("gangjobs", long)
        await until(lambda: len(bound(api)) == 2)
        create_workload(api)
        give_quota(api)
        said = api.store.watch("workloads", 0)
        await until(lambda: "The start is expected at 2027-01-15T10:00:00Z" in entry_of(api)["message"])
        assert state_of(api) == "Pending"
        retry = await found(said, "Retry")

        # Kueue would keep the quota and the pods until such a time.
        assert "requeueAfterSeconds" not in retry
        assert "Lockstep gives the quota back, and no longer promises this start" in retry["message"]
        await until(lambda: ("Workload", retry["message"]) in notes(api, "QuotaGivenBack"))


async def test_promise_of_a_start_that_is_far_off_ends_with_the_quota():
    """A gang that comes later takes a node that was kept free for it."""
    nodes = [node(f"n{number}", cpu="2") for number in range(3)]
    async with queued(*nodes) as api, running_operator(api, sources=WORKLOADS):
        api.store.create("gangjobs", gang("long", size=2, cpu="2", spec={"work": {"serialTime": "4h"}}))
        await until(lambda: len(bound(api)) == 2)
        create_workload(api, "heat", ("main", 3, "2"), annotations={"lockstep.dev/serial-time": "1h"})
        give_quota(api)
        await until(lambda: "promisedStart" in gang_status(api).get("plan", {}))
        api.store.create("gangjobs", gang("later", size=1, cpu="2", spec={"work": {"serialTime": "9h"}}))
        # The quota is kept for five minutes.
        await asyncio.sleep(200)
        assert (state_of(api), len(bound(api))) == ("Pending", 2)

        await until(lambda: len(bound(api)) == 3)
        await until(lambda: (state_of(api), gang_status(api).get("plan")) == ("Retry", None))


async def test_start_that_stays_unknown_gives_quota_back_in_time():
    async with queued(node("n1", cpu="1")) as api, running_operator(api, sources=WORKLOADS), kueue(api):
        create_workload(api)
        give_quota(api)
        retry = await found(api.store.watch("workloads", 0), "Retry")

        assert retry["message"].startswith("No start is known after 1800 s")


async def test_binding_that_fails_gives_quota_back_and_the_next_admission_is_placed():
    async with queued() as api, running_operator(api, sources=WORKLOADS), kueue(api) as made:
        api.fault = lambda it: REFUSED if (it.verb, it.resource, it.name) == ("POST", BINDING, "heat-1") else None
        create_workload(api)
        give_quota(api)
        retry = await found(api.store.watch("workloads", 0), "Retry")
        assert "the pods can't be placed" in retry["message"]
        await until(lambda: "reservedAt" not in gang_status(api))
        assert bound(api) == []

        api.fault = lambda _: None
        give_quota(api)
        await until(lambda: len(bound(api)) == 3)
        assert len(made) == 6


async def test_quota_that_is_taken_before_the_pods_come_ends_the_attempt():
    async with queued() as api, running_operator(api, sources=WORKLOADS) as parts:
        await ready_workload(api)
        take_quota(api)
        await until(lambda: parts.state.reservations == {} and "reservedAt" not in gang_status(api))

        assert state_of(api) == "Pending"


async def test_pods_that_do_not_come_give_quota_back():
    async with queued() as api, running_operator(api, sources=WORKLOADS) as parts:
        create_workload(api)
        give_quota(api)
        await until(lambda: state_of(api) == "Retry")

        assert "Workload heat has created 0 of 3 pods, and no new pod for 60 seconds" in entry_of(api)["message"]
        await until(lambda: parts.state.reservations == {})


async def test_node_that_is_cordoned_before_the_pods_come_gets_none_of_them():
    async with queued(node("n1", cpu="3")) as api, running_operator(api, sources=WORKLOADS):
        await ready_workload(api)
        api.store.change(Place("nodes", "", "n1"), spec={"unschedulable": True})
        await asyncio.sleep(1)
        async with kueue(api) as made:
            retry = await found(api.store.watch("workloads", 0), "Retry")

            assert (len(made), bound(api)) == (3, [])
            assert "the pods can't be placed" in retry["message"]


async def test_next_process_ends_the_attempt_of_a_workload_whose_quota_was_given_back():
    async with queued() as api:
        async with running_operator(api, sources=WORKLOADS):
            await ready_workload(api)
        take_quota(api)
        async with running_operator(api, sources=WORKLOADS) as parts:
            await until(lambda: "reservedAt" not in gang_status(api))

            assert (parts.state.reservations, state_of(api)) == ({}, "Pending")


async def test_pods_that_admission_refuses_give_quota_back():
    async with queued() as api, running_operator(api, sources=WORKLOADS):
        api.admit = lambda _: Refusal(code=403, message="not here")
        create_workload(api)
        give_quota(api)
        await until(lambda: state_of(api) == "Retry")

        assert "the API server refuses its pods: not here" in entry_of(api)["message"]


async def test_pods_of_a_lost_node_give_quota_back():
    async with queued() as api, running_operator(api, sources=WORKLOADS), kueue(api) as made:
        create_workload(api)
        give_quota(api)
        await until(lambda: "reservedAt" not in gang_status(api) and len(bound(api)) == 3)
        api.store.remove(Place("nodes", "", "n1"))
        await until(lambda: bound(api) == [])
        api.store.add("nodes", node("n3", cpu="2"))
        give_quota(api)
        await until(lambda: len(bound(api)) == 3)

        assert len(made) == 6
