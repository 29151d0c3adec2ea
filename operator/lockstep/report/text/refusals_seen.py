"""Refusals as users of a namespace may read them: gangs of other namespaces have no names there."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from coschedule import Blocker, HeldByGangsInFront, NotEnoughRoom, OfRole, PlanningFailed, Refusal
from lockstep.facts.gang.keys import seen_from
from lockstep.report.text.operator_refusals import HoldingNodes, RefusedInPool, RestingFromHold, in_pool

_IN_THE_LOG = "the operator's log says more"


def refusal_seen_from(namespace: str, refusal: Refusal) -> Refusal:
    """The refusal of a gang of that namespace. The text of an exception is left out, because it may name anything."""
    return without_names(refusal, partial(_seen, namespace))


def without_names(refusal: Refusal, blocker: Callable[[Blocker], Blocker | None]) -> Refusal:
    """The refusal with another ``blocker``, and without the text of an exception. Other refusals name no gang."""
    if isinstance(refusal, RefusedInPool):
        return in_pool(without_names(refusal.refusal, blocker))
    if isinstance(refusal, OfRole | HoldingNodes | RestingFromHold):
        return replace(refusal, refusal=without_names(refusal.refusal, blocker))
    if isinstance(refusal, NotEnoughRoom | HeldByGangsInFront) and refusal.blocker is not None:
        return replace(refusal, blocker=blocker(refusal.blocker))
    if isinstance(refusal, PlanningFailed):
        return replace(refusal, message=_IN_THE_LOG)
    return refusal


def _seen(namespace: str, blocker: Blocker) -> Blocker:
    return blocker._replace(gang=seen_from(namespace, blocker.gang))
