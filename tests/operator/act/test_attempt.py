"""One attempt, with a fault at each request: in the end all members are bound, or nothing is left."""

import asyncio
import itertools
from contextlib import asynccontextmanager

import pytest

from builders.facts import take_changed
from builders.served import gang, node, owned_by, pod
from coschedule import GangKey, Placement
from coschedule import Members as Planned
from fake_cluster.api import ANSWER_LOST, NEVER_ARRIVED, REFUSED, FakeApi, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.rig import bound, condition, end, gang_place, pod_place, pods_of, set_phase, watching_operator
from lockstep.act.attempt import Attempt
from lockstep.act.ending.undo import UndoListeners
from lockstep.act.requests.outcome import Ending
from lockstep.act.requests.window import LEAST_MEMBERS
from lockstep.belief.holding.reservation import Reservation, requests_of
from lockstep.facts.reasons import Reason
from lockstep.report.status.conditions import mark_reserved

pytestmark = pytest.mark.asyncio

KEY = GangKey("default", "g")
NODES = (Planned("n1", 2), Planned("n2", 1))
CONFLICT = Refusal(code=409, message="already there")
QUOTA = Refusal(code=403, message='pods "g-1-2" is forbidden: exceeded quota: small, requested: pods=1')
# reserve, three pods, three bindings; what becomes of the Service is test_network's
WRITES = 7
# Seconds between two looks for news, from the last one on; then longer and longer, for a quiet minute is long.
LEAST_PAUSE = 0.05


SILENT = UndoListeners(reported=lambda _: None, takes_long=lambda *_: None)


class Try:
    """An attempt of gang g that is ready to begin."""

    def __init__(self, parts):
        self.parts = parts
        self.gang = parts.state.gangs[KEY]
        placement = Placement(
            gang=KEY,
            size=3,
            start=now(),
            finish=now() + 60,
            speedup=None,
            members=NODES,
            slowest="n1",
            latest=None,
            alternative=None,
        )
        self.status = mark_reserved(self.gang, placement, attempt=1, now=now())
        self.reservation = Reservation(
            gang=KEY,
            gang_uid=self.gang.uid,
            attempt=1,
            members=self.status.members,
            requests=requests_of(self.gang.spec),
            start=now(),
            expected_finish=now() + 60,
        )
        parts.state.hold(self.reservation)
        self.attempt = Attempt(parts.services, self.gang, self.reservation, pause=lambda _: 1.0, listeners=SILENT)

    async def begin(self):
        return await self._told(self.attempt.begin(self.status))

    async def resume(self):
        return await self._told(self.attempt.resume())

    async def _told(self, work):
        """Carry out, with the news that the cycle would pass on."""
        task = asyncio.create_task(work)
        state = self.parts.state
        try:
            async with asyncio.timeout(900):
                pause = LEAST_PAUSE
                while not task.done():
                    await asyncio.sleep(pause)
                    pause = min(1.5 * pause, 2.0)
                    if take_changed(state):
                        self.attempt.changed.set()
                        pause = LEAST_PAUSE
        finally:
            await end([task])
        return task.result()


@asynccontextmanager
async def cluster(*, fault=lambda _: None):
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1"), node("n2"))
        api.store.add("gangjobs", gang("g", size=3))
        async with watching_operator(api) as parts:
            api.fault = fault
            yield api, parts


def at_write(number, fault, *, times=1):
    """A fault at the given write and the next ``times - 1`` ones, counted from 1, but for that of the Service."""
    writes = itertools.count(1)

    def decide(request):
        is_counted = request.is_write and request.resource != "services"
        return fault if is_counted and number <= next(writes) < number + times else None

    return decide


def at_first(verb, resource, fault):
    """A fault at the first such request."""
    left = [fault]

    def decide(request):
        return left.pop() if left and (request.verb, request.resource) == (verb, resource) else None

    return decide


def assert_whole(api, parts, outcome):
    assert outcome.ending is Ending.PLACED
    assert sorted(bound(pods_of(api, "g"))) == ["n1", "n1", "n2"]
    assert api.store.get(gang_place("g"))["status"]["reservedAt"]
    assert parts.state.ledger.assumed == 0


def assert_nothing_left(api, outcome):
    assert outcome.ending in (Ending.UNDONE, Ending.NOT_RESERVED, Ending.REFUSED)
    assert pods_of(api, "g") == []
    status = api.store.get(gang_place("g")).get("status", {})
    assert "reservedAt" not in status
    assert "members" not in status


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


@pytest.mark.parametrize("write", range(1, WRITES + 1))
@pytest.mark.parametrize(
    "fault", [REFUSED, CONFLICT, Refusal(code=422), Refusal(code=404)], ids=["403", "409", "422", "404"]
)
async def test_refused_write_leaves_nothing(write, fault):
    # A creation that conflicts with nothing is tried again, so all of them go on conflicting.
    async with cluster(fault=at_write(write, fault, times=20 if fault is CONFLICT else 1)) as (api, parts):
        outcome = await Try(parts).begin()

        assert_nothing_left(api, outcome)


@pytest.mark.parametrize("write", range(1, WRITES + 1))
@pytest.mark.parametrize(
    "fault",
    [ANSWER_LOST, NEVER_ARRIVED, Refusal(code=500), Refusal(code=429)],
    ids=["answer lost", "request lost", "500", "429"],
)
async def test_passing_trouble_at_a_write_does_no_harm(write, fault):
    async with cluster(fault=at_write(write, fault)) as (api, parts):
        outcome = await Try(parts).begin()

        assert_whole(api, parts, outcome)


@pytest.mark.parametrize("write", range(1, WRITES + 1))
@pytest.mark.parametrize("fault", [ANSWER_LOST, NEVER_ARRIVED], ids=["answers lost", "requests lost"])
async def test_outage_ends_in_all_or_nothing(write, fault):
    async with cluster(fault=at_write(write, fault, times=20)) as (api, parts):
        outcome = await Try(parts).begin()

        if outcome.ending is Ending.PLACED:
            assert_whole(api, parts, outcome)
        elif outcome.ending is Ending.NOT_RESERVED:
            assert_whole(api, parts, await Try(parts).resume())
        else:
            assert_nothing_left(api, outcome)
            assert outcome.failure.reason is Reason.API_UNAVAILABLE


@pytest.mark.parametrize("write", range(2, 5))
async def test_conflict_over_a_quota_is_no_refusal(write):
    async with cluster(fault=at_write(write, Refusal(code=409), times=3)) as (api, parts):
        outcome = await Try(parts).begin()

        assert_whole(api, parts, outcome)


async def test_conflict_that_does_not_end_undoes_the_attempt():
    async with cluster(fault=at_write(4, Refusal(code=409), times=4)) as (api, parts):
        outcome = await Try(parts).begin()

        assert_nothing_left(api, outcome)
        assert outcome.failure.reason is Reason.POD_REFUSED
        assert outcome.failure.message == "the API server said 4 times that pod g-1-2 conflicts with another"


async def test_quota_is_named():
    async with cluster(fault=at_write(4, QUOTA)) as (api, parts):
        outcome = await Try(parts).begin()

        assert outcome.failure.reason is Reason.QUOTA_EXCEEDED
        assert "exceeded quota: small" in outcome.failure.message
        assert condition(api, "g", "Placed") == ("False", "QuotaExceeded")
        assert condition(api, "g", "Planned") == ("False", "ReservationReleased")


async def test_undoing_survives_trouble_of_its_own():
    troubled = itertools.chain.from_iterable([None, *[Refusal(code=500)] * 9] for _ in range(5))
    refuse = at_first("POST", "pods/binding", REFUSED)

    def fault(request):
        return refuse(request) or (next(troubled, None) if request.verb == "DELETE" else None)

    async with cluster(fault=fault) as (api, parts):
        assert_nothing_left(api, await Try(parts).begin())


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
        api.store.change(gang_place("g"), metadata={"labels": {"by": "somebody"}})
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
    pytest.param({}, id="of nobody"),
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
                replaced.append(api.store.add("pods", pod(request.name, uid="of-somebody-else")))

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


@pytest.mark.parametrize("writes", range(1, WRITES))
async def test_next_process_finishes_what_one_left_after_any_write(writes):
    async with cluster(fault=at_write(writes + 1, NEVER_ARRIVED, times=100)) as (api, parts):
        dying = asyncio.create_task(Try(parts).begin())
        await until(lambda: len(api.writes) > writes)
        await end([dying])
        left = uids(pods_of(api, "g"))
        api.fault = lambda _: None
        await parts.quiet()
        outcome = await Try(parts).resume()

        assert_whole(api, parts, outcome)
        assert left.items() <= uids(pods_of(api, "g")).items()


def uids(pods):
    return {it["metadata"]["name"]: it["metadata"]["uid"] for it in pods}


async def test_gang_that_is_deleted_meanwhile_needs_no_release():
    async with cluster(fault=at_write(3, REFUSED)) as (api, parts):

        def remove(request):
            if request.verb == "DELETE" and api.store.get(gang_place("g")):
                api.store.remove(gang_place("g"))

        refuse = api.fault
        api.fault = lambda request: refuse(request) or remove(request)
        outcome = await Try(parts).begin()

        assert (outcome.ending, pods_of(api, "g")) == (Ending.UNDONE, [])
