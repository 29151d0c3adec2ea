"""Pods of a Gang that come while others of the Gang are on nodes."""

import asyncio
from collections import Counter

import pytest

from builders.served import gang, pod
from fake_cluster.api import REFUSED, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.pod_gangs import (
    BINDING,
    HEAT,
    RANK,
    add_pods,
    attempts,
    bound,
    changes_of_pods,
    conditions,
    create,
    is_placed,
    message,
    status_of,
    stop_after,
    written,
)
from fake_cluster.rig import api_with, event_reasons, operator_over, pod_place, running_operator
from lockstep.api.names import MEMBER_OF_LABEL

pytestmark = pytest.mark.asyncio


MEASURED = {"profile": [{"members": 2, "time": "100h"}, {"members": 4, "time": "50h"}]}


async def test_replacement_is_placed_beside_the_others_in_an_attempt_of_its_own():
    async with operator_over() as (api, _):
        create(api, "a", "b", "c")
        await until(lambda: is_placed(api))
        api.store.remove(pod_place("b"))
        add_pods(api, "d")
        await until(lambda: len(bound(api)) == 3)

        assert attempts(api) == {"a": "1", "c": "1", "d": "2"}


async def test_next_run_of_the_same_gang_is_placed_whole_again():
    async with operator_over() as (api, _):
        create(api, "a", "b", "c")
        await until(lambda: is_placed(api))
        for name in "abc":
            api.store.change(pod_place(name), status={"phase": "Succeeded"})
        await until(lambda: conditions(api)["Placed"] == ("False", "AwaitsPods"))
        add_pods(api, "d", "e")
        await asyncio.sleep(30)
        assert len(bound(api)) == 3

        add_pods(api, "f")
        await until(lambda: is_placed(api))

        assert Counter(attempts(api).values()) == {"1": 3, "2": 3}


async def test_pods_that_end_at_once_leave_no_reservation():
    async with operator_over() as (api, _):
        create(api, "a", "b", "c")
        await until(lambda: len(bound(api)) == 3)
        for name in "abc":
            api.store.change(pod_place(name), status={"phase": "Succeeded"})

        await until(lambda: conditions(api).get("Placed") == ("False", "AwaitsPods"))

        assert "reservedAt" not in status_of(api)
        assert "GangPlaced" in event_reasons(api)


def take_away(api, *names):
    """Have pods deleted that kubelets have for a while longer."""
    for name in names:
        api.store.change(pod_place(name), metadata={"deletionTimestamp": "2027-01-15T08:00:00Z"})


async def test_pods_that_are_all_taken_away_in_mid_bind_are_no_part_of_the_next_run():
    """As when a Job is suspended and resumed: its pods are made anew, and the Gang is placed whole once more."""
    async with api_with() as api:
        create(api, "a", "b", "c", "d")
        await stop_after(api, {"a", "b"})
        api.store.remove(pod_place("c"))
        api.store.remove(pod_place("d"))
        take_away(api, "a", "b")
        add_pods(api, "e", "f")
        async with running_operator(api):
            await asyncio.sleep(30)
            assert len(bound(api)) == 2
            assert not is_placed(api)

            api.store.remove(pod_place("a"))
            api.store.remove(pod_place("b"))
            add_pods(api, "g", "h")
            await until(lambda: is_placed(api))

        assert set(attempts(api).values()) == {"2"}


async def test_pods_that_are_all_taken_away_once_they_are_bound_were_never_placed():
    async with api_with() as api:
        create(api, "a", "b")
        await stop_after(api, {"a", "b"})
        take_away(api, "a", "b")
        async with running_operator(api):
            await until(lambda: conditions(api).get("Placed") == ("False", "AwaitsPods"))

        assert "reservedAt" not in status_of(api)
        assert "GangPlaced" not in event_reasons(api)


async def test_node_of_a_pod_that_can_t_be_bound_is_kept_for_a_minute():
    async with operator_over() as (api, _):
        create(api, "a", "b")
        await until(lambda: is_placed(api))
        api.fault = lambda it: REFUSED if (it.verb, it.resource) == ("POST", BINDING) else None
        add_pods(api, "c")
        await until(lambda: "reservedAt" in status_of(api))
        since = now()
        await until(lambda: "reservedAt" not in status_of(api))

        assert 60 <= now() - since < 62


async def test_gang_that_is_deleted_midway_leaves_its_pods_to_the_next_of_its_name():
    async with operator_over() as (api, parts):
        api.fault = lambda it: REFUSED if (it.verb, it.resource, it.name) == ("POST", BINDING, "b") else None
        create(api, "a", "b", "c")
        await until(lambda: len(bound(api)) == 2)
        api.store.remove(HEAT)
        await until(lambda: not parts.state.reservations)
        api.fault = lambda _: None
        create(api, least=1)

        await until(lambda: len(bound(api)) == 3)

        assert changes_of_pods(api) == []


async def test_gang_that_a_finalizer_keeps_holds_nothing():
    async with operator_over() as (api, parts):
        create(api, "a", least=2)
        await until(lambda: conditions(api))
        api.store.change(HEAT, metadata={"deletionTimestamp": "2027-01-15T08:00:00Z", "finalizers": ["x"]})
        add_pods(api, "b")
        await asyncio.sleep(60)

        assert bound(api) == []
        assert parts.state.reservations == {}


async def test_replacement_is_placed_where_smaller_gangs_were_not_measured():
    async with operator_over() as (api, _):
        create(api, "a", "b", "c", "d", least=2, work=MEASURED)
        await until(lambda: is_placed(api))
        api.store.remove(pod_place("a"))
        add_pods(api, "e")
        await asyncio.sleep(60)

        assert len(bound(api)) == 4


async def test_replacement_does_not_have_the_whole_work_to_do():
    async with operator_over() as (api, _):
        create(api, "a", "b", "c", "d", work={"serialTime": "100h"})
        await until(lambda: is_placed(api))
        want_finish = status_of(api)["expectedFinish"]
        api.store.remove(pod_place("a"))
        add_pods(api, "e")
        await until(lambda: len(bound(api)) == 4 and is_placed(api))

        assert status_of(api)["expectedFinish"] <= want_finish


async def test_pods_that_come_later_do_not_wait_for_those_of_other_needs():
    async with operator_over() as (api, _):
        create(api, "a", "b", "c")
        await until(lambda: is_placed(api))
        add_pods(api, "d", cpu="3")
        add_pods(api, "e", cpu="64")
        await asyncio.sleep(60)

        assert len(bound(api)) == 4


async def test_pod_of_other_needs_does_not_cost_the_next_process_its_attempt():
    async with api_with() as api:
        create(api, "b", "c", cpu="2")
        api.fault = lambda it: Refusal(code=503) if it.resource == BINDING else None
        async with running_operator(api):
            await until(lambda: "reservedAt" in status_of(api))
        add_pods(api, "a", cpu="1")
        api.fault = lambda _: None
        async with running_operator(api):
            await until(lambda: len(bound(api)) == 3)

        assert {name: attempt for name, attempt in attempts(api).items() if name != "a"} == {"b": "1", "c": "1"}


async def test_pod_beyond_the_maximum_is_said_to_wait():
    async with operator_over() as (api, _):
        create(api, "a", "b", size={"min": 2, "max": 2})
        await until(lambda: is_placed(api))
        add_pods(api, "c")
        await asyncio.sleep(30)

        assert len(bound(api)) == 2
        assert "no other pod of it waits" not in message(api, "Planned")


async def test_gang_that_awaits_pods_warns_of_nothing():
    async with operator_over() as (api, _):
        create(api, "a", least=2)
        await until(lambda: message(api, "Accepted"))

        assert "Warning" not in message(api, "Accepted")


async def test_gang_that_a_finalizer_keeps_is_called_a_gang():
    async with operator_over() as (api, _):
        api.fault = lambda it: REFUSED if (it.verb, it.resource, it.name) == ("POST", BINDING, "b") else None
        create(api, "a", "b")
        await until(lambda: bound(api))
        api.store.change(HEAT, metadata={"deletionTimestamp": "2027-01-15T08:00:00Z", "finalizers": ["x"]})
        await until(lambda: "being deleted" in message(api, "Planned"))

        assert "GangJob" not in message(api, "Planned")


async def test_one_pod_is_bound_in_the_singular():
    async with operator_over() as (api, _):
        create(api, "a")
        await until(lambda: is_placed(api))

        assert "1 pod of it were" not in message(api, "Placed")


async def test_pods_of_two_jobs_with_the_same_indexes_have_ranks_of_their_own():
    async with operator_over() as (api, _):
        create(api, least=4)
        for name in ("left-0", "left-1", "right-0", "right-1"):
            labels = {MEMBER_OF_LABEL: "heat", "batch.kubernetes.io/job-completion-index": name[-1]}
            api.store.create("pods", pod(name, cpu="1", spec={"schedulerName": "lockstep"}, labels=labels))
        await until(lambda: is_placed(api))

        assert sorted(written(api, RANK).values()) == ["0", "1", "2", "3"]


async def test_next_process_keeps_the_room_of_seats_that_are_not_bound_yet():
    async with api_with() as api:
        create(api, "a", "b", "c", "d")
        api.fault = lambda it: REFUSED if (it.verb, it.resource) == ("POST", BINDING) and it.name != "a" else None
        async with running_operator(api):
            await until(lambda: len(bound(api)) == 1)
        api.store.create("gangjobs", gang("other", size=2, cpu="4"))
        async with running_operator(api) as parts:
            await asyncio.sleep(30)
            assert {key.name for key in parts.state.reservations} == {"gang/heat"}
            api.fault = lambda _: None
            await until(lambda: is_placed(api))

        assert set(attempts(api).values()) == {"1"}
