"""A create whose sender was cut off, and which the API server carries out after the next read of what is there."""

import asyncio

import pytest

from builders.served import gang, node, owned_by, pod
from fake_cluster.api import NEVER_ARRIVED, POST, REFUSED
from fake_cluster.jumping import now, until
from fake_cluster.rig import api_with, gang_place, is_placed, operator_over, pods_of, running_operator, status_of
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

LATE_SECONDS = 0.5
DELETED_AT = "2027-01-15T08:00:00Z"


def third_create(sent):
    """From the third create of a pod on no write arrives; what was sent is noted."""

    def cut(request):
        if request[:2] == (POST, "pods"):
            sent.append(request)
        return NEVER_ARRIVED if len(sent) > 2 and request.is_write else None

    return cut


def lands_while_it_is_undone(api):
    """Let the third create be carried out a while after the first list that follows the next write of a status."""
    seen = []

    def land(request):
        if request.resource == "gangjobs/status" or (seen and request == ("GET", "pods", "")):
            seen.append(request.resource)
        if seen == ["gangjobs/status", "pods"]:
            late = pod("g-1-2", **owned_by("g", attempt=1, rank=2))
            asyncio.get_running_loop().call_later(LATE_SECONDS, api.store.add, "pods", late)

    return land


def pods_by_reservation(api):
    """The names of all pods that there ever were while nodes were reserved for the gang, and while none were."""
    there, reserved, unreserved, is_reserved = set(), set(), set(), False
    for recorded in api.store.past:
        kind, it = recorded.event["type"], recorded.event["object"]
        if recorded.resource == "pods":
            (there.discard if kind == "DELETED" else there.add)(it["metadata"]["name"])
        elif recorded.resource == "gangjobs":
            is_reserved = "reservedAt" in it.get("status", {})
        (reserved if is_reserved else unreserved).update(there)
    return sorted(reserved), sorted(unreserved)


def has_landed(api):
    """Whether the late pod has been there."""
    return any("g-1-2" in names for names in pods_by_reservation(api))


def is_released(api):
    """Whether the gang's attempt has been undone, and nothing is left of it."""
    conditions = {one["type"]: one["reason"] for one in status_of(api).get("conditions", [])}
    return conditions.get("Planned") in ("ReservationReleased", "GangDeleted") and not pods_of(api, "g")


async def test_next_process_releases_only_after_what_was_under_way_has_landed():
    async with api_with(node("n1"), gangs=[gang("g", size=3)]) as api:
        sent = []
        api.fault = third_create(sent)
        async with running_operator(api):
            await until(lambda: len(sent) > 2)
        api.store.change(Place("nodes", "", "n1"), spec={"unschedulable": True})
        api.fault = lands_while_it_is_undone(api)
        async with running_operator(api):
            await until(lambda: is_released(api) and has_landed(api))

        assert pods_by_reservation(api) == (["g-1-0", "g-1-1", "g-1-2"], [])


async def test_deletion_in_the_middle_of_a_create_releases_only_after_that_has_landed():
    async with operator_over(node("n1")) as (api, _):
        sent = []
        api.fault = third_create(sent)
        api.store.add("gangjobs", gang("g", size=3))
        await until(lambda: len(sent) > 2)
        api.fault = lands_while_it_is_undone(api)
        api.store.change(gang_place("g"), metadata={"deletionTimestamp": DELETED_AT, "finalizers": ["example.com/s"]})
        await until(lambda: is_released(api) and has_landed(api))

        assert pods_by_reservation(api) == (["g-1-0", "g-1-1", "g-1-2"], [])


async def test_process_that_began_an_attempt_undoes_it_without_a_pause():
    async with operator_over(node("n1")) as (api, _):
        refused_at = []

        def refuse_one(request):
            if request.resource == "pods/binding" and not refused_at:
                refused_at.append(now())
                return REFUSED
            return None

        api.fault = refuse_one
        api.store.add("gangjobs", gang("g", size=3))
        await until(lambda: is_released(api))

        assert now() - refused_at[0] < LATE_SECONDS


async def test_gang_that_an_earlier_process_has_placed_is_undone_without_a_pause():
    async with api_with(node("n1"), gangs=[gang("g", size=3)]) as api:
        async with running_operator(api):
            await until(lambda: is_placed(api))
        async with running_operator(api) as parts:
            await parts.quiet()
            deleted_at = now()
            api.store.remove(Place("pods", "default", "g-1-1"))
            await until(lambda: is_released(api))

            assert now() - deleted_at < LATE_SECONDS
