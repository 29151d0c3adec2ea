"""What becomes of gangs that are refused, interrupted, deleted, or left half-way by a process that died."""

import asyncio
import itertools

import pytest

from builders.served import gang, node, owned_by, pod
from fake_cluster.api import ANSWER_LOST, NEVER_ARRIVED, REFUSED, FakeApi, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.rig import (
    bound,
    condition,
    event_reasons,
    gang_place,
    is_placed,
    messages_of,
    operator_over,
    pod_place,
    pods_of,
    running_operator,
    set_phase,
    set_phases,
    status_of,
)
from lockstep.api.quantities import epoch_seconds

pytestmark = pytest.mark.asyncio

LONG = {"work": {"serialTime": "10m"}}


async def test_reservation_whose_answer_was_lost_is_carried_out():
    async with operator_over(gangs=[gang("g", size=3)]) as (api, _):
        api.fault = lose_the_reservation(api)
        await until(lambda: is_placed(api))

        assert len(bound(pods_of(api, "g"))) == 3


async def test_reservation_whose_answer_was_lost_is_never_taken_for_a_placed_gang():
    async with operator_over(node("n1"), gangs=[gang("g", size=3)]) as (api, _):
        # Before the gang is reconciled again, a foreign pod takes the room.
        api.fault = lose_the_reservation(api, then=lambda: api.store.create("pods", pod("thief", node="n1", cpu="7")))
        await asyncio.sleep(300)
        assert is_placed(api) == (len(bound(pods_of(api, "g"))) == 3)
        assert condition(api, "g", "Complete") == ("False", "NotFinished")

        api.store.remove(pod_place("thief"))
        await until(lambda: is_placed(api))
        assert len(bound(pods_of(api, "g"))) == 3


async def test_event_comes_where_the_answer_to_its_status_was_lost():
    async with operator_over(gangs=[gang("g", size=3)]) as (api, _):
        api.fault = lose_the_placement(3)
        await until(lambda: "GangPlaced" in event_reasons(api))


def lose_the_placement(size):
    """Lose the answer to the first status after so many bindings."""
    seen = []

    def fault(request):
        if request.resource == "pods/binding":
            seen.append(request)
        if request.resource != "gangjobs/status" or len(seen) != size:
            return None
        seen.append(request)
        return ANSWER_LOST

    return fault


def lose_the_reservation(api, *, then=lambda: None):
    lost = []

    def fault(request):
        if request.resource != "gangjobs/status" or lost:
            return None
        lost.append(request)
        then()
        return ANSWER_LOST

    return fault


async def test_retries_come_later_and_later_up_to_a_limit():
    async with operator_over(gangs=[gang("g")]) as (api, parts):
        api.fault = lambda request: REFUSED if request.resource == "pods" and request.verb == "POST" else None
        await until(lambda: status_of(api).get("attempt", 0) >= 10, seconds=1000)
        assert parts.metric("lockstep_attempts_undone_total", reason="PodRefused") >= 9

    starts = reservation_times(api)
    pauses = [later - earlier for earlier, later in itertools.pairwise(starts)]
    wanted = [min(2**number, 60) for number in range(len(pauses))]
    assert all(want - 1 <= pause <= want + 3 for pause, want in zip(pauses, wanted, strict=True)), pauses


def reservation_times(api):
    """When each attempt of gang g was reserved, in whole seconds."""
    by_attempt = {}
    for recorded in api.store.past:
        entry = recorded.event["object"].get("status", {})
        if recorded.resource == "gangjobs" and "reservedAt" in entry:
            by_attempt.setdefault(entry["attempt"], epoch_seconds(entry["reservedAt"]))
    return [by_attempt[attempt] for attempt in sorted(by_attempt)]


async def test_gang_lands_when_it_is_no_longer_refused():
    async with operator_over(gangs=[gang("g", size=3)]) as (api, parts):
        api.fault = refuse_third_pod(api)
        await until(lambda: condition(api, "g", "Placed") == ("False", "QuotaExceeded"))
        assert pods_of(api, "g") == []
        assert "The gang is planned again in" in status_of(api)["conditions"][1]["message"]

        api.fault = lambda _: None
        await until(lambda: is_placed(api))
        assert status_of(api)["attempt"] >= 2
        assert "QuotaExceeded" in event_reasons(api)
        assert "BindInterrupted" not in event_reasons(api)
        assert parts.metric("lockstep_assumed_pods") == 0


def refuse_third_pod(api):
    """A quota of two pods."""

    def fault(request):
        if (request.verb, request.resource) == ("POST", "pods") and len(pods_of(api, "g")) >= 2:
            return Refusal(code=403, message="exceeded quota: two pods")
        return None

    return fault


async def test_gang_that_fails_on_and_on_gives_way_to_those_behind():
    async with operator_over(node("n1"), gangs=[gang("a", cpu="4")]) as (api, _):
        api.fault = lambda request: REFUSED if pods_are_of(request, "a") else None
        await until(lambda: status_of(api, "a").get("attempt", 0) >= 5)
        api.store.create("gangjobs", gang("b", cpu="4"))
        await until(lambda: is_placed(api, "b"), seconds=120)


def pods_are_of(request, name):
    return (request.verb, request.resource) == ("POST", "pods/binding") and request.name.startswith(f"{name}-")


async def test_deleted_gang_leaves_no_pod_and_no_memory():
    async with operator_over(gangs=[gang("g", size=3)]) as (api, parts):
        await until(lambda: is_placed(api))
        api.store.remove(gang_place("g"))
        await until(lambda: not pods_of(api, "g"))
        await parts.quiet()

        assert (parts.state.reservations, parts.state.gangs, parts.state.pods) == ({}, {}, {})


async def test_gang_that_is_deleted_while_it_is_bound_leaves_no_pod():
    async with operator_over(gangs=[gang("g", size=3)]) as (api, parts):
        api.fault = remove_gang_at_second_binding(api)
        await until(lambda: api.store.get(gang_place("g")) is None)
        await until(lambda: not pods_of(api, "g"))
        await asyncio.sleep(60)

        assert (pods_of(api, "g"), parts.state.ledger.assumed, parts.state.reservations) == ([], 0, {})


def remove_gang_at_second_binding(api):
    def fault(request):
        if request.resource == "pods/binding" and bound(pods_of(api, "g")) and api.store.get(gang_place("g")):
            api.store.remove(gang_place("g"))

    return fault


async def test_orphans_found_at_the_start_are_swept():
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1"))
        api.store.add("pods", pod("lost-1-0", node="n1", **owned_by("lost")), pod("foreign", node="n1"))
        async with running_operator(api):
            await until(lambda: not pods_of(api, "lost"), seconds=60)
            assert [it["metadata"]["name"] for it in api.store.objects("pods")] == ["foreign"]


async def test_member_that_is_deleted_by_hand_is_an_interrupted_attempt():
    async with operator_over(gangs=[gang("g", size=3)]) as (api, _):
        await until(lambda: is_placed(api))
        api.store.remove(pod_place("g-1-1"))
        await until(lambda: is_placed(api) and status_of(api)["attempt"] == 2)

        assert [it["metadata"]["name"] for it in pods_of(api, "g")] == ["g-2-0", "g-2-1", "g-2-2"]


async def test_member_that_is_turned_away_is_an_interrupted_attempt():
    async with operator_over(gangs=[gang("g", size=3)]) as (api, parts):
        await until(lambda: is_placed(api))
        set_phase(api, "g-1-1", "Failed", reason="OutOfcpu")
        await until(lambda: is_placed(api) and status_of(api)["attempt"] == 2)

        assert parts.metric("lockstep_attempts_undone_total", reason="PodRejected") == 1


async def test_gang_that_a_kubelet_turns_away_again_and_again_goes_elsewhere():
    async with operator_over(node("n1"), node("n2"), gangs=[gang("g", size=1, cpu="6")]) as (api, _):
        [first] = await turned_away(api, attempt=1)
        assert await turned_away(api, attempt=2) == [first]
        await until(lambda: "Failed" not in phases(api) and status_of(api)["attempt"] == 3 and is_placed(api))

        assert bound(pods_of(api, "g")) == [{"n1": "n2", "n2": "n1"}[first]]
        assert f"Lockstep keeps the gang off {first} for 5 minutes" in " ".join(messages_of(api))


async def test_gang_that_kubelets_turn_away_rests_longer_each_time_though_it_was_placed_between():
    nodes = [node(f"n{number}") for number in range(8)]
    async with operator_over(*nodes, gangs=[gang("g", size=1, cpu="6")]) as (api, _):
        for attempt in range(1, 7):
            await turned_away(api, attempt=attempt)
        await until(lambda: status_of(api).get("attempt") == 7)

    starts = reservation_times(api)
    pauses = [later - earlier for earlier, later in itertools.pairwise(starts)]
    assert pauses == pytest.approx([1, 2, 4, 8, 16, 32], abs=2)


async def test_gang_that_has_run_for_a_while_is_tried_again_at_once():
    nodes = [node(f"n{number}") for number in range(8)]
    async with operator_over(*nodes, gangs=[gang("g", size=1, cpu="6")]) as (api, _):
        for attempt in range(1, 5):
            await turned_away(api, attempt=attempt)
        await until(lambda: status_of(api)["attempt"] == 5 and is_placed(api))
        set_phases(api, "g", "Running")
        await asyncio.sleep(61)
        await turned_away(api, attempt=5)
        await until(lambda: status_of(api)["attempt"] == 6)

    *_, last, again = reservation_times(api)
    assert again - last <= 61 + 4


async def test_gang_waits_where_the_only_node_turns_it_away_and_says_why():
    async with operator_over(node("n1"), gangs=[gang("g", size=1, cpu="6")]) as (api, _):
        await turned_away(api, attempt=1)
        await turned_away(api, attempt=2)
        await until(lambda: condition(api, "g", "Planned") == ("False", "NoNodeFits"))
        assert "whose kubelets have rejected its members repeatedly" in " ".join(messages_of(api))

        await until(lambda: status_of(api)["attempt"] == 3 and is_placed(api), seconds=400)

    first, second, third = reservation_times(api)
    assert second - first < 5
    assert 295 < third - second < 320


async def turned_away(api, *, attempt):
    """Wait until the attempt is placed, and have its node's kubelet turn it away; returns the node."""
    await until(lambda: status_of(api).get("attempt") == attempt and is_placed(api), seconds=400)
    nodes = bound(pods_of(api, "g"))
    set_phase(api, f"g-{attempt}-0", "Failed", reason="OutOfcpu", message="no room")
    return nodes


def phases(api):
    return [it.get("status", {}).get("phase") for it in pods_of(api, "g")]


async def test_member_that_fails_ends_the_gang_and_its_other_members_which_stay():
    async with operator_over(gangs=[gang("g", size=3)]) as (api, _):
        await until(lambda: is_placed(api))
        set_phases(api, "g", "Running")
        set_phase(api, "g-1-1", "Failed")
        await until(lambda: condition(api, "g", "Failed") == ("True", "MemberFailed"))
        await until(lambda: {it["status"]["phase"] for it in pods_of(api, "g")} == {"Failed"})
        assert len(pods_of(api, "g")) == 3


async def test_restart_goes_on_from_the_status():
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1"), node("n2"))
        api.store.add("gangjobs", gang("g", size=3))
        api.fault = lambda request: NEVER_ARRIVED if is_binding(request) and bound(pods_of(api, "g")) else None
        async with running_operator(api):
            await until(lambda: bound(pods_of(api, "g")))
        api.fault = lambda _: None
        kept = {it["metadata"]["name"]: it["metadata"]["uid"] for it in pods_of(api, "g")}
        assert (len(kept), len(bound(pods_of(api, "g")))) == (3, 1)
        async with running_operator(api):
            await until(lambda: is_placed(api))

        assert {it["metadata"]["name"]: it["metadata"]["uid"] for it in pods_of(api, "g")} == kept
        assert status_of(api)["attempt"] == 1


def is_binding(request):
    return request.resource == "pods/binding"


async def test_restart_of_a_settled_cluster_writes_nothing():
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1"))
        api.store.add("gangjobs", gang("g", spec=LONG), gang("too-big", size=90))
        api.store.add("gangjobs", gang("refused", pod_spec={"nodeName": "n1"}))
        async with running_operator(api):
            await until(lambda: is_placed(api) and condition(api, "too-big", "Planned"))
            set_phases(api, "g", "Running")
            await until(lambda: "startedAt" in status_of(api) and condition(api, "refused", "Accepted"))
            await asyncio.sleep(30)
        count = len(api.writes)
        async with running_operator(api):
            await asyncio.sleep(60)

        assert api.writes[count:] == []


async def test_pod_of_an_attempt_that_is_over_is_swept_beside_the_present_one():
    async with operator_over(gangs=[gang("g", size=2)]) as (api, _):
        await until(lambda: is_placed(api))
        api.store.create("pods", pod("g-0-5", **owned_by("g", attempt=0, rank=5)))
        await until(lambda: api.store.get(pod_place("g-0-5")) is None, seconds=60)

        assert [it["metadata"]["name"] for it in pods_of(api, "g")] == ["g-1-0", "g-1-1"]


async def test_status_that_reserves_what_the_spec_does_not_allow_is_replaced():
    """Another writer wrote it: its pods are stale, and the gang is planned as if it had none."""
    absurd = [{"node": f"n{number}", "count": 10_000} for number in range(10_000)]
    status = {"attempt": 2**31 - 1, "members": absurd, "reservedAt": "0000-01-01t00:00:00+99:00"}
    async with operator_over(gangs=[gang("g", size=3, status=status)]) as (api, parts):
        api.store.add("pods", pod("g-2147483647-0", node="n1", **owned_by("g", attempt=2**31 - 1)))
        await until(lambda: is_placed(api))
        await until(lambda: len(pods_of(api, "g")) == 3)

        assert (status_of(api)["attempt"], parts.state.ledger.assumed) == (1, 0)
        assert all(it["metadata"]["labels"]["lockstep.dev/attempt"] == "1" for it in pods_of(api, "g"))


async def test_gang_created_again_under_its_name_does_not_rest_for_the_failures_of_the_earlier_one():
    async with operator_over() as (api, _):
        api.fault = lambda request: REFUSED if request.resource == "pods" and request.verb == "POST" else None
        api.store.create("gangjobs", gang("g", uid="first"))
        await until(lambda: status_of(api).get("attempt") == 7)
        await until(lambda: "reservedAt" not in status_of(api))
        api.fault = lambda _: None
        # Both events come before the next cycle.
        api.store.remove(gang_place("g"))
        api.store.create("gangjobs", gang("g", uid="second"))

        await until(lambda: is_placed(api), seconds=10)
