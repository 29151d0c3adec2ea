"""Logs every decision of every plan at level ``debug``, also those that are not reported again."""

import logging

from coschedule import Decision, Placement, Preemption
from lockstep.api.preemption import gang_name
from lockstep.logs.fields import debug_about
from lockstep.report.text.placement_sentences import chosen
from lockstep.report.text.refusal_sentences import format_refusal
from lockstep.report.text.sentences import waits_for_victims
from lockstep.report.text.size_sentences import shrink_for

log = logging.getLogger(__name__)


def log_decision(decision: Decision, now: float) -> None:
    """Log the decision about a gang."""
    if log.isEnabledFor(logging.DEBUG):
        debug_about(log, decision.gang, "the plan says: %s", _message(decision, now))


def log_preemption(preemption: Preemption) -> None:
    """Log which gangs a plan evicts for a gang, and which shrink for it."""
    if not log.isEnabledFor(logging.DEBUG):
        return
    if preemption.victims:
        debug_about(log, preemption.gang, "the plan says: %s", waits_for_victims(preemption.victims))
    for change in preemption.shrinks:
        debug_about(log, preemption.gang, "the plan says: %s %s", gang_name(change.gang), shrink_for(change))


def _message(decision: Decision, now: float) -> str:
    return chosen(decision, now=now) if isinstance(decision, Placement) else format_refusal(decision.refusal)
