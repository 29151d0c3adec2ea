"""Room that is kept for gangs that change their size: it counts beside what they hold, and never stays."""

from dataclasses import replace

import numpy as np
import pytest

from builders.facts import gang_fact, gang_spec, node_fact
from coschedule import Members, Sizes
from engine.builders import seeded
from lockstep.belief.holding.reservation import next_in_status, next_reservation, reserved_in_status
from lockstep.belief.state import State
from lockstep.facts.elastic import ElasticSpec, NextSize
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.reasons import Condition, Reason

NODES = ("n1", "n2", "n3")
SPEC = replace(gang_spec(size=1, most=3), elastic=ElasticSpec(120.0, 600.0))
UNDOING = (ConditionFact(Condition.PLACED, "False", Reason.UNDOING, "", 1, 0.0),)
HELD = GangStatus(attempt=1, members=(Members("n1", 1),), reserved_at=100.0, start=100.0)


def following(*nodes, begins_at=None):
    return NextSize(
        members=tuple(Members(node, 1) for node in nodes),
        decided_at=200.0,
        expected_finish=900.0,
        why="w",
        begins_at=begins_at,
    )


def state_with(status, state=None, version="1"):
    """A state that has seen the gang with that status."""
    if state is None:
        state = State(lambda: None)
        for name in NODES:
            state.nodes.apply(node_fact(name))
    state.apply_gang(gang_fact(spec=SPEC, status=status, version=version))
    return state


def taken(state):
    """How much CPU is taken on each node."""
    ledger = state.ledger
    return ledger.committed(ledger.rows(NODES), ledger.columns(("cpu",)))[:, 0].tolist()


def test_next_size_counts_beside_the_members_that_are_ending():
    state = state_with(replace(HELD, conditions=UNDOING, next_size=following("n1", "n2")))

    assert taken(state) == [2000, 1000, 0]


def test_next_size_of_which_members_have_notice_counts_beside_them():
    state = state_with(replace(HELD, next_size=following("n1", "n2", begins_at=300.0)))
    assert taken(state) == [2000, 1000, 0]

    state_with(HELD, state, "2")

    assert taken(state) == [1000, 0, 0]


def test_next_size_of_a_gang_that_goes_on_without_a_notice_keeps_no_room():
    assert taken(state_with(replace(HELD, next_size=following("n1", "n2")))) == [1000, 0, 0]


def test_next_size_counts_alone_when_the_members_have_gone():
    state = state_with(replace(HELD, conditions=UNDOING, next_size=following("n1", "n2")))

    state.assumptions.forget(gang_fact().key)
    state_with(replace(HELD, reserved_at=None, next_size=following("n1", "n2")), state, "2")

    assert taken(state) == [1000, 1000, 0]


def test_next_attempt_takes_its_place():
    released = replace(HELD, reserved_at=None, next_size=following("n1", "n2"))
    state = state_with(released)
    again = replace(HELD, attempt=2, members=released.next_size.members)

    state.assumptions.hold(reserved_in_status(gang_fact(spec=SPEC, status=again)))
    state_with(released, state, "2")

    assert taken(state) == [1000, 1000, 0]
    state_with(again, state, "3")
    assert taken(state) == [1000, 1000, 0]


def test_decided_size_counts_until_its_status_is_written_or_given_up():
    state = state_with(HELD)
    gang = state.gangs[gang_fact().key]
    state.assumptions.keep_room(next_reservation(gang, SPEC, following("n2", "n3")))
    state_with(HELD, state, "2")
    assert taken(state) == [1000, 1000, 1000]

    state.assumptions.forget(gang.key)

    assert taken(state) == [0, 0, 0]


@pytest.mark.parametrize("members", [(), ("n1", "n2", "n3", "n9")])
def test_size_that_the_spec_does_not_allow_keeps_no_room(members):
    state = state_with(replace(HELD, reserved_at=None, next_size=following(*members)))

    assert taken(state) == [0, 0, 0]


@pytest.mark.parametrize(
    "sizes",
    [
        Sizes(minimum=1, maximum=3),
        Sizes(minimum=2, maximum=4, multiple_of=2),
        Sizes(minimum=1, maximum=4, allowed=(1, 2, 4)),
        Sizes(minimum=1, maximum=4, multiple_of=3),
    ],
)
@pytest.mark.parametrize("size", range(1, 5))
def test_room_is_kept_for_exactly_the_sizes_that_the_spec_lists(sizes, size):
    spec = replace(SPEC, roles=(replace(SPEC.roles[0], sizes=sizes),))
    status = replace(HELD, reserved_at=None, next_size=following(*["n1"] * size))

    room = next_in_status(gang_fact(spec=spec, status=status))

    assert (room is not None) == sizes.has(size)


STATUSES = (
    GangStatus(),
    HELD,
    replace(HELD, next_size=following("n1", "n2", begins_at=300.0)),
    replace(HELD, conditions=UNDOING, next_size=following("n1", "n2")),
    replace(HELD, conditions=UNDOING, next_size=following("n1", "n2", begins_at=300.0)),
    replace(HELD, reserved_at=None, next_size=following("n2", "n3")),
    replace(HELD, attempt=2, members=(Members("n2", 1), Members("n3", 1))),
)


@pytest.mark.parametrize("seed", range(50))
def test_nothing_stays_counted_whatever_statuses_follow_each_other(seed):
    rnd, state = seeded(seed), state_with(GangStatus())
    for version in range(2, 30):
        if rnd.random() < 0.2:
            state.assumptions.forget(gang_fact().key)
        state_with(rnd.choice(STATUSES), state, str(version))
    state.remove_gang(gang_fact().key, gang_fact().uid)
    for one in state.assumptions.leftovers.take():
        state.assumptions.stop_counting_leftover(one)

    assert np.sum(taken(state)) == 0
    assert state.ledger.assumed == 0
    assert not list(state.counts.next_sizes)
