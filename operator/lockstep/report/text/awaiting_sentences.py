"""Sentences about gangs that wait for others to start or end."""

from collections.abc import Callable, Sequence

from lockstep.api.quantities import rfc3339
from lockstep.facts.gang.after import Predecessor, PredecessorOutcome, Recorded, When

# A message names at most this number of predecessors; `spec.after` has all of them.
_MOST_NAMED = 3


def waits_for_others(unmet: Sequence[Predecessor], record: Callable[[Predecessor], Recorded | None]) -> str:
    """A sentence about the predecessors that a gang waits for.

    ``record`` returns the entry in ``status.after`` about a predecessor; None if the predecessor does not exist.
    """
    clauses = [_clause(one, is_there=record(one) is not None) for one in unmet[:_MOST_NAMED]]
    more = len(unmet) - len(clauses)
    return f"It waits until {', and until '.join(clauses)}{f', and for {more} more' if more > 0 else ''}."


def never_satisfied(asked: Predecessor, known: Recorded | None) -> str:
    """A sentence about a predecessor for which a gang waits in vain. ``known`` is None if it does not exist."""
    if known is None:
        return f"There is no {asked.kind} {asked.name}, and this gang does not wait for missing gangs."
    at = "" if known.at is None else f" at {rfc3339(known.at)}"
    return f"This gang starts only once {asked.title} {asked.when.clause}, but it {_became(known)}{at}."


def _clause(asked: Predecessor, *, is_there: bool) -> str:
    missing = "" if is_there else f" (there is no such {asked.kind} yet)"
    return f"{asked.title} {asked.when.clause}{missing}"


def _became(known: Recorded) -> str:
    return When.FAILED.clause if known.outcome is PredecessorOutcome.FAILED else When.SUCCEEDED.clause
