"""Members that no watch has shown count, though their gang is gone, until the API server was asked for them."""

import pytest

from builders.facts import gang_fact, gang_spec, member_fact, reservation
from coschedule import Members
from lockstep.belief.state import State
from lockstep.facts.elastic import ChangeMode, ElasticSpec, NextSize
from lockstep.facts.gang.status import GangStatus

KEY = ("default", "g")
GANG = gang_fact("g", spec=gang_spec(size=2))


def holding(*, leads=True):
    """A state in which a gang of two was just reserved."""
    state = State(lambda: None)
    if not leads:
        state.stand_by()
    state.apply_gang(GANG)
    state.assumptions.hold(reservation("g", members=(("n1", 1), ("n2", 1))))
    return state


def committed(state):
    rows, columns = state.ledger.rows(("n1", "n2")), state.ledger.columns(("cpu",))
    return [int(one) for one in state.ledger.committed(rows, columns)[:, 0]]


def shown(rank, node):
    return member_fact("g", rank=rank, node=node)


def gone(state):
    state.remove_gang(GANG.key, GANG.uid)


def replaced(state):
    state.apply_gang(gang_fact("g", uid="another"))


def released_by_somebody(state):
    state.assumptions.let_go(state.gangs[GANG.key])


@pytest.mark.parametrize("end", [gone, replaced, released_by_somebody])
def test_members_count_until_what_is_left_is_known(end):
    state = holding()
    leftovers = state.assumptions.leftovers

    end(state)

    assert (state.reservations, committed(state)) == ({}, [1000, 1000])
    [left] = leftovers.take()
    assert (left.gang.uid, leftovers.is_unseen(left), leftovers.take()) == (
        GANG.uid,
        True,
        [],
    )
    state.assumptions.stop_counting_leftover(left)
    assert (committed(state), state.ledger.assumed, leftovers.is_unseen(left)) == ([0, 0], 0, False)


def test_member_that_is_shown_meanwhile_counts_once_and_for_as_long_as_it_is_there():
    state = holding()
    leftovers = state.assumptions.leftovers
    gone(state)
    pod = shown(0, "n1")

    state.apply_pod(pod)
    assert committed(state) == [1000, 1000]
    [left] = leftovers.take()
    state.assumptions.stop_counting_leftover(left)
    assert committed(state) == [1000, 0]

    state.remove_pod(pod.key, pod.uid)
    assert committed(state) == [0, 0]


def test_nothing_is_left_of_a_gang_whose_members_were_all_shown():
    state = holding()
    leftovers = state.assumptions.leftovers
    for rank, node in enumerate(("n1", "n2")):
        state.apply_pod(shown(rank, node))

    gone(state)

    assert (leftovers.take(), committed(state)) == ([], [1000, 1000])


def test_attempt_that_is_held_again_meanwhile_goes_on_counting():
    state = holding()
    leftovers = state.assumptions.leftovers
    released_by_somebody(state)
    [left] = leftovers.take()

    state.assumptions.hold(left.reservation)
    state.assumptions.stop_counting_leftover(left)

    assert committed(state) == [1000, 1000]


def test_process_that_stands_by_counts_what_statuses_say():
    state = holding(leads=False)
    leftovers = state.assumptions.leftovers

    gone(state)

    assert (leftovers.take(), committed(state)) == ([], [0, 0])


def test_something_is_left_of_members_that_joined_in_vain_but_not_of_a_gang_that_others_join():
    elastic = ElasticSpec(60.0, 600.0, mode=ChangeMode.MEMBERS)
    spec, two = gang_spec(size=2, most=4, elastic=elastic), (Members("n1", 1), Members("n2", 1))
    four = NextSize(members=(*two, Members("n2", 1), Members("n3", 1)), decided_at=1.0, expected_finish=None, why="")
    state = State(lambda: None)

    def written(version, following):
        status = GangStatus(attempt=1, members=two, reserved_at=0.0, size=2, next_size=following)
        state.apply_gang(gang_fact("g", version=version, spec=spec, status=status))
        return state.assumptions.leftovers.take()

    assert written("1", None) == []
    assert written("2", four) == []
    assert state.ledger.assumed == 4
    [left] = written("3", None)
    assert state.ledger.assumed == 4, "they may exist"
    state.assumptions.stop_counting_leftover(left)
    assert state.ledger.assumed == 2
