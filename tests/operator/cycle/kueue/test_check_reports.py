"""Workloads of Kueue wait for places, get them, or are rejected."""

import asyncio

import pytest

from builders.served import node
from fake_cluster.api import REFUSED
from fake_cluster.jumping import until
from fake_cluster.kueue import (
    WORKLOADS,
    change_template,
    condition,
    create_check,
    create_workload,
    entry_of,
    gang_status,
    give_quota,
    kueue,
    place_of,
    queued,
    ready_workload,
    state_of,
    take_quota,
)
from fake_cluster.owners import group_pod
from fake_cluster.pod_gangs import bound
from fake_cluster.rig import running_operator, watching_operator
from fake_cluster.store import Place
from lockstep.act.podgang.check_writes import write_checks
from lockstep.api.kueue.check_entries import CheckEntry
from lockstep.api.kueue.workload import parse_workload
from lockstep.facts.gang.workload import CheckState

pytestmark = pytest.mark.asyncio


async def test_workload_is_ready_when_places_are_reserved_and_its_pods_take_them():
    async with queued() as api, running_operator(api, sources=WORKLOADS), kueue(api) as made:
        create_workload(api)
        give_quota(api)
        await until(lambda: len(bound(api)) == 3)

        assert len(made) == 3
        assert entry_of(api)["podSetUpdates"] == [
            {"name": "main", "labels": {"lockstep.dev/member-of": "workload.heat"}}
        ]


async def test_workload_without_room_is_pending_with_the_reason_until_there_is_room():
    async with queued(node("n1", cpu="2")) as api, running_operator(api, sources=WORKLOADS), kueue(api) as made:
        create_workload(api)
        give_quota(api)
        await until(lambda: "3 members" in entry_of(api).get("message", ""))
        assert (state_of(api), made) == ("Pending", [])

        api.store.add("nodes", node("n2", cpu="2"))
        await until(lambda: len(bound(api)) == 3)


async def test_workload_without_quota_gets_no_gang():
    async with queued() as api, running_operator(api, sources=WORKLOADS):
        create_workload(api)
        await asyncio.sleep(60)

        assert api.store.objects("gangs") == []


async def test_checks_of_other_controllers_are_left_alone():
    async with queued() as api, running_operator(api, sources=WORKLOADS):
        create_check(api, "others", controller="example.com/other")
        create_workload(api)
        give_quota(api, checks=("others",))
        await asyncio.sleep(60)

        assert state_of(api, check="others") == "Pending"
        assert [it for it in api.writes if it.resource.startswith(("workloads", "gangs"))] == []
        assert "status" not in api.store.get(Place("admissionchecks", "", "others"))


async def test_places_are_reserved_once_all_other_checks_are_ready():
    async with queued() as api, running_operator(api, sources=WORKLOADS):
        create_workload(api)
        give_quota(api, checks=("others", "placement"))
        await asyncio.sleep(60)
        assert (state_of(api), api.store.objects("gangs")) == ("Pending", [])

        entries = api.store.get(place_of("heat"))["status"]["admissionChecks"]
        said = {**entries[0], "state": "Ready", "message": "yes", "more": "kept"}
        api.store.change(place_of("heat"), status={"admissionChecks": [said, *entries[1:]]})
        await until(lambda: state_of(api) == "Ready")
        assert entry_of(api, check="others") == said


async def test_answer_that_is_refused_is_given_later():
    def fault(it):
        return REFUSED if (it.verb, it.resource) == ("PATCH", "workloads/status") else None

    async with queued(node("n1", cpu="1")) as api, running_operator(api, sources=WORKLOADS):
        api.fault = fault
        create_workload(api)
        give_quota(api)
        await asyncio.sleep(100)
        tries = [it for it in api.writes if it.resource == "workloads/status"]
        assert 1 <= len(tries) <= 8  # the pauses double
        api.fault = lambda _: None
        await until(lambda: "3 members" in entry_of(api).get("message", ""))


async def test_workload_that_is_evicted_while_an_answer_is_decided_gets_none():
    """Kueue never queues one again whose check changes between its eviction and the end of its quota."""
    async with queued() as api, watching_operator(api, sources=WORKLOADS) as parts:
        create_workload(api)
        give_quota(api)
        workload = api.store.get(place_of("heat"))
        known = parse_workload(workload)
        api.store.change(place_of("heat"), status=evicted(workload["status"]))
        entry = CheckEntry(CheckState.RETRY, "Too late.")

        assert "has changed" in await write_checks(parts.services, known, entry)
        assert state_of(api) == "Pending"


def evicted(status):
    """The status as Kueue writes it first: the quota is still there."""
    return {"conditions": [*status["conditions"], condition("Evicted", is_true=True)]}


async def test_check_that_is_made_anew_becomes_active_at_once():
    async with queued() as api, running_operator(api, sources=WORKLOADS):
        place = Place("admissionchecks", "", "placement")
        await until(lambda: "status" in api.store.get(place))
        api.store.remove(place)
        await asyncio.sleep(2)
        create_check(api)

        await until(lambda: "status" in api.store.get(place), seconds=10)


async def test_workload_that_was_there_before_our_check_gets_its_places():
    async with queued() as api, running_operator(api, sources=WORKLOADS):
        create_workload(api)
        give_quota(api, checks=("late",))
        await asyncio.sleep(60)
        assert (state_of(api, check="late"), api.store.objects("gangs")) == ("Pending", [])
        create_check(api, "late")

        await until(lambda: state_of(api, check="late") == "Ready")


async def test_our_check_becomes_active():
    async with queued() as api, running_operator(api, sources=WORKLOADS):
        place = Place("admissionchecks", "", "placement")
        await until(lambda: "status" in api.store.get(place))

        [active] = api.store.get(place)["status"]["conditions"]
        assert (active["type"], active["status"]) == ("Active", "True")


async def test_parts_with_other_needs_are_placed_together():
    async with queued(node("n1", cpu="3"), node("n2", cpu="2")) as api, running_operator(api, sources=WORKLOADS):
        create_workload(api, "heat", ("launcher", 1, "3"), ("worker", 2, "1"))
        async with kueue(api) as made:
            give_quota(api)
            await until(lambda: len(bound(api)) == 3)

            assert len(made) == 3


async def test_workload_that_is_admitted_in_part_gets_places_for_that_part():
    async with queued(node("n1", cpu="2")) as api, running_operator(api, sources=WORKLOADS), kueue(api) as made:
        create_workload(api)
        give_quota(api, main=2)
        await until(lambda: len(bound(api)) == 2)

        assert len(made) == 2


async def test_flavor_says_on_which_nodes_the_pods_may_run():
    labelled = node("n2", cpu="4", labels={"tier": "fast"})
    async with queued(node("n1", cpu="8"), labelled) as api, running_operator(api, sources=WORKLOADS):
        flavor = api.store.get(Place("resourceflavors", "", "plain"))
        api.store.replace(Place("resourceflavors", "", "plain"), {**flavor, "spec": {"nodeLabels": {"tier": "fast"}}})
        await ready_workload(api)

        assert {one["node"] for one in gang_status(api)["members"]} == {"n2"}


async def test_next_process_goes_on_between_the_answer_and_the_pods():
    async with queued() as api:
        async with running_operator(api, sources=WORKLOADS):
            await ready_workload(api)
        async with running_operator(api, sources=WORKLOADS), kueue(api, delay=20) as made:
            await until(lambda: len(bound(api)) == 3)

            assert len(made) == 3


async def test_pods_that_come_one_after_the_other_are_waited_for():
    """The controller of Jobs makes some twenty a second, so those of a large Job come for minutes."""
    async with queued() as api, running_operator(api, sources=WORKLOADS):
        await ready_workload(api)
        for name in ("a", "b", "c"):
            await asyncio.sleep(50)
            api.store.create("pods", group_pod(name, cpu="1", labels={"lockstep.dev/member-of": "workload.heat"}))
        await until(lambda: len(bound(api)) == 3)


async def test_another_workload_of_the_name_waits_for_no_pods_of_the_first():
    async with queued() as api, running_operator(api, sources=WORKLOADS):
        await ready_workload(api)
        first = api.store.get(place_of("heat"))
        api.store.remove(place_of("heat"))
        api.store.create("workloads", {**first, "metadata": {**first["metadata"], "uid": "another"}, "status": {}})
        give_quota(api)
        async with kueue(api) as made:
            await until(lambda: len(bound(api)) == 3, seconds=40)

            assert len(made) == 3


async def test_template_that_no_cluster_can_obey_is_rejected():
    spread = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    async with queued() as api, running_operator(api, sources=WORKLOADS):
        create_workload(api)
        change_template(api, topologySpreadConstraints=[spread])
        give_quota(api)
        await until(lambda: state_of(api) == "Rejected")

        assert "topologySpreadConstraints" in entry_of(api)["message"]


async def test_pods_of_another_scheduler_need_no_places():
    async with queued() as api, running_operator(api, sources=WORKLOADS):
        create_workload(api)
        change_template(api, schedulerName="default-scheduler")
        give_quota(api)
        await until(lambda: state_of(api) == "Ready")

        assert "podSetUpdates" not in entry_of(api)
        assert api.store.objects("gangs") == []


async def test_workload_with_a_long_name_is_placed():
    name = "job-" + "heat-in-a-very-long-plate-" * 3 + "x"
    async with queued() as api, running_operator(api, sources=WORKLOADS):
        create_workload(api, name)
        async with kueue(api, name):
            give_quota(api, name)
            await until(lambda: len(bound(api)) == 3)

            [gang] = api.store.objects("gangs")
            assert len(gang["metadata"]["name"]) <= 63


async def test_pods_without_quota_are_not_placed():
    async with queued() as api, running_operator(api, sources=WORKLOADS), kueue(api):
        create_workload(api)
        give_quota(api)
        await until(lambda: len(bound(api)) == 3)
        take_quota(api)
        await until(lambda: bound(api) == [])
        api.store.create("pods", group_pod("left", labels={"lockstep.dev/member-of": "workload.heat"}))
        await asyncio.sleep(100)

        assert bound(api) == []
