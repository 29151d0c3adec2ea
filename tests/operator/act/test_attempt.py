"""One attempt: in which order it writes, and what it does about pods and gangs that others change."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.served import owned_by, pod
from fake_cluster.api import NEVER_ARRIVED, REFUSED
from fake_cluster.jumping import until
from fake_cluster.one_attempt import KEY, WRITES, Try, assert_nothing_left, assert_whole, at_first, at_write, cluster
from fake_cluster.rig import bound, end, gang_place, pod_place, pods_of, set_phase
from lockstep.act.requests.outcome import Ending
from lockstep.act.requests.window import LEAST_MEMBERS
from lockstep.facts.reasons import Reason

pytestmark = pytest.mark.asyncio


async def test_all_members_are_created_before_one_is_bound():
    async with cluster() as (api, parts):
        outcome = await Try(parts).begin()
        assert_whole(api, parts, outcome)

    kinds = [request.resource for request in api.writes]
    assert (kinds[0], sorted(kinds[1:5])) == ("gangjobs/status", ["pods", "pods", "pods", "services"])
    assert kinds[5:] == ["pods/binding"] * 3
    assert parts.bindings == ["bound"] * 3


@asynccontextmanager
async def waiting(parts):
    """An attempt that waits to be let in; gives its task, and the stay of the one that is in its way."""
    stay = parts.services.window.stay(LEAST_MEMBERS)
    await stay.enter()
    task = asyncio.create_task(Try(parts).begin())
    await asyncio.sleep(0.1)
    try:
        yield task, stay
    finally:
        stay.leave()
        await end([task])


async def test_attempt_writes_nothing_before_it_is_let_in():
    async with cluster() as (api, parts), waiting(parts) as (task, stay):
        assert not api.writes

        stay.leave()
        assert_whole(api, parts, await task)


async def test_attempt_that_no_longer_fits_when_it_is_let_in_writes_nothing():
    async with cluster() as (api, parts), waiting(parts) as (task, stay):
        parts.state.nodes.remove("n2")
        stay.leave()

        assert_nothing_left(api, await task)
        assert not api.writes


async def test_attempt_leaves_the_window_however_it_ends():
    for fault in (None, REFUSED, NEVER_ARRIVED):
        async with cluster(fault=at_first("POST", "pods", fault)) as (_, parts):
            await Try(parts).begin()

            assert not await parts.services.window.stay(LEAST_MEMBERS).enter()


async def test_ranks_run_along_the_list_of_nodes():
    async with cluster() as (api, parts):
        await Try(parts).begin()

    assert {it["metadata"]["name"]: it["spec"]["nodeName"] for it in pods_of(api, "g")} == {
        "g-1-0": "n1",
        "g-1-1": "n1",
        "g-1-2": "n2",
    }


async def test_release_waits_until_the_last_pod_is_gone():
    async with cluster(fault=at_write(WRITES, REFUSED)) as (api, parts):
        api.lingers = True
        task = asyncio.create_task(Try(parts).begin())
        await until(
            lambda: bound(pods_of(api, "g")) and all("deletionTimestamp" in it["metadata"] for it in pods_of(api, "g"))
        )
        await asyncio.sleep(30)
        assert "reservedAt" in api.store.get(gang_place("g"))["status"]

        for it in pods_of(api, "g"):
            api.store.remove(pod_place(it["metadata"]["name"]))
        assert_nothing_left(api, await task)


async def test_reservation_is_not_written_over_a_newer_version():
    async with cluster() as (api, parts):
        attempt = Try(parts)
        api.store.change(gang_place("g"), metadata={"labels": {"by": "a-user"}})
        outcome = await attempt.begin()

        assert outcome.ending is Ending.NOT_RESERVED
        assert_nothing_left(api, outcome)
        assert parts.state.gangs[KEY].resource_version == api.store.get(gang_place("g"))["metadata"]["resourceVersion"]


async def test_pod_made_by_an_earlier_process_is_taken_over():
    async with cluster() as (api, parts):
        attempt = Try(parts)
        # The watch has not shown it yet when the attempt looks.
        taken = api.store.add("pods", pod("g-1-1", **owned_by("g", attempt=1, rank=1)))
        outcome = await attempt.resume()

        assert outcome.ending is Ending.PLACED
        assert api.store.get(pod_place("g-1-1"))["metadata"]["uid"] == taken["metadata"]["uid"]


FOREIGN = [
    pytest.param({}, id="without an owner"),
    pytest.param(owned_by("other", attempt=1, rank=1), id="of another gang"),
    pytest.param({"labels": owned_by("g")["labels"]}, id="with stolen labels"),
]


@pytest.mark.parametrize("more", FOREIGN)
async def test_foreign_pod_of_that_name_is_never_touched(more):
    async with cluster() as (api, parts):
        attempt = Try(parts)
        foreign = api.store.add("pods", pod("g-1-1", **more))
        outcome = await attempt.begin()

        assert outcome.ending is Ending.UNDONE
        assert "g-1-1" in outcome.failure.message
        assert api.store.objects("pods") == [foreign]


async def test_pod_that_took_the_place_of_a_deleted_one_is_not_deleted():
    async with cluster(fault=at_first("POST", "pods/binding", REFUSED)) as (api, parts):
        replaced = []

        def swap(request):
            if request.verb == "DELETE" and not replaced:
                api.store.remove(pod_place(request.name))
                replaced.append(api.store.add("pods", pod(request.name, uid="foreign")))

        refuse = api.fault
        api.fault = lambda request: refuse(request) or swap(request)
        outcome = await Try(parts).begin()

        assert outcome.ending is Ending.UNDONE
        assert api.store.objects("pods") == replaced


async def test_member_on_another_node_than_planned_undoes_the_attempt():
    async with cluster() as (api, parts):
        api.store.add("pods", pod("g-1-0", node="n2", **owned_by("g", rank=0)))
        await parts.quiet()
        outcome = await Try(parts).resume()

        assert outcome.failure.reason is Reason.BIND_INTERRUPTED
        assert outcome.failure.message == "pod g-1-0 is on node n2, not on n1"
        assert_nothing_left(api, outcome)


async def test_member_turned_away_before_all_are_bound_undoes_the_attempt():
    async with cluster() as (api, parts):

        def reject(request):
            if request == ("POST", "pods/binding", "g-1-2"):
                set_phase(api, "g-1-0", "Failed", reason="OutOfcpu", message="no room")

        api.fault = reject
        outcome = await Try(parts).begin()

        assert outcome.failure.reason is Reason.POD_REJECTED
        assert "OutOfcpu: no room" in outcome.failure.message
        assert_nothing_left(api, outcome)


async def test_gang_that_is_deleted_meanwhile_needs_no_release():
    async with cluster(fault=at_write(3, REFUSED)) as (api, parts):

        def remove(request):
            if request.verb == "DELETE" and api.store.get(gang_place("g")):
                api.store.remove(gang_place("g"))

        refuse = api.fault
        api.fault = lambda request: refuse(request) or remove(request)
        outcome = await Try(parts).begin()

        assert (outcome.ending, pods_of(api, "g")) == (Ending.UNDONE, [])
