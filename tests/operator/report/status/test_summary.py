"""What `kubectl get gj` prints of a gang, at every turn of its life."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from builders.facts import gang_fact, gang_spec, start_estimate
from builders.statuses import placement, reserved
from coschedule import Members, Spelled, Unplaceable
from coschedule import Reason as PlanReason
from lockstep.api.gangjob.role import parse_needs
from lockstep.api.members.gate import NO_GATE_IMAGE
from lockstep.api.rendezvous.limits import crowd_refusal
from lockstep.facts.elastic import NextSize
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.network import NetworkSpec, Rendezvous
from lockstep.facts.gang.policies import Policies
from lockstep.facts.gang.summary import GangState, Summary
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.status import attempt_marks, conditions, endings, plan_marks
from lockstep.report.status.overruns import mark_overrunning
from lockstep.report.status.summary import LONGEST, summary_of

ROOT = Path(__file__).parents[4]
NOW = 1_767_261_600.0  # 2026-01-01T10:00:00Z
GANG = gang_fact("g", spec=gang_spec(size=2, most=12), policies=Policies(active_deadline_seconds=3600))
PLACEMENT = placement(GANG, start=NOW)
NO_ROOM = Unplaceable(
    gang=GANG.key, refusal=Spelled(reason=PlanReason.NOT_ENOUGH_ROOM, sentence="It needs 2 members, and 1 fit.")
)
REFUSAL = Refusal(Reason.UNSUPPORTED_FIELD, "template.spec.nodeName: not yet.")
QUOTA = Failure(reason=Reason.QUOTA_EXCEEDED, message="quota small is full")


def after(status):
    return replace(GANG, status=status)


REFUSED = after(conditions.mark_refused(GANG, REFUSAL, now=NOW))
WAITING = after(plan_marks.mark_unplaceable(GANG, NO_ROOM, now=NOW))
LATER = plan_marks.mark_planned_for_later(GANG, replace(PLACEMENT, start=NOW + 40), now=NOW)
PLANNED = after(replace(LATER, plan=start_estimate(NOW + 25, promised_start=NOW + 60)))
RESERVED = after(reserved(PLANNED, PLACEMENT, now=NOW))
PLACED = after(attempt_marks.mark_placed(RESERVED, now=NOW + 1))
RUNNING = after(attempt_marks.mark_started(PLACED, now=NOW + 2))
UNDOING = after(attempt_marks.mark_undoing(RUNNING, QUOTA, waits="", now=NOW + 10))
RELEASED = after(attempt_marks.mark_released(UNDOING, QUOTA, retry_seconds=2, now=NOW + 11))
SUSPENDED = after(endings.mark_suspended(RELEASED, now=NOW + 12))
RESUMED = after(endings.mark_resumed(SUSPENDED, now=NOW + 13))
SUCCEEDED = after(endings.mark_succeeded(RUNNING, now=NOW + 64))
SET_BACK = after(endings.mark_succeeded(RUNNING, now=NOW - 3600))
FAILED = after(endings.mark_failed(RUNNING, Reason.MEMBER_FAILED, "pod g-1-0 failed: exit 3", now=NOW + 64))
LATE = after(endings.mark_deadline_exceeded(RELEASED, now=NOW + 3601))
DELETED = after(attempt_marks.mark_being_deleted(REFUSED, now=NOW))


@pytest.mark.parametrize(
    ("gang", "want"),
    [
        pytest.param(GANG, (GangState.WAITING, "2–12", ""), id="not planned yet"),
        pytest.param(REFUSED, (GangState.REFUSED, "2–12", "template.spec.nodeName: not yet"), id="refused"),
        pytest.param(WAITING, (GangState.WAITING, "2–12", "It needs 2 members, and 1 fit"), id="waiting"),
        pytest.param(PLANNED, (GangState.PLANNED, "3 (2–12)", "likely to start at 2026-01-01T10:00:25Z"), id="planned"),
        pytest.param(
            RESERVED,
            (GangState.STARTING, "3 (2–12)", "3 members of attempt 1 are being created and bound"),
            id="reserved",
        ),
        pytest.param(PLACED, (GangState.STARTING, "3 (2–12)", "All 3 members are bound"), id="placed"),
        pytest.param(RUNNING, (GangState.RUNNING, "3 (2–12)", "expected to end at 2026-01-01T10:01:00Z"), id="running"),
        pytest.param(
            RELEASED, (GangState.WAITING, "2–12", "Attempt 1 was torn down: quota small is full"), id="released"
        ),
        pytest.param(
            SUSPENDED, (GangState.SUSPENDED, "2–12", "The gang is suspended: it holds no nodes"), id="suspended"
        ),
        pytest.param(
            RESUMED, (GangState.WAITING, "2–12", "The gang has not been planned since it was resumed"), id="resumed"
        ),
        pytest.param(
            SUCCEEDED, (GangState.SUCCEEDED, "3 (2–12)", "ended at 2026-01-01T10:01:04Z, ran 1 min 2 s"), id="succeeded"
        ),
        pytest.param(
            SET_BACK,
            (GangState.SUCCEEDED, "3 (2–12)", "ended at 2026-01-01T09:00:00Z, ran less than 1 s"),
            id="the clock was set back",
        ),
        pytest.param(FAILED, (GangState.FAILED, "3 (2–12)", "Pod g-1-0 failed: exit 3"), id="failed"),
        pytest.param(
            LATE,
            (
                GangState.FAILED,
                "2–12",
                "The gang has been active since 2026-01-01T10:00:01Z, and activeDeadlineSeconds allows 1 h",
            ),
            id="late",
        ),
        pytest.param(
            DELETED,
            (GangState.DELETING, "2–12", "The GangJob is being deleted, so Lockstep no longer plans it"),
            id="deleted",
        ),
    ],
)
def test_line_says_how_far_the_gang_is_and_what_is_next(gang, want):
    assert summary_of(gang, gang.status) == want


def test_what_is_taken_back_is_stopping():
    assert summary_of(UNDOING, UNDOING.status).state is GangState.STOPPING


def test_run_without_a_known_end_says_nothing_of_one():
    status = replace(RUNNING.status, expected_finish=None)

    assert summary_of(RUNNING, status) == Summary(GangState.RUNNING, "3 (2–12)", "")


OVERRUNNING = after(mark_overrunning(RUNNING, now=NOW + 120))


def test_run_that_overruns_says_since_when():
    assert summary_of(OVERRUNNING, OVERRUNNING.status).says == (
        "was expected to end at 2026-01-01T10:01:00Z, and still runs"
    )


@pytest.mark.parametrize(
    "status",
    [
        pytest.param(endings.mark_succeeded(OVERRUNNING, now=NOW + 130), id="succeeded"),
        pytest.param(endings.mark_failed(OVERRUNNING, Reason.MEMBER_FAILED, "no", now=NOW + 130), id="failed"),
        pytest.param(
            attempt_marks.mark_released(OVERRUNNING, QUOTA, retry_seconds=2, now=NOW + 130), id="the attempt was undone"
        ),
    ],
)
def test_run_that_is_over_overruns_no_more(status):
    assert status.condition(Condition.OVERRUNNING) is None


WAITS = ", ".join(f"g-1-{rank} on node-{rank:02}" for rank in range(6))
DEAD = "If node node-03 is dead, delete the pods there or taint the node node.kubernetes.io/out-of-service"
REFUSED_FOR = {
    "no gate image": (NO_GATE_IMAGE, "administrator has to set --gate-image"),
    "too long names": (
        crowd_refusal("g" * 52, gang_spec(size=9000, network=NetworkSpec(rendezvous=Rendezvous.MPI))).message,
        "give the gang a shorter name, or fewer members",
    ),
    "another scheduler": (
        parse_needs({"schedulerName": "a-scheduler-with-a-long-name." * 3, "containers": []}, "template").message,
        "write lockstep, or leave the field out",
    ),
}


def test_remedy_for_what_is_stuck_is_said_before_the_line_is_cut_off():
    status = attempt_marks.mark_undoing(RUNNING, QUOTA, waits=f"waits for {WAITS}. {DEAD}", now=NOW + 10)

    says = summary_of(UNDOING, status).says
    assert says.startswith(f"{DEAD}. Attempt 1 is ")
    assert len(says) == LONGEST


@pytest.mark.parametrize(("message", "want_remedy"), REFUSED_FOR.values(), ids=REFUSED_FOR)
def test_remedy_for_what_is_refused_is_said_before_the_line_is_cut_off(message, want_remedy):
    status = conditions.mark_refused(GANG, Refusal(Reason.UNSUPPORTED_FIELD, message), now=NOW)

    assert len(message) > LONGEST
    assert want_remedy in summary_of(GANG, status).says


def test_size_that_cannot_vary_is_one_number():
    rigid = replace(RUNNING, spec=gang_spec(size=3))

    assert summary_of(rigid, rigid.status).size == "3"


def test_size_that_changes_shows_the_next_one_too():
    following = NextSize(members=(Members("n1", 9),), decided_at=NOW, expected_finish=NOW + 60, why="grows")
    elastic = replace(RUNNING, spec=gang_spec(size=2, most=12))
    changing = replace(elastic.status, size=4, next_size=following)

    assert summary_of(elastic, changing).size == "4→9 (2–12)"
    assert summary_of(elastic, replace(changing, size=None)).size == "9 (2–12)"


def test_size_of_a_gang_of_which_a_pod_waits_counts_the_pods_on_nodes():
    """The spec of such a Gang has only the pod that waits."""
    spec = replace(gang_spec(size=1), has_bound_pods=True)
    status = replace(gang_fact().status, size=4, members=(Members("n1", 4),))
    gang = replace(gang_fact(spec=spec, status=status), key=pod_gang_key("default", "heat"))

    assert summary_of(gang, status).size == "4"


def test_spec_that_cannot_be_read_has_no_size():
    assert summary_of(REFUSED.refused(REFUSAL), REFUSED.status).size == ""


def test_long_or_odd_sentence_is_one_short_line():
    refusal = Refusal(Reason.TEMPLATE_REFUSED, "one\n\ttwo " + "x" * 50_000)
    says = summary_of(GANG, conditions.mark_refused(GANG, refusal, now=NOW)).says

    assert says == "one two " + "x" * (LONGEST - 9) + "…"


def test_state_and_conditions_never_disagree():
    for gang in (REFUSED, WAITING, PLANNED, RESERVED, RUNNING, UNDOING, SUCCEEDED, FAILED):
        state = summary_of(gang, gang.status).state
        assert (state is GangState.REFUSED) == (gang.status.condition(Condition.ACCEPTED).status == "False")
        assert (state is GangState.FAILED) == gang.status.is_true(Condition.FAILED)
        assert (state is GangState.SUCCEEDED) == gang.status.is_true(Condition.COMPLETE)


def test_crd_names_every_state_and_has_room_for_each_line():
    document = yaml.load((ROOT / "crds" / "gangjobs.yaml").read_text(), yaml.CSafeLoader)
    status = document["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]

    assert all(state in status["state"]["description"] for state in GangState)
    assert status["summary"]["maxLength"] == LONGEST
    assert status["sizeAndRange"]["maxLength"] >= len("10000→10000 (10000–10000)")
