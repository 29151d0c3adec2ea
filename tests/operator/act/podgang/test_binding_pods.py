"""Pods of a Gang are bound by an attempt: tried first, whole, with their seats, and never deleted."""

import asyncio
from collections import Counter

import pytest

from builders.served import node
from fake_cluster.api import ANSWER_LOST, DRY_RUN, REFUSED, Refusal
from fake_cluster.jumping import until
from fake_cluster.pod_gangs import (
    BINDING,
    HEAT,
    RANK,
    SIZE,
    add_pods,
    attempts,
    bindings,
    bound,
    changes_of_pods,
    conditions,
    create,
    is_placed,
    status_of,
    stop_after,
    written,
)
from fake_cluster.rig import api_with, event_reasons, operator_over, pod_place, running_operator

pytestmark = pytest.mark.asyncio


def at_binding(name, fault, verb="POST"):
    """That fault at each binding of one pod."""
    return lambda it: fault if (it.verb, it.resource, it.name) == (verb, BINDING, name) else None


async def test_all_bindings_are_tried_before_the_first_is_made():
    async with operator_over() as (api, _):
        create(api, "a", "b", "c")
        await until(lambda: is_placed(api))

        kinds = [it.verb for it in api.requests if it.resource == BINDING]
        assert kinds == [DRY_RUN] * 3 + ["POST"] * 3
        assert changes_of_pods(api) == []


async def test_bindings_write_seats():
    async with operator_over() as (api, _):
        create(api, "c", "a", "b")
        await until(lambda: is_placed(api))

        assert written(api, RANK) == {"a": "0", "b": "1", "c": "2"}
        assert set(written(api, SIZE).values()) == {"3"}
        assert set(attempts(api).values()) == {"1"}
        assert "GangPlaced" in event_reasons(api)


async def test_nothing_is_bound_while_one_dry_run_is_refused():
    async with operator_over() as (api, parts):
        api.fault = at_binding("b", REFUSED, DRY_RUN)
        create(api, "a", "b", "c")
        await asyncio.sleep(100)

        assert bindings(api, "POST") == []
        assert conditions(api)["Placed"][0] == "False"
        assert len(bindings(api, DRY_RUN)) > 3
        api.fault = lambda _: None
        await until(lambda: is_placed(api))
        assert changes_of_pods(api) == []
        assert parts.state.reservations == {}


async def test_binding_that_is_refused_for_a_while_is_made_on_the_same_attempt():
    async with operator_over() as (api, _):
        api.fault = at_binding("b", REFUSED)
        create(api, "a", "b", "c")
        await until(lambda: len(bound(api)) == 2)
        await asyncio.sleep(20)
        api.fault = lambda _: None
        await until(lambda: is_placed(api))

        assert set(attempts(api).values()) == {"1"}
        assert changes_of_pods(api) == []


async def test_pods_that_are_bound_stay_where_the_rest_is_refused_for_good():
    async with operator_over() as (api, _):
        api.fault = at_binding("b", REFUSED)
        create(api, "a", "b", "c")
        await asyncio.sleep(200)

        assert [it["metadata"]["name"] for it in bound(api)] == ["a", "c"]
        assert changes_of_pods(api) == []
        api.fault = lambda _: None
        await until(lambda: len(bound(api)) == 3 and is_placed(api))
        by_attempt = Counter(attempts(api).values())
        assert by_attempt["1"] == 2
        assert len(by_attempt) == 2


async def test_lost_answers_of_bindings_harm_nothing():
    lost = set()

    def lose(request):
        if (request.verb, request.resource) == ("POST", BINDING) and request.name not in lost:
            lost.add(request.name)
            return ANSWER_LOST
        return None

    async with operator_over() as (api, _):
        api.fault = lose
        create(api, "a", "b", "c")
        await until(lambda: is_placed(api))

        assert len(lost) == len(bound(api)) == 3
        assert sorted(written(api, RANK).values()) == ["0", "1", "2"]


async def test_pod_that_goes_before_its_binding_leaves_the_others_to_the_next_plan():
    async with operator_over() as (api, _):
        gone = []

        def take_away(request):
            if (request.verb, request.resource, request.name) == (DRY_RUN, BINDING, "b") and not gone:
                gone.append(api.store.remove(pod_place("b")))

        api.fault = take_away
        create(api, "a", "b", "c", least=2)
        await until(lambda: is_placed(api))

        assert [it["metadata"]["name"] for it in bound(api)] == ["a", "c"]
        assert changes_of_pods(api) == []


async def test_gang_waits_whole_until_there_is_room_for_it():
    async with operator_over(node("n1", cpu="8")) as (api, _):
        create(api, "a", "b", "c")
        await until(lambda: conditions(api).get("Placed") == ("False", "NotEnoughRoom"))
        assert bindings(api, DRY_RUN) == []

        api.store.add("nodes", node("n2", cpu="4"))
        await until(lambda: is_placed(api))

        assert Counter(it["spec"]["nodeName"] for it in bound(api)) == {"n1": 2, "n2": 1}


async def test_next_process_binds_the_rest_to_the_same_attempt():
    async with api_with() as api:
        create(api, "a", "b", "c")
        await stop_after(api, {"b"})
        async with running_operator(api):
            await until(lambda: is_placed(api))

        assert sorted(written(api, RANK).values()) == ["0", "1", "2"]
        assert set(attempts(api).values()) == {"1"}
        assert changes_of_pods(api) == []


@pytest.mark.parametrize("verb", [DRY_RUN, "POST"])
async def test_next_process_meets_refusals_for_a_while_and_still_binds_the_rest_to_the_same_attempt(verb):
    async with api_with() as api:
        create(api, "a", "b", "c")
        await stop_after(api, {"b"})
        api.fault = at_binding("c", REFUSED, verb)
        async with running_operator(api):
            await asyncio.sleep(20)
            api.fault = lambda _: None
            await until(lambda: len(bound(api)) == 3)

        assert set(attempts(api).values()) == {"1"}
        assert set(written(api, SIZE).values()) == {"3"}


async def test_reservation_that_is_too_small_by_now_is_given_back_before_a_pod_is_bound():
    """The group of that name may be another one, which needs more pods together."""
    async with api_with(node("n1", cpu="8")) as api:
        create(api, "a", "b")
        api.fault = lambda it: Refusal(code=503) if (it.verb, it.resource) == ("POST", BINDING) else None
        async with running_operator(api):
            await until(lambda: "reservedAt" in status_of(api))
        api.fault = lambda _: None
        api.store.change(HEAT, spec={"size": {"min": 3}})
        add_pods(api, "c")

        async with running_operator(api):
            await until(lambda: conditions(api).get("Placed") == ("False", "NotEnoughRoom"))
            assert bound(api) == []

            api.store.add("nodes", node("n2", cpu="4"))
            await until(lambda: is_placed(api))

        assert len(bound(api)) == 3
        assert set(attempts(api).values()) == {"2"}
