"""What statuses of waiting gangs say of their start, by a whole operator."""

import asyncio
from copy import deepcopy
from datetime import datetime

import pytest

from builders.served import bid, gang, node, pod, priority_class
from coschedule import Promises
from fake_cluster.api import FakeApi
from fake_cluster.jumping import now, until
from fake_cluster.rig import (
    condition,
    gang_place,
    is_placed,
    operator_over,
    pods_of,
    running_operator,
    set_phases,
    status_of,
)
from fake_cluster.store import Place
from lockstep.api.quantities import rfc3339
from lockstep.cycle.planning.planning import PlanOptions

pytestmark = pytest.mark.asyncio


def work(seconds):
    return {"work": {"serialTime": f"{seconds}s"}}


def plan_of(api, name):
    return status_of(api, name).get("plan")


def seconds_of(text):
    return datetime.fromisoformat(text).timestamp()


def submit(api, name, seconds, **more):
    api.store.create("gangjobs", gang(name, size=2, cpu="8", spec=work(seconds), **more))


async def runs(api, name="runs", seconds=600):
    """Let a gang of that name have both nodes."""
    submit(api, name, seconds)
    await until(lambda: is_placed(api, name))
    set_phases(api, name, "Running")


async def test_status_of_a_waiting_gang_has_start_promise_size_speeds_position_and_what_it_waits_for():
    async with operator_over(bids=[bid("n1", capacity="2"), bid("n2", capacity="2")]) as (api, parts):
        await runs(api)
        start = seconds_of(status_of(api, "runs")["expectedFinish"])
        submit(api, "a", 120)
        submit(api, "b", 240)
        await until(lambda: plan_of(api, "a") and plan_of(api, "b"))

        estimate = plan_of(api, "a")
        assert abs(seconds_of(estimate["likelyStart"]) - start) <= 1
        assert seconds_of(estimate["promisedStart"]) - seconds_of(estimate["likelyStart"]) == pytest.approx(10, abs=1)
        assert seconds_of(estimate["expectedFinish"]) - seconds_of(estimate["likelyStart"]) == pytest.approx(30, abs=1)
        assert estimate["size"] == 2
        assert estimate["kinds"] == [{"speed": "2", "members": 2}]
        assert [plan_of(api, name)["position"] for name in ("a", "b")] == [1, 2]
        assert estimate["waitsFor"].startswith("2 slots on nodes of speed 2, held by default/runs until ")
        assert plan_of(api, "b")["waitsFor"].startswith("2 slots on nodes of speed 2, held by default/a until ")
        assert estimate["changedBecause"] == "FirstPlanned"
        assert parts.metric("lockstep_plan_changes_total", reason="FirstPlanned") == 2


async def test_short_gang_passes_a_long_one_and_both_statuses_say_so():
    async with operator_over() as (api, parts):
        await runs(api)
        submit(api, "long", 7200)
        await until(lambda: plan_of(api, "long"))
        promised = plan_of(api, "long")["promisedStart"]
        submit(api, "short", 1200)
        await until(lambda: plan_of(api, "short"))
        await until(lambda: plan_of(api, "long")["changedBecause"] == "QueueChanged", seconds=60)

        assert plan_of(api, "long")["promisedStart"] == promised
        assert seconds_of(plan_of(api, "short")["likelyStart"]) < seconds_of(plan_of(api, "long")["likelyStart"])
        assert parts.metric("lockstep_promises_broken_total", reason="QueueChanged") == 0


@pytest.mark.parametrize("promises", [Promises.CONSERVATIVE, Promises.EASY])
async def test_short_gang_does_not_pass_where_that_would_delay_the_first(promises):
    async with operator_over(plans=options(promises)) as (api, _):
        await runs(api)
        submit(api, "long", 7200)
        await until(lambda: plan_of(api, "long"))
        submit(api, "short", 60)
        await until(lambda: plan_of(api, "short"))

        estimate = plan_of(api, "long")
        assert seconds_of(estimate["promisedStart"]) - seconds_of(estimate["likelyStart"]) <= 1, (
            "a promise is rounded up"
        )
        assert seconds_of(plan_of(api, "short")["likelyStart"]) > seconds_of(plan_of(api, "long")["likelyStart"])


async def test_nothing_is_promised_with_none():
    async with operator_over(plans=options(Promises.NONE)) as (api, _):
        await runs(api)
        submit(api, "a", 60)
        await until(lambda: plan_of(api, "a"))

        assert "promisedStart" not in plan_of(api, "a")


def options(promises):
    async def inline(made):
        return made()

    return PlanOptions(run=inline, promises=promises)


async def test_new_leader_keeps_the_promise_and_the_plan_of_the_old_one():
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1"), node("n2"))
        async with running_operator(api):
            await runs(api)
            submit(api, "long", 7200)
            await until(lambda: plan_of(api, "long"))
            estimate = plan_of(api, "long")
        async with running_operator(api) as parts:
            await asyncio.sleep(30)
            assert plan_of(api, "long") == estimate
            for number in range(4):
                submit(api, f"short{number}", 60)
            await until(lambda: all(plan_of(api, f"short{number}") for number in range(4)))
            await asyncio.sleep(30)

            assert plan_of(api, "long")["promisedStart"] == estimate["promisedStart"]
            assert parts.state.gangs[("default", "long")].status.plan.promised_start >= seconds_of(
                estimate["promisedStart"]
            )


async def test_reason_from_another_writer_is_not_counted():
    async with operator_over() as (api, parts):
        await runs(api)
        submit(api, "a", 120)
        await until(lambda: plan_of(api, "a"))
        status = deepcopy(status_of(api, "a"))
        status["plan"]["changedBecause"] = "Nonsense"
        for one in status["conditions"]:
            one["reason"] = "Nonsense"
        api.store.change(gang_place("a"), status=status)
        submit(api, "b", 240)
        await until(lambda: plan_of(api, "a")["changedBecause"] != "Nonsense", seconds=60)

        assert plan_of(api, "a")["changedBecause"] == "QueueChanged"
        assert parts.metric("lockstep_plan_changes_total", reason="Nonsense") is None


async def test_start_is_compared_with_what_was_forecast():
    async with operator_over() as (api, parts):
        await runs(api, seconds=60)
        submit(api, "a", 120)
        await until(lambda: plan_of(api, "a"))
        await asyncio.sleep(20)
        set_phases(api, "runs", "Succeeded")
        await until(lambda: is_placed(api, "a"))

        assert parts.metric("lockstep_promises_kept_total") == 1
        assert parts.metric("lockstep_start_promise_spare_seconds_count") == 1
        assert parts.metric("lockstep_promised_wait_ratio_sum") > 1
        assert plan_of(api, "a")["changedBecause"] == "FirstPlanned", "the forecast stands beside the real start"


async def test_speedup_that_was_reached_stands_beside_the_prediction():
    async with operator_over() as (api, _):
        await runs(api, "g", seconds=60)
        await until(lambda: "startedAt" in status_of(api))
        await asyncio.sleep(15)
        set_phases(api, "g", "Succeeded")
        await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))

        assert float(status_of(api)["speedupReached"]) == pytest.approx(60 / 15, rel=0.1)


async def test_overrun_moves_the_promise_says_why_and_counts():
    async with operator_over() as (api, parts):
        await runs(api, seconds=60)
        submit(api, "a", 20)
        await until(lambda: plan_of(api, "a"))
        first = plan_of(api, "a")
        await until(lambda: plan_of(api, "a")["promisedStart"] != first["promisedStart"], seconds=1200)

        estimate = plan_of(api, "a")
        assert estimate["changedBecause"] == "Overrun"
        assert seconds_of(estimate["promisedStart"]) > seconds_of(first["promisedStart"])
        assert parts.metric("lockstep_promises_broken_total", reason="Overrun") >= 1


async def test_likely_start_never_stays_in_the_past_and_a_long_wait_takes_few_statuses():
    async with operator_over() as (api, parts):
        for number in range(200):
            parts.state.forecasts.record("u", created=0.0, planned=100.0, started=0.4 * number)
        await runs(api, seconds=20_000)
        submit(api, "a", 120)
        await until(lambda: plan_of(api, "a"))
        first, estimates = plan_of(api, "a"), {}
        while plan_of(api, "a") and not is_placed(api, "a") and now() < seconds_of(first["expectedFinish"]) - 600:
            plan = plan_of(api, "a")
            estimates[plan["likelyStart"]] = plan["changedBecause"]
            assert seconds_of(plan["likelyStart"]) > now() - 2
            await asyncio.sleep(20)

        assert 2 < len(estimates) <= 9
        assert {*estimates.values()} == {"FirstPlanned", "LikelyStartPassed"}
        assert plan_of(api, "a")["promisedStart"] == first["promisedStart"]
        assert parts.metric("lockstep_plan_changes_total", reason="LikelyStartPassed") == len(estimates) - 1


async def test_wait_behind_a_gang_that_overruns_takes_few_statuses():
    async with operator_over() as (api, _):
        await runs(api, seconds=60)
        submit(api, "a", 20)
        await until(lambda: plan_of(api, "a"))
        since, estimates = now(), set()
        while now() < since + 3 * 3600:
            estimates.add((plan_of(api, "a")["likelyStart"], plan_of(api, "a")["promisedStart"]))
            assert seconds_of(plan_of(api, "a")["likelyStart"]) > now() - 75
            await asyncio.sleep(5)

        # An end that has passed moves by a twentieth of the run: from a minute to three hours there are 106 such steps.
        assert len(estimates) <= 2 * 106


async def test_more_urgent_gang_moves_the_promise_of_others():
    async with operator_over() as (api, parts):
        api.store.create("priorityclasses", priority_class("urgent", 9, policy="Never"))
        await runs(api)
        submit(api, "a", 20)
        await until(lambda: plan_of(api, "a"))
        api.store.create(
            "gangjobs",
            gang(
                "urgent",
                size=2,
                cpu="8",
                spec={**work(600), "priorityClassName": "urgent"},
                creationTimestamp=rfc3339(now()),
            ),
        )
        await until(lambda: plan_of(api, "a")["changedBecause"] == "MoreUrgent", seconds=60)

        assert parts.metric("lockstep_promises_broken_total", reason="MoreUrgent") == 1


async def test_lost_node_is_named_as_the_reason():
    later = bid("n3", availableFrom=rfc3339(now() + 100))
    async with operator_over(node("n1"), node("n2"), node("n3"), bids=[later]) as (api, parts):
        await runs(api)
        api.store.create("gangjobs", gang("a", size=1, cpu="8", spec=work(60)))
        await until(lambda: plan_of(api, "a"))
        assert plan_of(api, "a")["waitsFor"] == f"node n3, which opens at {rfc3339(now() + 100)}"
        api.store.remove(Place("nodes", "", "n3"))
        await until(lambda: plan_of(api, "a")["changedBecause"] == "NodesLost", seconds=60)

        assert plan_of(api, "a")["waitsFor"].startswith("1 slot on nodes of speed 1, held by default/runs until")
        assert parts.metric("lockstep_promises_broken_total", reason="NodesLost") == 1


async def test_gang_that_is_undone_and_waits_again_is_promised_anew():
    async with operator_over() as (api, _):
        await runs(api, seconds=60)
        submit(api, "a", 120)
        await until(lambda: plan_of(api, "a"))
        set_phases(api, "runs", "Succeeded")
        await until(lambda: is_placed(api, "a"))
        for pod in pods_of(api, "a")[:1]:
            api.store.remove(gang_place("a")._replace(resource="pods", name=pod["metadata"]["name"]))
        await until(lambda: status_of(api, "a")["attempt"] == 2 and is_placed(api, "a"))

        assert plan_of(api, "a") is None


async def test_gang_that_goes_and_comes_again_by_the_same_name_is_promised_anew():
    async with operator_over() as (api, _):
        await runs(api)
        submit(api, "a", 20)
        submit(api, "b", 30)
        await until(lambda: plan_of(api, "a") and plan_of(api, "b"))
        before = plan_of(api, "b")["promisedStart"]
        api.store.remove(gang_place("b"))
        await asyncio.sleep(5)
        api.store.create("gangjobs", gang("b", size=1, cpu="8", spec=work(3000)))
        await until(lambda: plan_of(api, "b"))

        assert plan_of(api, "b")["promisedStart"] > before
        assert plan_of(api, "b")["changedBecause"] == "FirstPlanned"


@pytest.mark.parametrize(
    ("happens", "why"),
    [
        (lambda api: api.store.remove(Place("nodes", "", "n1")), "NodesLost"),
        (lambda api: api.store.change(Place("nodes", "", "n1"), spec={"unschedulable": True}), "NodesLost"),
        (lambda api: api.store.create("pods", pod("others", node="n1", cpu="8")), "QueueChanged"),
    ],
    ids=["its node goes", "its node is cordoned", "another scheduler's pod takes its room"],
)
async def test_promise_that_is_withdrawn_is_counted_by_why(happens, why):
    later = bid("n1", availableFrom=rfc3339(now() + 100))
    async with operator_over(node("n1"), bids=[later], gangs=[gang("a", size=1, cpu="8", spec=work(60))]) as (
        api,
        parts,
    ):
        await until(lambda: plan_of(api, "a"))
        happens(api)
        await until(lambda: plan_of(api, "a") is None, seconds=60)

        assert parts.metric("lockstep_promises_broken_total", reason=why) == 1
