"""Refusals as users of a namespace may read them: without the names of gangs of other namespaces."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from coschedule import Blocker, HeldByGangsInFront, NotEnoughRoom, OfRole, PlanningFailed, Refusal
from lockstep.facts.gang.keys import seen_from
from lockstep.report.text.operator_refusals import HoldingNodes, RefusedInPool, RestingFromHold, in_pool

_IN_THE_LOG = "the operator's log says more"


def refusal_seen_from(namespace: str, refusal: Refusal) -> Refusal:
    """The refusal of a gang of that namespace, as users of the namespace may read it.

    It names no gangs of other namespaces. The text of an exception is left out, because it may name anything.
    """
    return without_names(refusal, partial(_seen, namespace))


def without_names(refusal: Refusal, blocker: Callable[[Blocker], Blocker | None]) -> Refusal:
    """The refusal without the text of an exception. ``blocker`` returns what replaces a blocker; None removes it.

    Refusals without a blocker name no gang.
    """
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
