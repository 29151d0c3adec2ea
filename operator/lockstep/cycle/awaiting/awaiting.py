"""Follows gangs that wait for others: records the states of their predecessors, and ends gangs that wait in vain.

A gang starts only because of records in its status. So a predecessor that is deleted later changes nothing, and after a
restart the operator reaches the same answer.
"""

from collections.abc import Sequence
from functools import partial

from coschedule import GangKey
from lockstep.act.missing_predecessors import MissingPredecessors
from lockstep.act.requests.services import Services
from lockstep.belief.gangs.phases import Phase
from lockstep.belief.order.predecessors import key_of
from lockstep.facts.gang.after import Missing, Predecessor, Recorded, Satisfaction
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status import awaiting_marks, endings, events
from lockstep.report.status.writer import StatusReport
from lockstep.report.text.awaiting_sentences import never_satisfied, waits_for_others


class AwaitingGangs:
    """Reconciles gangs without nodes that name others in ``spec.after``."""

    def __init__(self, services: Services, metrics: Metrics) -> None:
        self._state = services.state
        self._writer = services.writer
        self._metrics = metrics
        self._missing = MissingPredecessors(services)

    def check(self, gang: GangFact, phase: Phase, now: float) -> bool:
        """Write what is new about the predecessors. Returns whether the gang waits for others, or a write is due."""
        if phase is not Phase.AWAITS_OTHERS:
            self.forget(gang.key)
            is_over = gang.is_deleting or gang.status.end is not None
            return not is_over and self._record(gang)
        found = self._state.predecessors.recorded(gang)
        self._writer.report(gang, partial(self._awaiting, gang, found, now))
        return True

    def forget(self, gang: GangKey) -> None:
        """Forget a gang that is gone, or that waits for no others."""
        self._missing.forget(gang)

    async def stop(self) -> None:
        """Stop all work and change nothing in the cluster."""
        await self._missing.stop()

    def _record(self, gang: GangFact) -> bool:
        """Record the predecessors of a gang that is suspended, refused, or also waits for its pods.

        Returns whether there was something to record.
        """
        found = self._state.predecessors.recorded(gang)
        if not gang.unmet or found == gang.status.after:
            return False
        self._writer.report(gang, lambda: StatusReport(status=awaiting_marks.with_record(gang, found)))
        return True

    def _awaiting(self, gang: GangFact, found: Sequence[Recorded], now: float) -> StatusReport | None:
        """The report that the gang still waits, waits in vain, or is planned from now on; None if nothing is new."""
        record = partial(_entry, found)
        why = next((never_satisfied(one, record(one)) for one in gang.unmet if self._never(gang, one, record(one))), "")
        if why:
            return self._in_vain(gang, found, why, now)
        unmet = [one for one in gang.unmet if _answer(one, record(one)) is not Satisfaction.MET]
        if not unmet:
            status = awaiting_marks.mark_awaiting_no_other(gang, found, now=now)
            return StatusReport(status=status, written=self._state.changes.plan)
        status = awaiting_marks.mark_awaiting_others(gang, found, waits_for_others(unmet, record), now=now)
        # The gang is planned ahead after its status says that it waits.
        written = None if _is_reported(gang) else self._state.changes.plan
        return None if status == gang.status else StatusReport(status=status, written=written)

    def _never(self, gang: GangFact, asked: Predecessor, known: Recorded | None) -> bool:
        """Whether the gang waits for that predecessor in vain."""
        if known is None and asked.missing is Missing.FAIL:
            return self._missing.is_missing(gang, key_of(gang, asked))
        return _answer(asked, known) is Satisfaction.NEVER

    def _in_vain(self, gang: GangFact, found: Sequence[Recorded], why: str, now: float) -> StatusReport | None:
        if is_pod_gang(gang.key):
            status = awaiting_marks.mark_awaiting_in_vain(gang, found, why, now=now)
            return None if status == gang.status else StatusReport(status=status, event=events.gang_unplaceable(why))
        return StatusReport(
            status=endings.mark_never_satisfied(gang, found, why, now=now),
            event=events.gang_failed(why),
            written=self._metrics.ended.labels(Reason.DEPENDENCY_NEVER_SATISFIED).inc,
        )


def _is_reported(gang: GangFact) -> bool:
    planned = gang.status.condition(Condition.PLANNED)
    return planned is not None and planned.reason == Reason.AWAITS_OTHERS


def _entry(found: Sequence[Recorded], asked: Predecessor) -> Recorded | None:
    return next((one for one in found if (one.kind, one.name) == (asked.kind, asked.name)), None)


def _answer(asked: Predecessor, known: Recorded | None) -> Satisfaction:
    return Satisfaction.OPEN if known is None else known.answer(asked.when)
