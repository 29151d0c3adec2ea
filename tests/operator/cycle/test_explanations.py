"""Why gangs wait: written at once, written again where it was lost, and not too often."""

import asyncio

import pytest

from builders.served import gang, node, pod, priority_class
from fake_cluster.api import Refusal
from fake_cluster.jumping import now, until
from fake_cluster.rig import (
    condition,
    event_reasons,
    gang_place,
    is_placed,
    operator_over,
    pod_place,
    status_of,
)
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

LONG = {"work": {"serialTime": "10m"}}


async def test_explanations_of_one_reason_are_written_seldom():
    async with operator_over(gangs=[gang("big", cpu="8", size=3)]) as (api, _):
        await until(lambda: condition(api, "big", "Planned"))
        counts = [len(api.writes)]
        began = now()
        for number in range(30):
            # Every second the numbers are others: one more pod, or one less.
            if number % 2 == 0:
                api.store.create("pods", pod(f"p{number}", node="n1", cpu="100m"))
            else:
                api.store.remove(pod_place(f"p{number - 1}"))
            await asyncio.sleep(1)
        counts.append(len(api.writes))

        assert counts[1] - counts[0] <= (now() - began) / 10 + 1
        assert event_reasons(api) == ["GangUnplaceable"]


async def test_new_reason_is_written_at_once():
    async with operator_over(node("n1", cordoned=True), gangs=[gang("g", size=9)]) as (api, _):
        await until(lambda: condition(api, "g", "Planned") == ("False", "NoNodeFits"))
        api.store.change(Place("nodes", "", "n1"), spec={"unschedulable": False})
        await until(lambda: condition(api, "g", "Planned") == ("False", "NotEnoughRoom"), seconds=2)


async def test_last_explanation_is_written_in_the_end():
    async with operator_over(node("n1"), node("n2", cpu="1"), gangs=[gang("big", cpu="8", size=3)]) as (api, _):
        await until(lambda: condition(api, "big", "Planned"))
        first = status_of(api, "big")["conditions"][1]["message"]
        api.store.change(Place("nodes", "", "n2"), status={"allocatable": {"cpu": "8", "pods": "110"}})
        await until(lambda: status_of(api, "big")["conditions"][1]["message"] != first, seconds=15)


async def test_refused_spec_is_reported_once():
    refused = gang("g", pod_spec={"nodeName": "n1"})
    async with operator_over(gangs=[refused]) as (api, parts):
        await until(lambda: condition(api, "g", "Accepted") == ("False", "UnsupportedField"))
        await asyncio.sleep(5)
        count = len(api.writes)
        parts.state.changes.record_change(needs_plan=True)
        await asyncio.sleep(60)

        assert len(api.writes) == count
        assert event_reasons(api) == ["InvalidSpec"]


async def test_unknown_priority_class_is_reported_and_then_found():
    async with operator_over(gangs=[gang("g", spec={"priorityClassName": "urgent"})]) as (api, _):
        await until(lambda: condition(api, "g", "Accepted") == ("False", "UnknownPriorityClass"))
        api.store.create("priorityclasses", priority_class("urgent", 100))
        await until(lambda: is_placed(api))
        assert condition(api, "g", "Accepted") == ("True", "SpecUnderstood")


async def test_status_that_conflicts_is_computed_again():
    async with operator_over(gangs=[gang("g", size=90)]) as (api, _):
        await until(lambda: condition(api, "g", "Planned"))
        api.store.change(gang_place("g"), metadata={"labels": {"by": "a-user"}})
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


async def test_explanation_that_conflicts_is_written_over_the_newer_version():
    async with operator_over() as (api, _):
        edits = iter(["a-user"])

        def edit():
            for author in edits:
                api.store.change(gang_place("g"), metadata={"labels": {"by": author}})

        api.fault = first_status(edit)
        api.store.create("gangjobs", gang("g", size=90))
        await until(lambda: condition(api, "g", "Planned"), seconds=120)
        assert next(edits, None) is None


@pytest.mark.parametrize("code", [422, 503])
async def test_explanation_that_was_not_accepted_is_written_again(code):
    async with operator_over() as (api, _):
        api.fault = first_status(lambda: Refusal(code=code))
        api.store.create("gangjobs", gang("g", size=90))
        await until(lambda: any(request.resource == "gangjobs/status" for request in api.writes))
        await until(lambda: condition(api, "g", "Planned"), seconds=120)


async def test_event_is_not_posted_before_its_status_stands():
    async with operator_over() as (api, parts):
        api.fault = lambda request: Refusal(code=422) if request.resource == "gangjobs/status" else None
        api.store.create("gangjobs", gang("g", size=90))
        await until(lambda: any(request.resource == "gangjobs/status" for request in api.writes))
        await asyncio.sleep(60)
        assert set(event_reasons(api)) == {"StatusRefused"}
        assert parts.metric("lockstep_decisions_total", outcome="NotEnoughRoom") == 0

        api.fault = lambda _: None
        api.store.create("nodes", node("n3"))
        await until(lambda: "GangUnplaceable" in event_reasons(api))
        assert parts.metric("lockstep_decisions_total", outcome="NotEnoughRoom") == 1
