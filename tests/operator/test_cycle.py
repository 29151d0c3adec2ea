"""The whole operator on a fake API server: what it does, when, and that it does nothing else."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from fake_cluster.api import NEVER_ARRIVED, REFUSED, FakeApi, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.manifests import at, bid, gang, node, owned_by, pod, priority_class
from fake_cluster.rig import bound, condition, gang_place, pod_place, pods_of, running_operator, set_phase
from fake_cluster.store import Place
from lockstep.names import Condition
from lockstep.watch.quantities import epoch_seconds

pytestmark = pytest.mark.asyncio

PLACED = ("True", "Bound")
LONG = {"work": {"serialTime": "10m"}}


@asynccontextmanager
async def operator(*nodes, gangs=(), bids=()):
    """A running operator over these nodes (two of 8 CPUs unless told), gangs and bids."""
    async with FakeApi(now) as api:
        for resource, manifests in (
            ("nodes", nodes or (node("n1"), node("n2"))),
            ("nodebids", bids),
            ("gangjobs", gangs),
        ):
            for manifest in manifests:
                api.store.create(resource, manifest)
        async with running_operator(api) as parts:
            yield api, parts


def is_placed(api, name="g"):
    return condition(api, name, Condition.PLACED) == PLACED


def status(api, name="g"):
    return api.store.get(gang_place(name)).get("status", {})


def event_reasons(api):
    return [it["reason"] for it in api.store.objects("events")]


def finish(api, name, phase="Succeeded"):
    for it in pods_of(api, name):
        set_phase(api, it, phase)


async def test_gang_lands_runs_and_succeeds():
    async with operator(gangs=[gang("g", size=3)]) as (api, parts):
        await until(lambda: is_placed(api))
        assert len(bound(pods_of(api, "g"))) == 3
        finish(api, "g", "Running")
        await until(lambda: "startedAt" in status(api))
        finish(api, "g")
        await until(lambda: condition(api, "g", Condition.COMPLETE) == ("True", "Succeeded"))
        await until(lambda: len(event_reasons(api)) == 2)

        assert sorted(event_reasons(api)) == ["GangPlaced", "GangSucceeded"]
        assert len(pods_of(api, "g")) == 3
        assert (parts.state.reservations, parts.state.ledger.assumed) == ({}, 0)
        assert parts.metric("lockstep_gang_wait_seconds_count") == 1


async def test_idle_cycles_write_nothing():
    async with operator(gangs=[gang("g", spec=LONG), gang("too-big", size=90)]) as (api, parts):
        await until(lambda: is_placed(api) and condition(api, "too-big", "Planned"))
        await asyncio.sleep(30)
        quiet, cycles = len(api.requests), parts.metric("lockstep_cycles_total", result="idle")
        for number in range(5):
            # A heartbeat of a node, which changes nothing, and a wake-up for nothing.
            api.store.change(Place("nodes", "", "n1"), metadata={"annotations": {"beat": str(number)}})
            parts.state._changed(needs_plan=False)
            await asyncio.sleep(30)

        assert api.requests[quiet:] == []
        assert parts.metric("lockstep_cycles_total", result="idle") >= cycles + 5


async def test_planning_again_moves_nothing():
    async with operator(gangs=[gang("g", spec=LONG), gang("too-big", size=90)]) as (api, parts):
        await until(lambda: is_placed(api) and condition(api, "too-big", "Planned"))
        await asyncio.sleep(30)
        quiet = len(api.requests)
        for _ in range(5):
            parts.state._changed(needs_plan=True)
            await asyncio.sleep(30)

        assert api.requests[quiet:] == []
        assert parts.metric("lockstep_cycles_total", result="ok") >= 5


async def test_sleeping_operator_does_not_spin():
    async with operator(gangs=[gang("g")]) as (api, parts):
        await until(lambda: is_placed(api))
        await asyncio.sleep(5)
        before = sum(parts.metric("lockstep_cycles_total", result=one) for one in ("ok", "idle", "error"))
        await asyncio.sleep(3600)

        assert sum(parts.metric("lockstep_cycles_total", result=one) for one in ("ok", "idle", "error")) == before


async def test_two_gangs_of_which_one_fits():
    async with operator(node("n1"), gangs=[gang("a", cpu="3"), gang("b", cpu="3")]) as (api, _):
        await until(lambda: is_placed(api, "a") and condition(api, "b", "Planned"))
        assert pods_of(api, "b") == []

        finish(api, "a")
        await until(lambda: is_placed(api, "b"))


async def test_explanations_of_one_reason_are_told_seldom():
    async with operator(gangs=[gang("big", cpu="8", size=3)]) as (api, _):
        await until(lambda: condition(api, "big", "Planned"))
        told = [len(api.writes)]
        began = now()
        for number in range(30):
            # Every second the numbers are others: one more pod, or one less.
            if number % 2 == 0:
                api.store.create("pods", pod(f"p{number}", node="n1", cpu="100m"))
            else:
                api.store.remove(pod_place(f"p{number - 1}"))
            await asyncio.sleep(1)
        told.append(len(api.writes))

        assert told[1] - told[0] <= (now() - began) / 10 + 1
        assert event_reasons(api) == ["GangUnplaceable"]


async def test_new_reason_is_told_at_once():
    async with operator(node("n1", cordoned=True), gangs=[gang("g", size=9)]) as (api, _):
        await until(lambda: condition(api, "g", "Planned") == ("False", "NoNodeFits"))
        api.store.change(Place("nodes", "", "n1"), spec={"unschedulable": False})
        await until(lambda: condition(api, "g", "Planned") == ("False", "NotEnoughRoom"), seconds=2)


async def test_last_explanation_is_told_in_the_end():
    async with operator(node("n1"), node("n2", cpu="1"), gangs=[gang("big", cpu="8", size=3)]) as (api, _):
        await until(lambda: condition(api, "big", "Planned"))
        first = status(api, "big")["conditions"][1]["message"]
        api.store.change(Place("nodes", "", "n2"), status={"allocatable": {"cpu": "8", "pods": "110"}})
        await until(lambda: status(api, "big")["conditions"][1]["message"] != first, seconds=15)


async def test_gang_that_starts_later_starts_then():
    since = now() + 40
    async with operator(node("n1"), gangs=[gang("g", spec=LONG)], bids=[bid("n1", availableFrom=at(since))]) as (
        api,
        _,
    ):
        await until(lambda: condition(api, "g", "Planned") == ("True", "StartsLater"))
        assert (pods_of(api, "g"), status(api)["start"]) == ([], at(since))

        await until(lambda: is_placed(api))
        assert since <= now() <= since + 2
        assert status(api)["firstPlannedStart"] == at(since)
        assert "GangStartsLater" in event_reasons(api)


async def test_retries_come_later_and_later_up_to_a_limit():
    async with operator(gangs=[gang("g")]) as (api, parts):
        api.fault = lambda request: REFUSED if request.resource == "pods" and request.verb == "POST" else None
        await until(lambda: status(api).get("attempt", 0) >= 10, seconds=1000)
        assert parts.metric("lockstep_attempts_undone_total", reason="PodRefused") >= 9

    starts = reservation_times(api)
    pauses = [later - earlier for earlier, later in zip(starts, starts[1:], strict=False)]
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
    async with operator(gangs=[gang("g", size=3)]) as (api, parts):
        api.fault = refuse_third_pod(api)
        await until(lambda: condition(api, "g", "Placed") == ("False", "QuotaExceeded"))
        assert pods_of(api, "g") == []
        assert "The gang is planned again in" in status(api)["conditions"][1]["message"]

        api.fault = lambda _: None
        await until(lambda: is_placed(api))
        assert status(api)["attempt"] >= 2
        assert "BindInterrupted" in event_reasons(api)
        assert parts.metric("lockstep_assumed_pods") == 0


def refuse_third_pod(api):
    """A quota of two pods."""

    def fault(request):
        if (request.verb, request.resource) == ("POST", "pods") and len(pods_of(api, "g")) >= 2:
            return Refusal(code=403, message="exceeded quota: two pods")
        return None

    return fault


async def test_failed_attempt_does_not_hold_its_nodes_while_it_waits():
    async with operator(node("n1"), gangs=[gang("a", cpu="4")]) as (api, _):
        api.fault = lambda request: REFUSED if pods_are_of(request, "a") else None
        await until(lambda: status(api, "a").get("attempt", 0) >= 5)
        api.store.create("gangjobs", gang("b", cpu="4"))
        await until(lambda: is_placed(api, "b"), seconds=120)


def pods_are_of(request, name):
    return (request.verb, request.resource) == ("POST", "pods/binding") and request.name.startswith(f"{name}-")


async def test_refused_spec_is_told_once():
    refused = gang("g", pod_spec={"nodeName": "n1"})
    async with operator(gangs=[refused]) as (api, parts):
        await until(lambda: condition(api, "g", "Accepted") == ("False", "UnsupportedField"))
        await asyncio.sleep(5)
        count = len(api.writes)
        parts.state._changed(needs_plan=True)
        await asyncio.sleep(60)

        assert len(api.writes) == count
        assert event_reasons(api) == ["InvalidSpec"]


async def test_unknown_priority_class_is_told_and_then_found():
    async with operator(gangs=[gang("g", spec={"priorityClassName": "urgent"})]) as (api, _):
        await until(lambda: condition(api, "g", "Accepted") == ("False", "UnknownPriorityClass"))
        api.store.create("priorityclasses", priority_class("urgent", 100))
        await until(lambda: is_placed(api))
        assert condition(api, "g", "Accepted") == ("True", "SpecUnderstood")


async def test_more_urgent_gang_goes_first():
    async with operator(node("n1"), gangs=[gang("held", cpu="4")]) as (api, _):
        await until(lambda: is_placed(api, "held"))
        api.store.create("priorityclasses", priority_class("urgent", 100))
        api.store.create("gangjobs", gang("early", cpu="4"))
        api.store.create("gangjobs", gang("late", cpu="4", spec={"priorityClassName": "urgent"}))
        await until(lambda: condition(api, "early", "Planned") and condition(api, "late", "Planned"))
        finish(api, "held")
        await until(lambda: is_placed(api, "late"))
        assert pods_of(api, "early") == []


async def test_deleted_gang_leaves_no_pod_and_no_memory():
    async with operator(gangs=[gang("g", size=3)]) as (api, parts):
        await until(lambda: is_placed(api))
        api.store.remove(gang_place("g"))
        await until(lambda: not pods_of(api, "g"))
        await parts.quiet()

        assert (parts.state.reservations, parts.state.gangs, parts.state.pods) == ({}, {}, {})


async def test_gang_that_is_deleted_while_it_is_bound_leaves_no_pod():
    async with operator(gangs=[gang("g", size=3)]) as (api, parts):
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
        api.store.add("pods", pod("lost-1-0", node="n1", **owned_by("lost")), pod("somebody's", node="n1"))
        async with running_operator(api):
            await until(lambda: not pods_of(api, "lost"), seconds=60)
            assert [it["metadata"]["name"] for it in api.store.objects("pods")] == ["somebody's"]


async def test_member_that_is_deleted_by_hand_is_an_interrupted_attempt():
    async with operator(gangs=[gang("g", size=3)]) as (api, _):
        await until(lambda: is_placed(api))
        api.store.remove(pod_place("g-1-1"))
        await until(lambda: is_placed(api) and status(api)["attempt"] == 2)

        assert [it["metadata"]["name"] for it in pods_of(api, "g")] == ["g-2-0", "g-2-1", "g-2-2"]


async def test_member_that_is_turned_away_is_an_interrupted_attempt():
    async with operator(gangs=[gang("g", size=3)]) as (api, parts):
        await until(lambda: is_placed(api))
        set_phase(api, "g-1-1", "Failed", reason="OutOfcpu")
        await until(lambda: is_placed(api) and status(api)["attempt"] == 2)

        assert parts.metric("lockstep_attempts_undone_total", reason="PodRejected") == 1


async def test_member_that_fails_ends_the_gang_and_its_other_members():
    async with operator(gangs=[gang("g", size=3)]) as (api, _):
        await until(lambda: is_placed(api))
        finish(api, "g", "Running")
        set_phase(api, "g-1-1", "Failed")
        await until(lambda: condition(api, "g", "Complete") == ("True", "MemberFailed"))
        await until(lambda: [it["metadata"]["name"] for it in pods_of(api, "g")] == ["g-1-1"])


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
        assert status(api)["attempt"] == 1


def is_binding(request):
    return request.resource == "pods/binding"


async def test_restart_of_a_settled_cluster_writes_nothing():
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1"))
        api.store.add("gangjobs", gang("g", spec=LONG), gang("too-big", size=90))
        api.store.add("gangjobs", gang("refused", pod_spec={"nodeName": "n1"}))
        async with running_operator(api):
            await until(lambda: is_placed(api) and condition(api, "too-big", "Planned"))
            finish(api, "g", "Running")
            await until(lambda: "startedAt" in status(api) and condition(api, "refused", "Accepted"))
            await asyncio.sleep(30)
        count = len(api.writes)
        async with running_operator(api):
            await asyncio.sleep(60)

        assert api.writes[count:] == []


async def test_predictions_are_measured():
    async with operator(node("n1"), gangs=[gang("g", size=1, spec=LONG)]) as (api, parts):
        await until(lambda: is_placed(api))
        finish(api, "g", "Running")
        await until(lambda: "startedAt" in status(api))
        await asyncio.sleep(1200)
        finish(api, "g")
        await until(lambda: condition(api, "g", "Complete"))
        await until(lambda: parts.metric("lockstep_run_time_ratio_count"))

        assert parts.metric("lockstep_start_delay_seconds_count") == 1
        assert parts.metric("lockstep_start_delay_seconds_sum") < 5
        assert parts.metric("lockstep_run_time_ratio_sum") == pytest.approx(2, rel=0.02)


async def test_status_that_conflicts_is_computed_again():
    async with operator(gangs=[gang("g", size=90)]) as (api, _):
        await until(lambda: condition(api, "g", "Planned"))
        api.store.change(gang_place("g"), metadata={"labels": {"by": "somebody"}})
        api.store.add("nodes", *[node(f"m{number}") for number in range(20)])
        await until(lambda: is_placed(api))


def first_status(fault):
    """A fault at the first status that is written, and every try of it."""
    began = []

    def decide(request):
        if request.resource != "gangjobs/status":
            return None
        began.append(now())
        return fault() if now() - began[0] < 10 else None

    return decide


async def test_explanation_that_conflicts_is_told_over_the_newer_version():
    async with operator() as (api, _):
        edits = iter(["somebody"])

        def edit():
            for author in edits:
                api.store.change(gang_place("g"), metadata={"labels": {"by": author}})

        api.fault = first_status(edit)
        api.store.create("gangjobs", gang("g", size=90))
        await until(lambda: condition(api, "g", "Planned"), seconds=120)
        assert next(edits, None) is None


@pytest.mark.parametrize("code", [422, 503])
async def test_explanation_that_was_not_accepted_is_told_again(code):
    async with operator() as (api, _):
        api.fault = first_status(lambda: Refusal(code=code))
        api.store.create("gangjobs", gang("g", size=90))
        await until(lambda: any(request.resource == "gangjobs/status" for request in api.writes))
        await until(lambda: condition(api, "g", "Planned"), seconds=120)


async def test_event_is_not_posted_before_its_status_stands():
    async with operator() as (api, parts):
        api.fault = lambda request: Refusal(code=422) if request.resource == "gangjobs/status" else None
        api.store.create("gangjobs", gang("g", size=90))
        await until(lambda: any(request.resource == "gangjobs/status" for request in api.writes))
        await asyncio.sleep(60)
        assert event_reasons(api) == []
        assert parts.metric("lockstep_decisions_total", outcome="NotEnoughRoom") == 0

        api.fault = lambda _: None
        api.store.create("nodes", node("n3"))
        await until(lambda: event_reasons(api) == ["GangUnplaceable"])
        assert parts.metric("lockstep_decisions_total", outcome="NotEnoughRoom") == 1
