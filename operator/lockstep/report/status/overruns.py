"""The status of a gang that runs longer than planned."""

from lockstep.api.quantities import rfc3339
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.status.conditions import TRUE, with_condition


def mark_overrunning(gang: GangFact, *, now: float) -> GangStatus:
    """The status of a gang that runs beyond its expected end. The gang must have an expected end."""
    expected = gang.status.expected_finish
    assert expected is not None, "a gang without an expected end does not overrun"
    message = (
        f"The gang was expected to end at {rfc3339(expected)}, and still runs. Lockstep does not end it, and plans "
        "anew "
        "the gangs that were promised its nodes."
    )
    return with_condition(gang.status, gang, Condition.OVERRUNNING, (TRUE, Reason.RUNS_LONGER, message), now)
