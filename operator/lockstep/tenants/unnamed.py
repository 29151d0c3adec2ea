"""Refusals and changes as an answer may say them: without the gang that is in the way, if it is another's."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import assert_never

from coschedule import (
    AffinityDropped,
    Change,
    FewerMembers,
    GangEnds,
    GangLeaves,
    HeldByGangsInFront,
    NotEnoughRoom,
    OfRole,
    PlanningFailed,
    Refusal,
    SelectorDropped,
    TaintTolerated,
    TermDropped,
)
from lockstep.report.text.refusal_sentences import RefusedInPool, format_refusal
from lockstep.report.text.sentences import as_sentence

MOST_TRIED = 16
"""Each change is a plan of its own, so no more are tried for one answer."""

_FAILED = "Planning it failed by a mistake of the planner's."


def unnamed_refusal(refusal: Refusal) -> str:
    """A sentence on why a gang has no placement, which names no other gang."""
    return _FAILED if isinstance(refusal, PlanningFailed) else as_sentence(format_refusal(_without_blocker(refusal)))


def own_changes(namespace: str, changes: Sequence[Change]) -> Iterator[Change]:
    """The first changes that users of the namespace could make."""
    return islice((one for one in changes if _is_own(one, namespace)), MOST_TRIED)


def _without_blocker(refusal: Refusal) -> Refusal:
    """The refusal without the gang in the way. No other refusal has a gang; a test goes through all of them."""
    if isinstance(refusal, OfRole):
        return replace(refusal, refusal=_without_blocker(refusal.refusal))
    if isinstance(refusal, RefusedInPool) and isinstance(refusal.refusal, NotEnoughRoom):
        return replace(refusal, refusal=replace(refusal.refusal, blocker=None))
    if isinstance(refusal, NotEnoughRoom | HeldByGangsInFront):
        return replace(refusal, blocker=None)
    return refusal


def _is_own(change: Change, namespace: str) -> bool:
    match change:
        case GangEnds():
            return change.gang.key.namespace == namespace
        case GangLeaves():
            return change.gang.namespace == namespace
        case FewerMembers() | SelectorDropped() | AffinityDropped() | TaintTolerated() | TermDropped():
            return True
        case _:
            assert_never(change)
