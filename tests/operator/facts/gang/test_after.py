"""What is recorded of a predecessor, and whether that is what a gang waits for."""

import pytest

from lockstep.facts.gang.after import (
    Predecessor,
    PredecessorKind,
    PredecessorOutcome,
    Recorded,
    Satisfaction,
    SeenPredecessor,
    When,
    answer,
    recorded,
)

STARTED, DONE, BROKE = PredecessorOutcome.STARTED, PredecessorOutcome.SUCCEEDED, PredecessorOutcome.FAILED
JOB = PredecessorKind.GANG_JOB
WAITS = SeenPredecessor("a", None, None, None)
RUNS = SeenPredecessor("a", 5.0, None, None)
SUCCEEDED = SeenPredecessor("a", 5.0, DONE, 9.0)
FAILED = SeenPredecessor("a", 5.0, BROKE, 9.0)
NEVER_RAN = SeenPredecessor("a", None, BROKE, 9.0)
NEXT = SeenPredecessor("b", None, None, None)


def entry(outcome=None, at=None, uid="a"):
    return Recorded("x", JOB, uid, outcome, at)


@pytest.mark.parametrize(
    ("outcome", "met", "never"),
    [
        (None, (), ()),
        (STARTED, (When.STARTED,), ()),
        (DONE, (When.SUCCEEDED, When.ENDED, When.STARTED), (When.FAILED,)),
        (BROKE, (When.FAILED, When.ENDED), (When.SUCCEEDED, When.STARTED)),
    ],
)
def test_each_outcome_answers_each_condition(outcome, met, never):
    assert {when for when in When if answer(outcome, when) is Satisfaction.MET} == {*met}
    assert {when for when in When if answer(outcome, when) is Satisfaction.NEVER} == {*never}


@pytest.mark.parametrize(
    ("when", "before", "seen", "want"),
    [
        pytest.param(When.SUCCEEDED, None, None, None, id="missing"),
        pytest.param(When.SUCCEEDED, None, WAITS, entry(), id="seen for the first time"),
        pytest.param(When.SUCCEEDED, entry(), RUNS, entry(), id="its start is not what counts"),
        pytest.param(When.STARTED, entry(), RUNS, entry(STARTED, 5.0), id="its start counts"),
        pytest.param(
            When.STARTED,
            entry(STARTED, 5.0),
            WAITS,
            entry(STARTED, 5.0),
            id="waits again",
        ),
        pytest.param(When.STARTED, None, FAILED, entry(STARTED, 5.0), id="it had started before it failed"),
        pytest.param(When.STARTED, None, NEVER_RAN, entry(BROKE, 9.0), id="failed without a start"),
        pytest.param(When.ENDED, entry(), SUCCEEDED, entry(DONE, 9.0), id="succeeded"),
        pytest.param(When.SUCCEEDED, entry(), FAILED, entry(BROKE, 9.0), id="failed"),
        pytest.param(When.SUCCEEDED, entry(), None, None, id="deleted before its end"),
        pytest.param(When.SUCCEEDED, entry(), NEXT, entry(uid="b"), id="another one has its name"),
        pytest.param(
            When.ENDED,
            entry(BROKE, 9.0),
            None,
            entry(BROKE, 9.0),
            id="deleted after it",
        ),
        pytest.param(
            When.ENDED,
            entry(BROKE, 9.0),
            NEXT,
            entry(BROKE, 9.0),
            id="made anew after it",
        ),
        pytest.param(
            When.FAILED,
            entry(DONE, 9.0),
            NEXT,
            entry(DONE, 9.0),
            id="in vain",
        ),
        pytest.param(When.ENDED, entry(STARTED, 5.0), None, None, id="asked for more since, and it is gone"),
    ],
)
def test_final_answer_is_recorded_once(when, before, seen, want):
    assert recorded(Predecessor("x", when=when), before, seen) == want
