"""The order of waiting gangs, and pools in refusals: shared by all that plan gangs."""

from collections.abc import Iterable
from dataclasses import replace

from coschedule import Decision, Unplaceable, Urgency, urgency
from lockstep.belief.gangs.age import in_queue_since
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.report.text.refusal_sentences import in_pool


def by_urgency(state: State, gangs: Iterable[AcceptedGang], now: float) -> list[AcceptedGang]:
    """The gangs in the order of the queue; the first is planned first. Groups with fair shares take turns."""
    ordered = sorted(gangs, key=lambda gang: _urgency_of(state, gang, now))
    return state.shares.dealt(ordered, lambda gang: state.priorities.of(gang) or 0, now)


def with_pool(state: State, decision: Decision) -> Decision:
    """The decision; a refusal mentions the pool if the operator uses only some nodes."""
    if isinstance(decision, Unplaceable) and state.pool.selector:
        return replace(decision, refusal=in_pool(decision.refusal))
    return decision


def _urgency_of(state: State, gang: GangFact, now: float) -> Urgency:
    return urgency(state.priorities.of(gang) or 0, in_queue_since(gang, now), gang.created, gang.key)
