"""How old a gang is in the queue: the only rule for it. Of gangs of one priority the oldest is planned first.

A gang's age counts from its creation, while it asks to run and could. While it is suspended, refused, or would not fit
even on empty nodes, its age stands still: its status keeps what it has earned. Its age then goes on from there, and
only when a plan has found that the gang could run. So no change of a spec, no suspension and no restart of the
operator makes a gang older.

All ages are whole seconds, as in a status, so that a write does not change the order of a queue.
Deadlines do not depend on it: they count from the creation.
"""

from dataclasses import replace

from lockstep.facts.gang.gang import GangFact, GangStatus
from lockstep.facts.reasons import Condition


def queued_since(gang: GangFact, now: float) -> float:
    """The time from which the gang's age counts, never before its creation.

    It moves with ``now`` while the age stands still. Such a gang takes no room from others, and is at its place in the
    first plan in which it fits.
    """
    status = gang.status
    if status.waited_seconds is not None:
        return max(gang.created, round(now) - status.waited_seconds)
    return gang.created if status.queued_since is None else max(gang.created, status.queued_since)


def with_age_going_on(status: GangStatus, gang: GangFact, now: float) -> GangStatus:
    """The next status of a gang that asks to run and could."""
    if gang.status.waited_seconds is None:
        return status
    return replace(status, waited_seconds=None, queued_since=queued_since(gang, now))


def with_age_standing_still(status: GangStatus, gang: GangFact, now: float) -> GangStatus:
    """The next status of a gang that does not ask to run, or could not: it keeps what it has earned."""
    return replace(status, waited_seconds=_earned(gang, now), queued_since=None)


def _earned(gang: GangFact, now: float) -> int:
    """For how many seconds the gang's age has counted."""
    if gang.status.waited_seconds is not None:
        return gang.status.waited_seconds
    if gang.status.condition(Condition.PLANNED) is None:
        # No plan and nothing else has looked at it yet: it has not been seen to be able to run.
        return 0
    return max(0, round(now - queued_since(gang, now)))
