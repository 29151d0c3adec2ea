"""Refusals and changes as an answer may say them: without the gang that is in the way, if it is another's."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import assert_never

from coschedule import (
    AffinityDropped,
    Change,
    FewerMembers,
    GangEnds,
    GangLeaves,
    Refusal,
    SelectorDropped,
    TaintTolerated,
    TermDropped,
)
from lockstep.report.text.refusal_sentences import format_refusal
from lockstep.report.text.refusals_seen import without_names
from lockstep.report.text.sentences import as_sentence

MOST_TRIED = 16
"""Each change is a plan of its own, so no more are tried for one answer."""


def unnamed_refusal(refusal: Refusal) -> str:
    """A sentence on why a gang has no placement, which names no other gang."""
    # A role may let the asker read some gangs of the namespace only, so its own gang in the way has no name either.
    return as_sentence(format_refusal(without_names(refusal, lambda _: None)))


def own_changes(namespace: str, changes: Sequence[Change]) -> Iterator[Change]:
    """The first changes that users of the namespace could make."""
    return islice((one for one in changes if _is_own(one, namespace)), MOST_TRIED)


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
