"""The events of a sweep follow from two of its statuses."""

from dataclasses import replace

from lockstep.facts.gang.status import ConditionFact
from lockstep.facts.sweeps.sweep import RunFailure, SweepStatus
from lockstep.report.sweeps.sweep_events import sweep_events

STARTED = SweepStatus(
    state="Running", runs=9, started_at=1.0, size=4, size_reason="Each run has 4 members; at most 2 run at once."
)
FAILURE = RunFailure(3, "MemberFailed", "Member 0 failed.")


def condition(kind, status, reason):
    return ConditionFact(kind, status, reason, "why", 1, 0.0)


def reasons(before, now):
    return [event.reason for event in sweep_events(before, now)]


def test_first_run_starts_the_sweep_and_the_size_is_no_change():
    [event] = sweep_events(SweepStatus(), STARTED)

    assert (event.kind, event.reason) == ("Normal", "SweepStarted")
    assert event.note == "The first of 9 runs is created. Each run has 4 members; at most 2 run at once."


def test_other_size_is_said_with_its_reason():
    [event] = sweep_events(
        STARTED, replace(STARTED, size=8, size_reason="Each run has 8 members; at most 1 run at once.")
    )

    assert event.reason == "SweepSizeChanged"
    assert event.note == ("New runs have 8 members instead of 4. Each run has 8 members; at most 1 run at once.")


def test_each_new_failure_is_said_once():
    failed = replace(STARTED, failures=(FAILURE,))

    [event] = sweep_events(STARTED, failed)
    assert (event.kind, event.note) == ("Warning", "Run 3 has failed (MemberFailed): Member 0 failed.")
    assert reasons(failed, replace(failed, failures=(FAILURE, FAILURE._replace(run=5)))) == ["SweepRunFailed"]
    assert reasons(failed, replace(failed, succeeded=2)) == []


def test_ends_and_refusals_are_said_once():
    ended = replace(STARTED, conditions=(condition("Complete", "True", "RunsEnded"),), summary="All runs have ended.")
    failed = replace(STARTED, conditions=(condition("Failed", "True", "TooManyFailed"),))
    refused = replace(STARTED, conditions=(condition("Accepted", "False", "ParametersRefused"),))

    assert reasons(STARTED, ended) == ["SweepComplete"]
    assert reasons(STARTED, failed) == ["SweepFailed"]
    assert reasons(STARTED, refused) == ["SweepRefused"]
    assert reasons(ended, ended) == reasons(refused, refused) == []
