"""Every reason why a gang waits has been thought of: more nodes would help, would not, or it is unknown."""

import pytest

from coschedule import Reason as PlanReason
from lockstep.facts.cluster.node_request import Stance, stance_on
from lockstep.facts.reasons import Reason

ASKS = {"NoNodeFits", "NotEnoughRoom", "NoDomainFits", "NoRoomTogether", "HeldByLastingPods", "HoldsNodes"}
# Others go first, or the planner has not checked closely.
UNKNOWN = {"HeldByGangsInFront", "BehindInQueue", "PlanningFailed"}


@pytest.mark.parametrize("reason", PlanReason)
def test_stance_on_every_reason_of_a_plan(reason):
    want = Stance.ASK if reason in ASKS else Stance.KEEP if reason in UNKNOWN else Stance.WITHDRAW

    assert stance_on(reason) is want


@pytest.mark.parametrize("reason", [Reason.STARTS_LATER, Reason.PREEMPTING, Reason.QUOTA_EXCEEDED])
def test_gang_that_needs_no_new_nodes_asks_for_none(reason):
    assert stance_on(reason) is Stance.WITHDRAW


@pytest.mark.parametrize(
    "reason", [Reason.RESERVATION_RELEASED, Reason.NOT_PLANNED, Reason.UNDOING, "of another version"]
)
def test_what_says_nothing_of_nodes_changes_nothing(reason):
    assert stance_on(reason) is Stance.KEEP
