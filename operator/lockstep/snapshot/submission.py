"""The time since which a gang waits. The speed-up of a plan is computed from that time."""

from lockstep.facts.gang.gang import GangFact
from lockstep.facts.reasons import Condition

# In seconds. The API server keeps whole seconds, and a plan takes time: a gang planned within this time has not waited.
_AT_ONCE_SECONDS = 2.0


def requested_at(gang: GangFact, now: float) -> float:
    """When the gang was submitted, or resumed after a suspension, in seconds since the epoch.

    The time is ``now`` for a new gang. It is also ``now`` for a gang that has reported progress: the submission asked
    for more work than is left.
    """
    since = max(gang.created, _resumed_at(gang))
    return now if gang.status.done > 0 or now - since < _AT_ONCE_SECONDS else since


def _resumed_at(gang: GangFact) -> float:
    suspended = gang.status.condition(Condition.SUSPENDED)
    return gang.created if suspended is None else suspended.last_transition
