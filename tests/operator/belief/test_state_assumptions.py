"""Assumptions of belief: what is held before a watch has shown it, and that it is given back on every path."""

from dataclasses import replace

import pytest

from builders.facts import gang_fact, gang_spec, member_fact, pod_fact, reservation
from builders.served import owned_by, pod
from coschedule import GangKey, Members
from lockstep.api.pods.pod import parse_pod
from lockstep.belief.holding.reservation import next_attempt
from lockstep.belief.state import State
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.pods.pod import Membership, PodPhase

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

    assert [member.node for member in held.by_rank()] == ["n1", "n1", "n2"]
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


def test_pod_that_passes_itself_off_as_a_member_takes_no_room_off_what_is_held(state):
    state.apply_pod(parse_pod(pod("p", node="n9", cpu="0", **owned_by("g", attempt=2))))
    state.apply_gang(gang_fact("g", status=RESERVED))

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


def test_complete_gang_holds_only_members_that_no_watch_has_shown(state):
    state.apply_gang(gang_fact("g", version="1", status=RESERVED))
    held = state.ledger.assumed
    state.apply_gang(gang_fact("g", version="2", status=GangStatus(conditions=(COMPLETE,), attempt=2)))
    assert (state.reservations, state.ledger.assumed) == ({}, held)

    for one in state.assumptions.leftovers.take():
        state.assumptions.stop_counting_leftover(one)

    assert (held > 0, state.ledger.assumed) == (True, 0)


def test_hold_and_forget_leave_no_trace(state):
    state.apply_pod(pod_fact("p", node="n1"))
    state.assumptions.hold(reservation("g", members=(("n1", 2), ("n2", 1))))
    assert (committed(state, "n1"), committed(state, "n2")) == (3000, 1000)

    state.assumptions.forget(("default", "g"))
    assert (committed(state, "n1"), committed(state, "n2"), state.ledger.assumed) == (1000, 0, 0)
    assert state.changes.is_plan_due


def test_forgetting_keeps_what_is_really_there(state):
    state.assumptions.hold(reservation("g"))
    state.apply_pod(member_fact("g", rank=0, node="n1"))
    state.assumptions.forget(("default", "g"))

    assert (committed(state, "n1"), committed(state, "n2")) == (1000, 0)


def test_ghost_of_an_earlier_gang_does_not_take_the_place_of_a_member(state):
    """Its pods have the same names, and may stay for as long as their kubelets take."""
    ghost = member_fact("g", rank=0, node="n2", uid="ghost", deleting=True)
    ghost = replace(ghost, member=ghost.member._replace(gang_uid="uid-of-an-earlier-g"))
    state.apply_pod(ghost)
    state.assumptions.hold(reservation("g", members=(("n1", 1),)))
    assert (committed(state, "n1"), committed(state, "n2"), state.ledger.assumed) == (1000, 1000, 1)

    state.remove_pod(ghost.key, ghost.uid)
    assert (committed(state, "n1"), committed(state, "n2"), state.ledger.assumed) == (1000, 0, 1)


def test_ended_ghost_of_an_earlier_gang_frees_no_member(state):
    ghost = member_fact("g", rank=0, node="n2", uid="ghost", phase=SUCCEEDED)
    state.apply_pod(replace(ghost, member=ghost.member._replace(gang_uid="uid-of-an-earlier-g")))
    state.assumptions.hold(reservation("g", members=(("n1", 1),)))

    assert (committed(state, "n1"), state.ledger.assumed) == (1000, 1)


def test_member_that_ends_before_it_was_seen_bound_is_no_longer_assumed(state):
    state.assumptions.hold(reservation("g", members=(("n1", 1),)))
    state.apply_pod(member_fact("g", rank=0, phase=PodPhase.FAILED))

    assert (committed(state, "n1"), state.ledger.assumed) == (0, 0)


def test_forgetting_twice_is_no_change(state, wakes):
    state.assumptions.hold(reservation("g"))
    state.assumptions.forget(("default", "g"))
    count = len(wakes)
    state.assumptions.forget(("default", "g"))

    assert len(wakes) == count


def test_reservation_without_members_is_none(state):
    """A gang of no members would count as placed, and as finished."""
    state.apply_gang(gang_fact("g", status=GangStatus(attempt=2, reserved_at=51.0)))

    assert state.reservations == {}


@pytest.mark.parametrize(
    "members",
    [
        pytest.param((Members("n1", 1),), id="fewer than the smallest size"),
        pytest.param((Members("n1", 2), Members("n2", 3)), id="more than the largest size"),
        pytest.param(tuple(Members(f"n{number}", 10_000) for number in range(10_000)), id="a hundred million"),
    ],
)
def test_reservation_of_a_size_that_the_spec_does_not_allow_is_none(state, members):
    """Not written by us; and a status must not make belief grow."""
    status = GangStatus(attempt=2, members=members, start=50.0, reserved_at=51.0)
    state.apply_gang(gang_fact("g", spec=gang_spec(size=2, most=4), status=status))

    assert (state.reservations, state.ledger.assumed) == ({}, 0)


@pytest.mark.parametrize(("attempt", "want"), [(0, 1), (7, 8), (99_998, 99_999), (99_999, 1), (2**31 - 1, 1)])
def test_attempts_are_numbered_within_what_a_host_name_can_hold(attempt, want):
    assert next_attempt(GangStatus(attempt=attempt), []) == want


def test_number_of_an_attempt_that_has_members_is_taken():
    members = [pod_fact(member=Membership(GangKey("default", "g"), "uid", attempt, 0)) for attempt in (3, 5)]

    assert next_attempt(GangStatus(attempt=2), members) == 6
    assert next_attempt(GangStatus(attempt=7), members) == 8
