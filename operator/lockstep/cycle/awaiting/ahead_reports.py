"""When the estimated start of a gang that waits for others is reported, and when it is reported again."""

import math

from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.start_estimate import SAME_TIME_SECONDS, StartEstimate
from lockstep.report.status.awaiting_marks import mark_planned_ahead
from lockstep.report.status.writer import StatusReport

# Each plan estimates anew. The status is written only if the start has moved by this share of the wait, and after a
# pause.
_SHORTEST_PAUSE_SECONDS = 10.0
_SAME_TIME_SHARE = 0.1


def report_due_at(gang: GangFact, estimate: StartEstimate, now: float) -> float:
    """The time at which to report the estimate: in the past if it is due, infinity if users would see nothing new."""
    before = gang.status.plan
    if before is None:
        return now
    moved = abs(estimate.likely_start - before.likely_start)
    is_same = moved <= max(SAME_TIME_SECONDS, _SAME_TIME_SHARE * (estimate.likely_start - gang.created))
    if is_same and estimate.size == before.size:
        return math.inf
    # The clock may have been set back since the last change.
    return min(before.changed_at, now) + _SHORTEST_PAUSE_SECONDS


def ahead_report(gang: GangFact, estimate: StartEstimate) -> StatusReport:
    """The report with that estimate."""
    return StatusReport(status=mark_planned_ahead(gang, estimate))


def awaited_likely_start(gang: GangFact) -> float | None:
    """The likely start of a gang that waits for others; None for other gangs, or without an estimate."""
    return gang.status.plan.likely_start if gang.unmet and gang.status.plan is not None else None
