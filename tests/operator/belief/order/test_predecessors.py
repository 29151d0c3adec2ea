"""Gangs that wait for one are reconciled when it matters to them, and not at each change of its status."""

from dataclasses import replace

import pytest

from builders.facts import gang_fact
from coschedule import GangKey
from lockstep.belief.state import State
from lockstep.facts.gang.after import Predecessor, PredecessorOutcome, When
from lockstep.facts.gang.policies import Policies
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.reasons import Condition

LATE = GangKey("default", "late")
DONE = GangStatus(
    started_at=5.0, finished_at=9.0, conditions=(ConditionFact(Condition.COMPLETE, "True", "Succeeded", "", 1, 9.0),)
)


@pytest.fixture
def state():
    state = State(lambda: None)
    state.apply_gang(gang_fact("late", policies=Policies(after=(Predecessor("first"),))))
    state.apply_gang(gang_fact("first"))
    state.changes.reconciling(LATE)
    return state


def is_due(state):
    """Whether the gang that waits is to be reconciled; that is then done."""
    was_due = LATE in state.changes.gangs
    state.changes.reconciling(LATE)
    return was_due


@pytest.mark.parametrize(
    ("status", "want"),
    [
        (GangStatus(attempt=1, size=2), False),
        (GangStatus(progress="0.5"), False),
        (GangStatus(started_at=5.0), True),
        (DONE, True),
    ],
    ids=["is planned", "gets on", "has started", "has succeeded"],
)
def test_only_what_matters_has_successors_reconciled(state, status, want):
    state.apply_gang(gang_fact("first", status=status))
    assert is_due(state) is want


def test_deletion_and_the_next_of_the_name_matter(state):
    first = state.gangs[GangKey("default", "first")]
    state.remove_gang(first.key, first.uid)
    assert is_due(state)
    assert state.predecessors.recorded(state.gangs[LATE]) == ()
    state.apply_gang(gang_fact("first"))
    assert is_due(state)


def test_gang_that_waits_for_none_any_more_is_not_reconciled(state):
    state.apply_gang(gang_fact("late"))
    is_due(state)
    state.apply_gang(gang_fact("first", status=DONE))
    assert not is_due(state)
    assert state.predecessors.successors(GangKey("default", "first")) == ()


def knows_end(state, *, first="first"):
    return state.predecessors.is_end_known(GangKey("default", first))


@pytest.mark.parametrize("when", [When.SUCCEEDED, When.FAILED], ids=["met", "in vain"])
def test_end_is_known_once_each_successor_has_recorded_it(state, when):
    waiting = [gang_fact(f"late-{n}", policies=Policies(after=(Predecessor("first", when=when),))) for n in range(2)]
    for one in waiting:
        state.apply_gang(one)
    state.apply_gang(gang_fact("late"))
    state.apply_gang(gang_fact("first", status=DONE))

    for one in waiting:
        assert not knows_end(state)
        state.apply_gang(replace(one, status=GangStatus(after=state.predecessors.recorded(one))))
    assert knows_end(state)


@pytest.mark.parametrize("leaves", ["is deleted", "has started", "waits for another"])
def test_successor_that_does_not_wait_any_more_need_not_know_the_end(state, leaves):
    state.apply_gang(gang_fact("first", status=DONE))
    late = state.gangs[LATE]
    assert not knows_end(state)
    match leaves:
        case "is deleted":
            state.remove_gang(LATE, late.uid)
        case "has started":
            state.apply_gang(replace(late, status=GangStatus(reserved_at=7.0)))
        case _:
            state.apply_gang(replace(late, policies=Policies(after=(Predecessor("other"),))))
            assert not knows_end(state, first="other")

    assert knows_end(state)


def test_final_answer_is_that_of_the_status_though_the_gang_is_gone(state):
    state.apply_gang(gang_fact("first", status=DONE))
    late, first = state.gangs[LATE], state.gangs[GangKey("default", "first")]
    found = state.predecessors.recorded(late)
    assert [one.outcome for one in found] == [PredecessorOutcome.SUCCEEDED]
    state.apply_gang(replace(late, status=replace(late.status, after=found)))
    state.remove_gang(first.key, first.uid)

    assert state.predecessors.recorded(state.gangs[LATE]) == found
    assert state.gangs[LATE].unmet == ()
