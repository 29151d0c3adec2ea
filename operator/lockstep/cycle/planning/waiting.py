"""Who comes first among gangs that wait, and how each is told: the same for whoever plans them."""

from dataclasses import replace

from coschedule import Decision, Unplaceable, Urgency, urgency
from lockstep.belief.state import State
from lockstep.facts.gang.gang import GangFact
from lockstep.report.text.refusal_sentences import in_pool


def urgency_of(state: State, gang: GangFact) -> Urgency:
    """The gang's place in the queue; the lowest is planned first."""
    return urgency(state.priorities.of(gang) or 0, gang.created, gang.key)


def told_of_pool(state: State, decision: Decision) -> Decision:
    """The decision, so that whoever reads it knows whether all nodes are meant or those of a pool."""
    if isinstance(decision, Unplaceable) and state.pool.selector:
        return replace(decision, refusal=in_pool(decision.refusal))
    return decision
