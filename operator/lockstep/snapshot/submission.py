"""Since when a gang waits, which its speed-up counts from, however often it is planned meanwhile."""

from lockstep.facts.gang.gang import GangFact
from lockstep.facts.reasons import Condition

# The API server keeps whole seconds, and a plan takes its time: who is planned so soon has not waited.
_AT_ONCE_SECONDS = 2.0


def requested_at(gang: GangFact, now: float) -> float:
    """When the gang was submitted, or resumed after a suspension, in seconds.

    It is ``now`` for one that came only now, and for one that has reported progress: what is left of its work was not
    asked for when it was submitted.
    """
    since = max(gang.created, _resumed_at(gang))
    return now if gang.status.done > 0 or now - since < _AT_ONCE_SECONDS else since


def _resumed_at(gang: GangFact) -> float:
    suspended = gang.status.condition(Condition.SUSPENDED)
    return gang.created if suspended is None else suspended.last_transition
