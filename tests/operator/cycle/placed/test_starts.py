"""Members that wait: when they may go on, what becomes of an attempt whose members don't come up, and start skew."""

import asyncio

import pytest

from builders.served import at, gang, node, owned_by, pod, role
from fake_cluster.api import ANSWER_LOST, NEVER_ARRIVED, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.rig import (
    api_with,
    come_up,
    condition,
    is_placed,
    leave_before,
    operator_over,
    pod_place,
    pods_of,
    running_operator,
    set_phase,
    set_phases,
    status_of,
)

pytestmark = pytest.mark.asyncio

GO = "lockstep.dev/go"
BARRIER = {"network": {"startBarrier": {"timeout": "5m"}}}
TIMEOUT = 300.0


def may_go(api):
    return sorted(it["metadata"]["name"] for it in pods_of(api, "g") if it["metadata"]["annotations"].get(GO))


def message(api):
    return next(it["message"] for it in status_of(api)["conditions"] if it["type"] == "Placed")


async def test_no_member_goes_on_before_all_are_up():
    async with operator_over(gangs=[gang("g", size=3, spec=BARRIER)]) as (api, _):
        await until(lambda: is_placed(api))
        come_up(api, "g-1-0", "g-1-1")
        await asyncio.sleep(TIMEOUT / 2)
        assert may_go(api) == []

        come_up(api, "g-1-2")
        await until(lambda: may_go(api) == ["g-1-0", "g-1-1", "g-1-2"])
        await asyncio.sleep(2 * TIMEOUT)

        assert is_placed(api)
        assert status_of(api)["attempt"] == 1


async def test_pods_that_run_without_a_gate_count_as_up():
    """A node that pretends runs pods as a whole; gates are opened there all the same."""
    async with operator_over(gangs=[gang("g", spec=BARRIER)]) as (api, _):
        await until(lambda: is_placed(api))
        set_phases(api, "g", "Running")

        await until(lambda: may_go(api) == ["g-1-0", "g-1-1"])
        await until(lambda: status_of(api).get("startedAt"))


async def test_each_gate_is_opened_once():
    async with operator_over(gangs=[gang("g", spec=BARRIER)]) as (api, _):
        await until(lambda: is_placed(api))
        come_up(api, "g-1-0", "g-1-1")
        await until(lambda: len(may_go(api)) == 2)
        set_phases(api, "g", "Running")
        await asyncio.sleep(TIMEOUT)

        assert [request.verb for request in api.requests if request.resource == "pods"].count("PATCH") == 2


@pytest.mark.parametrize(
    "fault",
    [NEVER_ARRIVED, ANSWER_LOST, Refusal(code=500), Refusal(code=403, message="denied")],
    ids=["request lost", "answer lost", "500", "403"],
)
async def test_gate_that_does_not_open_at_once_is_opened_later(fault):
    async with operator_over(gangs=[gang("g", spec=BARRIER)]) as (api, _):
        await until(lambda: is_placed(api))
        left = [fault] * 9
        api.fault = lambda request: left.pop() if left and request[:2] == ("PATCH", "pods") else None
        come_up(api, "g-1-0", "g-1-1")

        await until(lambda: len(may_go(api)) == 2)
        assert status_of(api)["attempt"] == 1


async def test_gate_of_another_pod_of_that_name_stays_shut(caplog):
    async with operator_over(gangs=[gang("g", spec=BARRIER)]) as (api, _):
        await until(lambda: is_placed(api))
        replaced = []

        def replace_first(request):
            if request[:2] == ("PATCH", "pods") and not replaced:
                replaced.append(api.store.remove(pod_place(request.name)))
                api.store.add("pods", {**replaced[0], "metadata": {"name": request.name, "namespace": "default"}})

        api.fault = replace_first
        come_up(api, "g-1-0", "g-1-1")
        await until(lambda: replaced)
        await asyncio.sleep(1)

        assert "annotations" not in api.store.get(pod_place(replaced[0]["metadata"]["name"]))["metadata"]
        assert "members that may start still wait" not in caplog.text


async def test_attempt_whose_members_are_not_all_up_in_time_is_undone():
    async with operator_over(gangs=[gang("g", size=3, spec=BARRIER)]) as (api, _):
        await until(lambda: is_placed(api))
        began = now()
        come_up(api, "g-1-1")
        await until(lambda: condition(api, "g", "Placed")[0] == "False")

        assert TIMEOUT - 1 <= now() - began <= TIMEOUT + 2
        assert "2 of 3 members were not up 5 min after all were bound: g-1-0, g-1-2." in message(api)
        await until(lambda: is_placed(api) and status_of(api)["attempt"] == 2)


async def test_pause_grows_with_each_time_out_and_ends_with_a_start():
    async with operator_over(gangs=[gang("g", spec=BARRIER)]) as (api, parts):
        pauses = []
        for attempt in range(1, 5):
            await until(lambda: is_placed(api) and status_of(api)["attempt"] == attempt)  # noqa: B023
            placed = now()
            await until(lambda: condition(api, "g", "Placed")[1] == "StartBarrierTimeout")
            pauses.append(now() - placed - TIMEOUT)
            undone = now()
            await until(lambda: is_placed(api))
            pauses[-1] = round(now() - undone)

        assert pauses == sorted(pauses)
        assert pauses[-1] >= 4 * max(1, pauses[0])
        assert parts.metric("lockstep_attempts_undone_total", reason="StartBarrierTimeout") == 4
        come_up(api, "g-5-0", "g-5-1")
        await until(lambda: may_go(api))
        set_phases(api, "g", "Running")
        await until(lambda: status_of(api).get("startedAt"))


async def test_next_process_waits_no_longer_than_the_first_would_have():
    async with api_with(gangs=[gang("g", spec=BARRIER)]) as api:
        async with running_operator(api):
            await until(lambda: is_placed(api))
            began = now()
            await asyncio.sleep(200)
        async with running_operator(api):
            await until(lambda: condition(api, "g", "Placed")[0] == "False")

        assert now() - began <= TIMEOUT + 2


async def test_next_process_opens_what_is_still_closed():
    async with api_with(gangs=[gang("g", spec=BARRIER)]) as api:
        async with running_operator(api):
            await until(lambda: is_placed(api))
        come_up(api, "g-1-0", "g-1-1")
        await leave_before(api, ("PATCH", "pods"))
        assert len(may_go(api)) < 2

        async with running_operator(api):
            await until(lambda: len(may_go(api)) == 2)
            await asyncio.sleep(2 * TIMEOUT)
            assert status_of(api)["attempt"] == 1


async def test_gate_that_etcd_has_forgotten_is_opened_again():
    async with operator_over(gangs=[gang("g", spec=BARRIER)]) as (api, _):
        await until(lambda: is_placed(api))
        come_up(api, "g-1-0", "g-1-1")
        await until(lambda: len(may_go(api)) == 2)
        api.store.change(pod_place("g-1-0"), metadata={"annotations": {}})

        await until(lambda: len(may_go(api)) == 2)


async def test_member_that_has_ended_gets_no_start_signal():
    async with operator_over(gangs=[gang("g", spec=BARRIER)]) as (api, _):
        await until(lambda: is_placed(api))
        set_phase(api, "g-1-0", "Succeeded")
        come_up(api, "g-1-1")
        await until(lambda: may_go(api))
        await asyncio.sleep(TIMEOUT)

        assert may_go(api) == ["g-1-1"]


async def test_after_a_failure_no_member_begins():
    async with operator_over(gangs=[gang("g", size=3, spec=BARRIER)]) as (api, _):
        await until(lambda: is_placed(api))
        come_up(api, "g-1-0", "g-1-1")
        set_phase(api, "g-1-2", "Failed")
        await until(lambda: condition(api, "g", "Failed") == ("True", "MemberFailed"))

        assert may_go(api) == []


LAUNCHER = {**role("launcher", load="None"), "startAfter": ["workers"]}


def placed_roles(spec=None):
    """A gang of two roles that an earlier process has placed: the launcher is rank 0, the workers are 1 and 2."""
    yes = {"status": "True", "message": "", "lastTransitionTime": at(now())}
    conditions = [
        {"type": kind, "reason": reason, **yes} for kind, reason in (("Planned", "Reserved"), ("Placed", "Bound"))
    ]
    status = {
        "attempt": 1,
        "members": [{"role": "launcher", "node": "n1", "count": 1}, {"role": "workers", "node": "n1", "count": 2}],
        "reservedAt": at(now()),
        "conditions": conditions,
    }
    return gang("g", roles=(LAUNCHER, role("workers", size=2)), spec=spec, status=status)


def add_members(api):
    for rank in range(3):
        metadata = {**owned_by("g", rank=rank), "annotations": {}}
        api.store.create("pods", pod(f"g-1-{rank}", node="n1", **metadata))


async def test_role_that_starts_after_others_waits_until_all_of_those_run():
    async with api_with(node("n1")) as api:
        api.store.create("gangjobs", placed_roles())
        add_members(api)
        async with running_operator(api):
            come_up(api, "g-1-0")
            set_phase(api, "g-1-1", "Running")
            await asyncio.sleep(TIMEOUT)
            assert may_go(api) == []

            set_phase(api, "g-1-2", "Running")
            await until(lambda: may_go(api) == ["g-1-0"])
            await asyncio.sleep(TIMEOUT)
            assert may_go(api) == ["g-1-0"]


async def test_with_a_barrier_too_the_others_go_on_first():
    async with api_with(node("n1")) as api:
        api.store.create("gangjobs", placed_roles(BARRIER))
        add_members(api)
        async with running_operator(api):
            come_up(api, "g-1-0", "g-1-1", "g-1-2")
            await until(lambda: may_go(api) == ["g-1-1", "g-1-2"])
            await asyncio.sleep(TIMEOUT)
            assert may_go(api) == ["g-1-1", "g-1-2"]

            set_phase(api, "g-1-1", "Running")
            set_phase(api, "g-1-2", "Succeeded")
            await until(lambda: may_go(api) == ["g-1-0", "g-1-1", "g-1-2"])


def ran_since(second):
    return [{"name": "main", "state": {"running": {"startedAt": f"2027-01-15T08:00:{second:02}Z"}}}]


async def test_skew_is_what_the_nodes_say():
    async with operator_over(gangs=[gang("g")]) as (api, parts):
        await until(lambda: is_placed(api))
        set_phase(api, "g-1-0", "Running", containerStatuses=ran_since(10))
        set_phase(api, "g-1-1", "Running", containerStatuses=ran_since(17))
        await until(lambda: status_of(api).get("startedAt"))

        assert parts.metric("lockstep_start_skew_seconds_sum") == 7
        assert parts.metric("lockstep_start_skew_seconds_count") == 1


async def test_skew_is_what_was_seen_where_a_node_does_not_say():
    async with operator_over(gangs=[gang("g")]) as (api, parts):
        await until(lambda: is_placed(api))
        set_phase(api, "g-1-0", "Running", containerStatuses=ran_since(10))
        await asyncio.sleep(40)
        set_phase(api, "g-1-1", "Running")
        await until(lambda: status_of(api).get("startedAt"))

        assert 39 <= parts.metric("lockstep_start_skew_seconds_sum") <= 41
