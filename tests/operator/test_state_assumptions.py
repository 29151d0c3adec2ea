"""Assumptions of belief: what is held before a watch has shown it, and that it is given back on every path."""

import pytest

from fake_cluster.facts import gang_fact, member_fact, pod_fact, reservation
from lockstep.facts import ConditionFact, GangStatus, Members, PodPhase
from lockstep.state import State

RUNNING, SUCCEEDED = PodPhase.RUNNING, PodPhase.SUCCEEDED


@pytest.fixture
def wakes():
    return []


@pytest.fixture
def state(wakes):
    return State(lambda: wakes.append(1))


def committed(state, node="n1", resource="cpu"):
    return int(state.ledger.committed(state.ledger.rows((node,)), state.ledger.columns((resource,)))[0, 0])


def test_member_list_of_a_reservation_gives_ranks_their_nodes():
    held = reservation("g", attempt=3, members=(("n1", 2), ("n2", 1)))

    assert list(held.nodes_by_rank()) == ["n1", "n1", "n2"]
    assert [key.name for key in held.pod_keys()] == ["g-3-0", "g-3-1", "g-3-2"]
    assert held.size == 3


RESERVED = GangStatus(
    attempt=2, members=(Members("n1", 1), Members("n2", 1)), start=50.0, expected_finish=90.0, reserved_at=51.0
)
COMPLETE = ConditionFact("Complete", "True", "Succeeded", "", 1, 0.0)


def test_restart_holds_what_the_status_reserves(state):
    state.apply_gang(gang_fact("g", status=RESERVED))

    held = state.reservations["default", "g"]
    assert (held.attempt, held.members, held.start, held.expected_finish) == (2, RESERVED.members, 50.0, 90.0)
    assert (committed(state, "n1"), committed(state, "n2")) == (1000, 1000)


def test_restart_counts_pods_and_reservation_once_whichever_comes_first():
    pods = [member_fact("g", attempt=2, rank=0, node="n1", phase=RUNNING), member_fact("g", attempt=2, rank=1)]
    for facts in ([*pods, gang_fact("g", status=RESERVED)], [gang_fact("g", status=RESERVED), *pods]):
        state = State(lambda: None)
        for fact in facts:
            (state.apply_pod if fact in pods else state.apply_gang)(fact)

        assert (committed(state, "n1"), committed(state, "n2"), state.ledger.assumed) == (1000, 1000, 1)


def test_member_that_has_ended_before_the_restart_is_not_assumed():
    """Its room is free, though the reservation of its gang still stands."""
    for order in (1, -1):
        state = State(lambda: None)
        facts = [
            (state.apply_pod, member_fact("g", attempt=2, rank=0, node="n1", phase=SUCCEEDED)),
            (state.apply_gang, gang_fact("g", status=RESERVED)),
        ]
        for apply, fact in facts[::order]:
            apply(fact)

        assert committed(state, "n1") == 0


def test_complete_gang_holds_nothing(state):
    state.apply_gang(gang_fact("g", version="1", status=RESERVED))
    state.apply_gang(gang_fact("g", version="2", status=GangStatus(conditions=(COMPLETE,), attempt=2)))

    assert (state.reservations, state.ledger.assumed) == ({}, 0)


def test_hold_and_forget_leave_no_trace(state):
    state.apply_pod(pod_fact("p", node="n1"))
    state.hold(reservation("g", members=(("n1", 2), ("n2", 1))))
    assert (committed(state, "n1"), committed(state, "n2")) == (3000, 1000)

    state.forget(("default", "g"))
    assert (committed(state, "n1"), committed(state, "n2"), state.ledger.assumed) == (1000, 0, 0)
    assert state.needs_plan


def test_forgetting_keeps_what_is_really_there(state):
    state.hold(reservation("g"))
    state.apply_pod(member_fact("g", rank=0, node="n1"))
    state.forget(("default", "g"))

    assert (committed(state, "n1"), committed(state, "n2")) == (1000, 0)


def test_forgetting_twice_is_no_news(state, wakes):
    state.hold(reservation("g"))
    state.forget(("default", "g"))
    count = len(wakes)
    state.forget(("default", "g"))

    assert len(wakes) == count


def test_reservation_without_members_is_none(state):
    """A gang of no members would count as placed, and as finished."""
    state.apply_gang(gang_fact("g", status=GangStatus(attempt=2, reserved_at=51.0)))

    assert state.reservations == {}
