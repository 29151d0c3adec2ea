"""Gangs that give way to more urgent ones: what is written, in which order, and what both statuses say."""

import asyncio
from functools import partial

import pytest

from builders.served import budget, gang, metadata, node, priority_class
from fake_cluster.api import DELETE, PATCH, POST, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.rig import (
    api_with,
    condition,
    is_placed,
    leave_before,
    operator_over,
    pod_place,
    pods_of,
    running_operator,
    set_phases,
    status_of,
)
from fake_cluster.store import Place
from lockstep.cycle.planning import planning
from lockstep.cycle.planning.eviction_turns import EvictionTurns
from lockstep.cycle.planning.plan_thread import make_plan
from lockstep.cycle.planning.planning import PlanOptions

pytestmark = pytest.mark.asyncio

ONE_NODE = (node("n1", cpu="2"),)


def cold(name="cold", **more):
    """Describe a gang that fills the node."""
    return gang(name, **more)


def hot(name="hot", *, priority="urgent", **more):
    """Describe a gang that needs the whole node too."""
    return gang(name, spec={"priorityClassName": priority}, **more)


async def placed(api, name="cold"):
    """Place a gang alone."""
    api.store.create("priorityclasses", priority_class("urgent", 100))
    api.store.create("priorityclasses", priority_class("patient", 100, policy="Never"))
    await run(api, name)


async def run(api, name):
    """Place one more gang, whose members then run."""
    api.store.create("gangjobs", cold(name))
    await until(lambda: is_placed(api, name))
    set_phases(api, name, "Running")
    await until(lambda: status_of(api, name).get("startedAt"))


def says(api, name, kind):
    """The message of a gang's condition."""
    return next(one["message"] for one in status_of(api, name)["conditions"] if one["type"] == kind)


def events_of(api, name):
    """(type, reason, note) of the events about a gang that speak of preemption."""
    return [
        (one["type"], one["reason"], one["note"])
        for one in api.store.objects("events")
        if one["regarding"]["name"] == name and "Preempted" in one["reason"]
    ]


async def test_more_urgent_gang_takes_the_place_of_another_which_comes_back():
    async with operator_over(*ONE_NODE) as (api, parts):
        await placed(api)
        await asyncio.sleep(100)

        api.store.create("gangjobs", hot())
        await until(lambda: is_placed(api, "hot"))

        assert condition(api, "cold", "Preempted") == ("True", "Preempted")
        assert says(api, "cold", "Preempted") == "Gang default/hot, of priority 100, takes the place of this gang."
        assert "takes the place of gang default/cold" in says(api, "hot", "Planned")
        assert parts.metric("lockstep_gangs_preempted_total") == 1
        assert parts.metric("lockstep_preempted_member_seconds_total") == pytest.approx(200, rel=0.1)
        assert parts.metric("lockstep_attempts_undone_total", reason="Preempted") == 1
        set_phases(api, "hot", "Succeeded")
        await until(lambda: is_placed(api, "cold"))
        assert condition(api, "cold", "Preempted") == ("False", "Bound")
        assert status_of(api, "cold")["attempt"] == 2


async def test_events_on_both_sides_name_the_other():
    async with operator_over(*ONE_NODE) as (api, _):
        await placed(api)

        api.store.create("gangjobs", hot())
        await until(lambda: is_placed(api, "hot"))
        await until(lambda: events_of(api, "hot"))

        [(kind, reason, note)] = events_of(api, "cold")
        assert (kind, reason) == ("Warning", "GangPreempted")
        assert "gang default/hot" in note.lower()
        [(kind, reason, note)] = events_of(api, "hot")
        assert (kind, reason) == ("Normal", "PreemptedForGang")
        assert "default/cold" in note
        assert not [one for one in api.store.objects("events") if one["reason"] == "BindInterrupted"]


async def test_status_is_written_before_conditions_of_pods_and_those_before_pods_go():
    async with operator_over(*ONE_NODE) as (api, _):
        await placed(api)
        first = len(api.requests)

        api.store.create("gangjobs", hot())
        await until(lambda: is_placed(api, "hot"))

        cold_writes = [
            request[:2] for request in api.requests[first:] if request.name.startswith("cold") and request.is_write
        ]
        assert cold_writes[:5] == [(PATCH, "gangjobs/status"), *[(PATCH, "pods/status")] * 2, *[(DELETE, "pods")] * 2]


async def test_room_is_held_while_victims_take_their_grace():
    async with operator_over(*ONE_NODE) as (api, _):
        await placed(api)
        api.lingers = True
        api.store.create("gangjobs", hot())
        await until(lambda: condition(api, "hot", "Planned") == ("True", "Preempting"))

        api.store.create("gangjobs", cold("other"))
        await asyncio.sleep(20)

        assert "preempts gang default/cold, and starts when the members of that gang have ended" in says(
            api, "hot", "Planned"
        )
        assert not is_placed(api, "other")
        assert [one["type"] for one in pods_of(api, "cold")[0]["status"]["conditions"]] == ["DisruptionTarget"]
        for pod in pods_of(api, "cold"):
            api.store.remove(pod_place(pod["metadata"]["name"]))
        api.lingers = False
        await until(lambda: is_placed(api, "hot"))


async def test_gang_whose_victims_take_their_grace_evicts_no_other():
    async with operator_over(node("n1", cpu="2"), node("n2", cpu="2")) as (api, parts):
        await placed(api, "cold")
        api.store.create("gangjobs", cold("colder"))
        await until(lambda: is_placed(api, "colder"))
        api.lingers = True

        api.store.create("gangjobs", hot(pod_spec={"terminationGracePeriodSeconds": 600}))
        await until(lambda: condition(api, "hot", "Planned") == ("True", "Preempting"))
        await asyncio.sleep(300)

        assert parts.metric("lockstep_gangs_preempted_total") == 1


@pytest.mark.parametrize(
    "urgent",
    [
        pytest.param({"priority": "patient"}, id="its class says Never"),
        pytest.param({"priority": "equal"}, id="it is no more urgent"),
    ],
)
async def test_gang_waits(urgent):
    async with operator_over(*ONE_NODE) as (api, parts):
        api.store.create("priorityclasses", priority_class("equal", 0))
        await placed(api)

        api.store.create("gangjobs", hot(**urgent))
        await until(lambda: condition(api, "hot", "Planned"))
        await asyncio.sleep(100)

        assert is_placed(api, "cold")
        assert parts.metric("lockstep_gangs_preempted_total") == 0


COLD = {"matchLabels": {"lockstep.dev/gang": "cold"}}


@pytest.mark.parametrize(
    "forbids",
    [
        pytest.param(budget(allowed=0, selector=COLD), id="it allows none"),
        pytest.param(budget(allowed=1, selector=COLD), id="it allows one of two"),
        pytest.param(budget(allowed=9, counted=1, generation=2, selector=COLD), id="it was changed, and not counted"),
    ],
)
async def test_budget_keeps_its_pods_as_long_as_another_gang_can_give_way(forbids):
    async with operator_over(*ONE_NODE, node("n2", cpu="2")) as (api, _):
        # It has run for longer, so that evicting it loses more.
        await placed(api, "old")
        await asyncio.sleep(100)
        await run(api, "cold")
        api.store.create("poddisruptionbudgets", forbids)

        api.store.create("gangjobs", hot())

        await until(lambda: is_placed(api, "hot"))
        assert (is_placed(api, "cold"), condition(api, "old", "Preempted")) == (True, ("True", "Preempted"))


async def test_gang_that_a_budget_alone_protects_gives_way():
    async with operator_over(*ONE_NODE) as (api, _):
        await placed(api)
        api.store.create("poddisruptionbudgets", budget(allowed=0))

        api.store.create("gangjobs", hot())

        await until(lambda: is_placed(api, "hot"))
        assert condition(api, "cold", "Preempted") == ("True", "Preempted")


async def test_budget_of_others_keeps_no_gang():
    async with operator_over(*ONE_NODE) as (api, _):
        await placed(api)
        api.store.create("poddisruptionbudgets", budget(selector={"matchLabels": {"app": "web"}}))

        api.store.create("gangjobs", hot())

        await until(lambda: is_placed(api, "hot"))


async def test_victims_of_a_plan_are_evicted_by_the_next_process_too():
    async with api_with(*ONE_NODE) as api:
        async with running_operator(api):
            await placed(api)
        api.store.create("gangjobs", hot())
        await leave_before(api, (PATCH, "pods/status"))
        assert condition(api, "cold", "Placed") == ("False", "Undoing")
        assert len(pods_of(api, "cold")) == 2

        async with running_operator(api) as parts:
            await until(lambda: is_placed(api, "hot"))

            assert condition(api, "cold", "Preempted") == ("True", "Preempted")
            assert parts.metric("lockstep_gangs_preempted_total") == 0


async def test_gang_that_is_not_placed_yet_can_give_way():
    async with operator_over(*ONE_NODE) as (api, _):
        api.store.create("priorityclasses", priority_class("urgent", 100))
        api.fault = lambda request: Refusal(code=500) if request[:2] == (POST, "pods/binding") else None
        api.store.create("gangjobs", cold())
        await until(lambda: len(pods_of(api, "cold")) == 2)

        api.store.create("gangjobs", hot())
        await until(lambda: condition(api, "cold", "Preempted") == ("True", "Preempted"))
        api.fault = lambda _: None

        await until(lambda: is_placed(api, "hot"))


async def test_victim_that_its_owner_deletes_meanwhile_is_gone():
    async with operator_over(*ONE_NODE) as (api, _):
        await placed(api)
        api.lingers = True
        api.store.create("gangjobs", hot())
        await until(lambda: condition(api, "cold", "Preempted"))

        api.store.remove(Place("gangjobs", "default", "cold"))
        for pod in pods_of(api, "cold"):
            api.store.remove(pod_place(pod["metadata"]["name"]))

        await until(lambda: is_placed(api, "hot"))


@pytest.mark.parametrize(
    ("phase", "policy", "ended"),
    [
        pytest.param("Succeeded", {}, "Succeeded", id="it has succeeded"),
        pytest.param("Failed", {}, "MemberFailed", id="it has failed"),
        pytest.param("Running", {"activeDeadlineSeconds": 50}, "DeadlineExceeded", id="its time is over"),
    ],
)
@pytest.mark.parametrize("seconds", [pytest.param(0.01, id="seen"), pytest.param(0.02, id="being written")])
async def test_gang_that_ends_while_it_is_chosen_to_give_way_has_ended(phase, policy, ended, seconds):
    async def plan_for_a_while(work):
        made = work()
        if made.preemptions:
            set_phases(api, "cold", phase)
            await asyncio.sleep(seconds + policy.get("activeDeadlineSeconds", 0))
        return made

    async with operator_over(*ONE_NODE, plans=PlanOptions(run=plan_for_a_while)) as (api, parts):
        api.store.create("priorityclasses", priority_class("urgent", 100))
        api.store.create("gangjobs", cold(spec=policy))
        await until(lambda: is_placed(api, "cold"))

        api.store.create("gangjobs", hot())
        await until(lambda: is_placed(api, "hot"))

        assert condition(api, "cold", "Complete" if ended == "Succeeded" else "Failed") == ("True", ended)
        assert condition(api, "cold", "Placed") == ("True", ended)
        assert parts.metric("lockstep_gangs_preempted_total") == 0


async def test_pods_whose_condition_cannot_be_written_are_evicted_all_the_same():
    async with operator_over(*ONE_NODE) as (api, _):
        await placed(api)
        api.fault = lambda request: Refusal(code=422) if request[:2] == (PATCH, "pods/status") else None

        api.store.create("gangjobs", hot())

        await until(lambda: is_placed(api, "hot"))


async def test_gang_that_keeps_failing_evicts_no_other_again():
    async with operator_over(*ONE_NODE) as (api, parts):
        await placed(api)
        api.fault = lambda request: (
            Refusal(code=403, message="exceeded quota: q")
            if request[:2] == (POST, "pods") and request.name == ""
            else None
        )

        api.store.create("gangjobs", hot())
        await asyncio.sleep(3600)

        assert parts.metric("lockstep_gangs_preempted_total") == 1


async def test_gang_whose_network_name_is_taken_evicts_no_other():
    async with operator_over(*ONE_NODE) as (api, parts):
        await placed(api)
        api.store.create("services", {"metadata": metadata("hot", namespace="default")})
        api.store.create("gangjobs", gang("hot", spec={"priorityClassName": "urgent", "network": {}}))
        await asyncio.sleep(600)
        assert parts.metric("lockstep_gangs_preempted_total") == 0

        api.store.remove(Place("services", "default", "hot"))
        await until(lambda: is_placed(api, "hot"), seconds=1000)


async def test_two_gangs_preempt_two_others():
    async with operator_over(node("n1", cpu="2"), node("n2", cpu="2")) as (api, parts):
        await placed(api, "cold")
        api.store.create("gangjobs", cold("colder"))
        await until(lambda: is_placed(api, "colder"))

        api.store.create("gangjobs", hot("h1"))
        api.store.create("gangjobs", hot("h2"))
        await until(lambda: is_placed(api, "h1") and is_placed(api, "h2"))

        assert parts.metric("lockstep_gangs_preempted_total") == 2
        assert now() < 1_800_001_000


async def test_gangs_take_turns_where_one_at_a_time_may_evict_others(monkeypatch):
    """The first needs more than there is, whichever gangs give way to it."""
    evicting = []

    async def note_who_may_evict(work):
        if work.func is make_plan:
            evicting.append(sum(one.may_preempt for one in work.args[0].gangs))
        return work()

    monkeypatch.setattr(planning, "EvictionTurns", partial(EvictionTurns, most=1))
    async with operator_over(*ONE_NODE, plans=PlanOptions(run=note_who_may_evict)) as (api, parts):
        await placed(api)
        api.store.create("gangjobs", hot("never", size=9))
        api.store.create("gangjobs", hot())
        await until(lambda: is_placed(api, "hot"))

        assert parts.metric("lockstep_gangs_preempted_total") == 1
    assert max(evicting) == 1
