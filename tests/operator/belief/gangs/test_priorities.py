"""What a priority class is worth, and which gangs a change of it concerns."""

import pytest

from builders.facts import gang_fact, gang_spec, take_changed
from lockstep.belief.state import State
from lockstep.facts.cluster.cluster import PriorityClass


@pytest.fixture
def state():
    return State(lambda: None)


def test_priorities(state):
    urgent, plain = gang_fact("u", spec=gang_spec(priority_class="urgent")), gang_fact("p")
    assert (state.priorities.of(urgent), state.priorities.of(plain)) == (None, 0)

    state.priorities.apply(PriorityClass("urgent", 100, is_default=False))
    state.priorities.apply(PriorityClass("usual", 10, is_default=True))
    assert (state.priorities.of(urgent), state.priorities.of(plain)) == (100, 10)

    state.priorities.remove("usual")
    state.priorities.remove("urgent")
    assert (state.priorities.of(urgent), state.priorities.of(plain)) == (None, 0)


def test_change_of_priorities_changes_every_gang(state):
    state.apply_gang(gang_fact("a"))
    state.apply_gang(gang_fact("b"))
    take_changed(state)
    state.changes.begin_plan()
    state.priorities.apply(PriorityClass("urgent", 100, is_default=False))

    assert state.changes.is_plan_due
    assert take_changed(state) == {("default", "a"), ("default", "b")}


def test_default_priority_may_be_below_zero(state):
    state.priorities.apply(PriorityClass("background", -10, is_default=True))

    assert state.priorities.of(gang_fact("g")) == -10
