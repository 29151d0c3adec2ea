"""Reports that a gang is refused, and why."""

from lockstep.belief.state import State
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.reasons import Reason
from lockstep.report.status import conditions, events
from lockstep.report.status.writer import StatusReport


def refusal_report(state: State, gang: GangFact, now: float) -> StatusReport | None:
    """The report that the gang is refused; None if it is not refused, or if its status already says so."""
    refusal = state.refusal_of(gang)
    if refusal is None:
        return None
    rejected = state.rejections.rejected(gang) if refusal.reason == Reason.REJECTED_BY_KUBELETS else None
    status = conditions.mark_refused(gang, refusal, now=now, rejected=rejected)
    if status == gang.status:
        return None
    return StatusReport(status=status, event=events.not_accepted(refusal))
