"""A gang's next status where its life turns or ends."""

from dataclasses import replace

import pytest

from builders.facts import gang_fact
from builders.statuses import placement, reserved
from lockstep.api.gangjob.gangjob import parse_gang, status_manifest
from lockstep.facts.gang.policies import Policies
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason
from lockstep.report.status import attempt_marks, endings

NOW = 1_000_000.0
LIMITED = Policies(active_deadline_seconds=3600)
GANG = gang_fact("g", generation=4, policies=LIMITED)
PLACEMENT = placement(GANG, start=NOW)
WHY = "pod g-1-0 failed: container main exited with 3; this is restart 1 of 3"


def after(status):
    return replace(GANG, status=status)


RESERVED = after(reserved(GANG, PLACEMENT, now=NOW))
PLACED = after(attempt_marks.mark_placed(RESERVED, now=NOW + 1))
RUNNING = after(attempt_marks.mark_started(PLACED, now=NOW + 2))
RESTARTING = after(endings.mark_restarting(RUNNING, WHY, counts=True, pause_seconds=10, now=NOW + 30))
GONE = Failure(reason=Reason.RESTARTING, message=WHY)
RELEASED = after(attempt_marks.mark_released(RESTARTING, GONE, retry_seconds=0.0, now=NOW + 32))
SUSPENDED = after(endings.mark_suspended(RELEASED, now=NOW + 40))
RESUMED = after(endings.mark_resumed(SUSPENDED, now=NOW + 50))
LATE_RUNNING = after(endings.mark_deadline_exceeded(RUNNING, now=NOW + 3601))
LATE_RESTING = after(endings.mark_deadline_exceeded(RELEASED, now=NOW + 3601))


def conditions_of(gang):
    return {one.type: (one.status, one.reason) for one in gang.status.conditions}


def message(gang, kind):
    return gang.status.condition(kind).message


def test_restart_is_counted_with_the_word_that_the_attempt_is_undone():
    assert conditions_of(RESTARTING)["Placed"] == ("False", "Undoing")
    assert conditions_of(RESTARTING)["Planned"] == ("False", "Restarting")
    assert (RESTARTING.status.restarts, RESTARTING.status.restart_at) == (1, NOW + 40)
    assert RESTARTING.status.reserved_at == NOW


def test_restart_that_does_not_count_is_not_counted():
    status = endings.mark_restarting(RESTARTING, WHY, counts=False, pause_seconds=20, now=NOW + 31)

    assert (status.restarts, status.restart_at) == (1, NOW + 51)


def test_released_gang_says_when_it_is_planned_again():
    assert message(RELEASED, "Planned") == "The gang is planned again in 8 s."
    assert (RELEASED.status.restart_at, RELEASED.status.reserved_at) == (NOW + 40, None)


def test_next_attempt_forgets_the_pause_and_keeps_the_count():
    status = reserved(RELEASED, PLACEMENT, attempt=2, now=NOW + 60)

    assert (status.restarts, status.restart_at) == (1, None)


def test_gang_is_active_from_its_first_placing_over_restarts():
    again = after(reserved(RELEASED, PLACEMENT, attempt=2, now=NOW + 60))

    assert PLACED.status.active_since == NOW + 1
    assert attempt_marks.mark_placed(again, now=NOW + 70).active_since == NOW + 1


def test_suspended_gang_holds_nothing_and_was_promised_nothing():
    assert conditions_of(SUSPENDED)["Suspended"] == ("True", "GangSuspended")
    assert conditions_of(SUSPENDED)["Planned"] == conditions_of(SUSPENDED)["Placed"] == ("False", "GangSuspended")
    status = SUSPENDED.status
    assert (status.members, status.restart_at, status.active_since, status.first_planned_start) == (
        (),
        None,
        None,
        None,
    )
    assert status.restarts == 1


def test_resumed_gang_has_not_been_planned_yet():
    assert conditions_of(RESUMED)["Suspended"] == ("False", "GangResumed")
    assert conditions_of(RESUMED)["Planned"] == ("Unknown", "NotPlanned")


def test_gang_whose_time_is_over_fails_where_it_stands():
    assert (
        conditions_of(LATE_RUNNING)["Failed"] == conditions_of(LATE_RUNNING)["Placed"] == ("True", "DeadlineExceeded")
    )
    assert conditions_of(LATE_RESTING)["Failed"] == ("True", "DeadlineExceeded")
    assert (
        conditions_of(LATE_RUNNING)["Complete"]
        == conditions_of(LATE_RESTING)["Complete"]
        == ("False", "DeadlineExceeded")
    )
    assert (
        conditions_of(LATE_RESTING)["Placed"] == conditions_of(LATE_RESTING)["Planned"] == ("False", "DeadlineExceeded")
    )
    want = "The gang has been active since 1970-01-12T13:46:41Z, and activeDeadlineSeconds allows 1 h."
    assert message(LATE_RUNNING, "Failed") == message(LATE_RESTING, "Failed") == want


def test_gang_that_never_ran_has_no_start_when_its_time_is_over():
    assert LATE_RESTING.status.started_at is None
    assert LATE_RUNNING.status.started_at == NOW + 2


def test_gang_that_ends_before_it_was_seen_running_started_when_it_ended():
    assert endings.mark_succeeded(PLACED, now=NOW + 9).started_at == NOW + 9


def test_start_is_kept_when_the_gang_ends():
    assert endings.mark_succeeded(RUNNING, now=NOW + 60).started_at == NOW + 2


def test_success_of_a_role_names_it():
    gang = replace(RUNNING, policies=Policies(success_role="launcher"))

    assert message(after(endings.mark_succeeded(gang, now=NOW + 60)), "Complete") == (
        "All members of role launcher have succeeded."
    )


@pytest.mark.parametrize("gang", [RESTARTING, RELEASED, SUSPENDED, RESUMED, LATE_RUNNING, LATE_RESTING])
def test_status_survives_its_spelling(gang):
    """What is written is what is read back, in whole seconds."""
    manifest = {name: value for name, value in status_manifest(gang.status).items() if value is not None}
    metadata = {"namespace": "default", "name": "g", "uid": GANG.uid, "generation": 4, "resourceVersion": "2"}

    assert parse_gang({"metadata": metadata, "status": manifest}, GANG).status == gang.status
