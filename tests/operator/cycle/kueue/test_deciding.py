"""What is said of a Workload that waits follows from the status of its Gang and from the time."""

import pytest

from builders.facts import gang_fact, start_estimate
from builders.pod_gangs import pod_gang
from lockstep.cycle.kueue.deciding import entry_due, idle_since, next_moment, queued_entry
from lockstep.facts.gang.gang import Refusal, RefusedGang
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.gang.workload import CheckState, Conditions, GangWorkload, StatedCheck, Workload
from lockstep.facts.reasons import Condition, Reason

NOW, PATIENCE = 100_000.0, 600.0
REFUSAL = Refusal(Reason.UNSUPPORTED_FIELD, "no spread")


def said(kind, status, reason=Reason.NOT_PLANNED, message="so it is"):
    return ConditionFact(kind, status, reason, message, 1, NOW)


PLANNED = said(Condition.PLANNED, "True")


def decided(*, conditions=(PLANNED,), start=None, since=NOW - 10, refused=False, asks=None, reserved_at=None):
    """What is said."""
    plan = None if start is None else start_estimate(NOW + start)
    status = GangStatus(conditions=conditions, plan=plan, reserved_at=reserved_at)
    gang = gang_fact("g", status=status)
    if refused:
        identity = {name: getattr(gang, name) for name in ("key", "uid", "resource_version", "generation", "created")}
        gang = RefusedGang(**identity, is_deleting=False, status=status, refusal=REFUSAL)
    workload = Workload(gang.key, "g", "uid", "1", 3, since, ())
    return entry_due(gang, pod_gang(asks=asks), workload, patience=PATIENCE, now=NOW)


@pytest.mark.parametrize(
    ("case", "want"),
    [
        pytest.param({"start": 100}, CheckState.PENDING, id="it starts soon"),
        pytest.param({"start": 600}, CheckState.PENDING, id="it starts just in time"),
        pytest.param({"start": 600, "since": NOW - 900}, CheckState.PENDING, id="just in time, for long"),
        pytest.param({"start": 601, "since": NOW - 300}, CheckState.RETRY, id="it starts a second too late"),
        pytest.param({"start": 9e6, "since": NOW - 299}, CheckState.PENDING, id="too late, the quota is there a while"),
        pytest.param({}, CheckState.PENDING, id="no start is known yet"),
        pytest.param({"since": NOW - 600}, CheckState.RETRY, id="no start is known for long"),
        pytest.param({"conditions": ()}, None, id="no plan was made yet"),
        pytest.param({"conditions": (), "since": NOW - 600}, CheckState.RETRY, id="no plan for long"),
        pytest.param(
            {"conditions": (said(Condition.PLANNED, "False", Reason.AWAITS_PODS),)}, None, id="an earlier status"
        ),
        pytest.param({"start": 4_200, "reserved_at": NOW}, None, id="places are reserved"),
        pytest.param({"refused": True}, None, id="the refusal is not reported yet"),
        pytest.param(
            {"refused": True, "conditions": (said(Condition.ACCEPTED, "False"),)},
            CheckState.REJECTED,
            id="its pods can't be obeyed",
        ),
        pytest.param(
            {"refused": True, "asks": REFUSAL, "conditions": (said(Condition.ACCEPTED, "False"),)},
            CheckState.PENDING,
            id="admission refuses its pods now",
        ),
        pytest.param(
            {"refused": True, "asks": REFUSAL, "conditions": (said(Condition.ACCEPTED, "False"),), "since": NOW - 300},
            CheckState.RETRY,
            id="admission refuses its pods for minutes",
        ),
        pytest.param(
            {"conditions": (said(Condition.ACCEPTED, "False"), PLANNED), "start": 4_200},
            CheckState.PENDING,
            id="what its pods name is missing",
        ),
    ],
)
def test_answer_follows_from_the_gang_and_the_time(case, want):
    entry = decided(**case)
    assert (entry and entry.state) == want


def test_message_of_a_workload_that_waits_is_that_of_the_last_plan():
    message = "3 members expected on n1. The start is expected at noon"
    expected = said(Condition.PLANNED, "True", Reason.STARTS_LATER, message)

    assert decided(conditions=(expected,), start=100).message == message


def torn_down(ago):
    """The condition of a gang without nodes since then."""
    return ConditionFact(Condition.PLACED, "False", Reason.REQUEST_REFUSED, "Attempt 3 was torn down.", 1, NOW - ago)


def admitted(*, conditions=(), since=NOW - 3_600, reserved_at=None, is_evicted=False, checks=("Ready",)):
    """A GangJob that Kueue has admitted, and its Workload."""
    gang = gang_fact("g", status=GangStatus(conditions=conditions, reserved_at=reserved_at))
    stated = tuple(StatedCheck("placement", state) for state in checks)
    held = Conditions(is_admitted=True, is_evicted=is_evicted)
    return gang, GangWorkload(gang.key, "", "w", "uid", "team", quota_since=since, conditions=held, checks=stated)


@pytest.mark.parametrize(
    ("case", "want"),
    [
        pytest.param({"conditions": (torn_down(299),)}, CheckState.READY, id="its attempts fail, not for long"),
        pytest.param({"conditions": (torn_down(300),)}, CheckState.RETRY, id="its attempts fail for minutes"),
        pytest.param(
            {"conditions": (torn_down(9_000),), "since": NOW - 10}, CheckState.READY, id="it has quota again since then"
        ),
        pytest.param({"conditions": (torn_down(900),), "reserved_at": NOW}, None, id="an attempt is under way"),
        pytest.param({"conditions": (torn_down(900),), "is_evicted": True}, None, id="Kueue takes the quota already"),
        pytest.param({"conditions": (torn_down(900),), "checks": ()}, None, id="it waits for no check of ours"),
        pytest.param({"conditions": (torn_down(900),), "since": None}, None, id="it has no quota"),
        pytest.param({}, None, id="no attempt is known yet"),
    ],
)
def test_gang_job_without_nodes_keeps_its_quota_for_minutes(case, want):
    entry = queued_entry(*admitted(**case), ["placement"], patience=PATIENCE, now=NOW)
    assert (entry and entry.state) == want


def test_quota_of_a_gang_job_whose_attempts_fail_is_decided_again_in_time():
    idle = idle_since(*admitted(conditions=(torn_down(100),)))
    assert next_moment(idle, PATIENCE, NOW) == NOW + 200
