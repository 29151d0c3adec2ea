"""A pod that needs no others is placed by few requests, and leaves nothing behind."""

import asyncio
from collections import Counter

import pytest

from builders.served import metadata, pod
from fake_cluster.api import NEVER_ARRIVED, REFUSED
from fake_cluster.jumping import until
from fake_cluster.pod_gangs import BINDING, SEAT, bound, changes_of_pods
from fake_cluster.rig import DEFAULT, api_with, operator_over, pod_place, running_operator
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

PODS = ("web-a", "web-b", "web-c")


def create_pods(api, *names, **metadata):
    """Create pods that name Lockstep as their scheduler, and nothing else."""
    for name in names:
        api.store.create("pods", pod(name, cpu="4", spec={"schedulerName": "lockstep"}, **metadata))


def gang_of(api, name):
    """The Gang of a pod; None for none."""
    return api.store.get(Place("gangs", DEFAULT, f"single.{name}"))


def is_placed(api, name):
    """Whether the status of a pod's Gang says that it is bound, and holds no reservation any more."""
    status = (gang_of(api, name) or {}).get("status", {})
    placed = [one["status"] for one in status.get("conditions", []) if one["type"] == "Placed"]
    return placed == ["True"] and "reservedAt" not in status


def requests(api):
    """How many requests of each kind were sent for pods, Gangs and events, by verb and resource; no list, no watch."""
    kinds = {"pods", "gangs", "gangs/status", BINDING, "events"}
    return Counter(
        (it.verb, it.resource) for it in api.requests if it.resource in kinds and (it.name or it.verb != "GET")
    )


async def test_each_pod_is_placed_by_itself():
    async with operator_over() as (api, _):
        create_pods(api, *PODS)
        await until(lambda: all(is_placed(api, name) for name in PODS))

        assert len(bound(api)) == len(PODS)
        assert changes_of_pods(api) == []
        for name in PODS:
            made = gang_of(api, name)
            assert made["spec"] == {"size": {"min": 1}}
            assert [(it["kind"], it["uid"]) for it in made["metadata"]["ownerReferences"]] == [
                ("Pod", f"uid-of-{name}")
            ]


async def test_pod_costs_six_requests():
    """As the page for users says."""
    async with operator_over() as (api, _):
        create_pods(api, "web-a")
        await until(lambda: is_placed(api, "web-a"))
        await asyncio.sleep(100)

        assert requests(api) == {
            ("GET", "pods"): 1,
            ("POST", "gangs"): 1,
            ("PATCH", "gangs/status"): 2,
            ("POST", BINDING): 1,
            ("POST", "events"): 1,
        }


async def test_pod_that_no_watch_shows_on_its_node_is_read_by_itself():
    async with operator_over() as (api, parts):
        api.fault = lambda it: api.store.silent.add("pods") if it.resource == BINDING else None
        create_pods(api, "web-a")
        await until(lambda: is_placed(api, "web-a"))

        assert requests(api)["GET", "pods"] == 2
        assert parts.state.reservations == {}


async def test_binding_that_is_refused_leaves_the_pod_to_the_next_attempt():
    async with operator_over() as (api, parts):
        api.fault = lambda it: REFUSED if it.resource == BINDING else None
        create_pods(api, "web-a")
        await asyncio.sleep(100)

        assert bound(api) == []
        assert gang_of(api, "web-a")["status"]["attempt"] > 1
        api.fault = lambda _: None
        await until(lambda: is_placed(api, "web-a"))
        assert changes_of_pods(api) == []
        assert parts.state.reservations == {}


async def test_pod_that_is_gone_before_its_binding_leaves_nothing_that_is_taken():
    def take_away(request):
        if request.resource == BINDING:
            api.store.remove(pod_place("web-a"))

    async with operator_over() as (api, parts):
        api.fault = take_away
        create_pods(api, "web-a")
        await until(lambda: api.store.get(pod_place("web-a")) is None)
        await until(lambda: "reservedAt" not in gang_of(api, "web-a")["status"])

        assert parts.state.ledger.assumed == 0
        # What the garbage collector does.
        api.store.remove(Place("gangs", DEFAULT, "single.web-a"))
        await until(lambda: not parts.state.gangs)
        assert not parts.state.reservations
        assert not parts.state.pod_gangs.names()


async def test_pod_of_the_same_name_gets_the_gang_of_the_first_that_is_still_there():
    async with operator_over() as (api, _):
        create_pods(api, "store-0")
        await until(lambda: is_placed(api, "store-0"))
        first = gang_of(api, "store-0")["metadata"]["uid"]
        api.store.remove(pod_place("store-0"))
        create_pods(api, "store-0", uid="uid-of-the-second")

        await until(lambda: len(bound(api)) == 1 and is_placed(api, "store-0"))

        [owner] = gang_of(api, "store-0")["metadata"]["ownerReferences"]
        assert owner["uid"] == "uid-of-the-second"
        assert bound(api)[0]["metadata"]["annotations"][SEAT] == f"{first}/2/0"


async def test_gang_that_is_deleted_right_after_it_was_made_is_made_anew_though_its_pod_runs():
    """As by a garbage collector that has seen the last pod of that name go."""
    async with operator_over() as (api, _):
        create_pods(api, "store-0")
        await until(lambda: is_placed(api, "store-0"))
        api.store.remove(Place("gangs", DEFAULT, "single.store-0"))

        await until(lambda: is_placed(api, "store-0"))

        assert len(bound(api)) == 1


async def test_next_process_goes_on_with_what_the_last_has_reserved():
    async with api_with() as api:
        api.fault = lambda it: NEVER_ARRIVED if it.resource == BINDING else None
        async with running_operator(api):
            create_pods(api, *PODS)
            await until(lambda: all((gang_of(api, one) or {}).get("status", {}).get("reservedAt") for one in PODS))
        api.fault = lambda _: None

        async with running_operator(api):
            await until(lambda: all(is_placed(api, name) for name in PODS))

        assert {it["metadata"]["annotations"][SEAT].split("/")[1] for it in bound(api)} == {"1"}
        assert changes_of_pods(api) == []


@pytest.mark.parametrize(
    ("says", "want_reads"), [pytest.param("job", 1, id="a Job"), pytest.param("podgroup", 2, id="a PodGroup")]
)
async def test_new_gang_is_compared_again_where_its_pods_do_not_say_the_uid_of_their_owner(says, want_reads):
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "heat", "uid": "uid-of-heat", "controller": True}
    who = {"job": {"ownerReferences": [owner]}, "podgroup": {"labels": {"scheduling.x-k8s.io/pod-group": "heat"}}}
    async with operator_over(sources=frozenset(Source)) as (api, _):
        api.store.create(f"{says}s", {"metadata": metadata("heat", namespace=DEFAULT), "spec": {}})
        create_pods(api, "web-a", **who[says])
        await until(lambda: bound(api))

        reads = [it.verb for it in api.requests if (it.resource, it.name) == (f"{says}s", "heat")]
        assert reads == ["GET"] * want_reads
