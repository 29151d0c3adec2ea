"""Removes names of other gangs from refusals and changes, so that an answer may contain them."""

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
"""At most this number of changes are tried for one answer, since each needs its own plan."""


def unnamed_refusal(refusal: Refusal) -> str:
    """A sentence that says why a gang has no placement, and that names no other gang."""
    # The caller's role may allow it to read only some gangs of the namespace. So gangs of the namespace have no names
    # either.
    return as_sentence(format_refusal(without_names(refusal, lambda _: None)))


def own_changes(namespace: str, changes: Sequence[Change]) -> Iterator[Change]:
    """The first ``MOST_TRIED`` changes that users of the namespace could make."""
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
