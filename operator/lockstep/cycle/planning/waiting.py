"""The order of waiting gangs, and pools in refusals: shared by all that plan gangs."""

from dataclasses import replace

from coschedule import Decision, Unplaceable, Urgency, urgency
from lockstep.belief.state import State
from lockstep.facts.gang.gang import GangFact
from lockstep.report.text.refusal_sentences import in_pool


def urgency_of(state: State, gang: GangFact) -> Urgency:
    """The gang's place in the queue; the lowest is planned first."""
    return urgency(state.priorities.of(gang) or 0, gang.created, gang.key)


def with_pool(state: State, decision: Decision) -> Decision:
    """The decision; a refusal mentions the pool if the operator uses only some nodes."""
    if isinstance(decision, Unplaceable) and state.pool.selector:
        return replace(decision, refusal=in_pool(decision.refusal))
    return decision
