"""The age of a gang in the queue: all callers use these functions.

Among gangs of one priority, the oldest is planned first. A gang's age counts from its creation, while the gang asks to
run and could run. The age stands still while the gang is suspended or refused, or would not fit even on empty nodes. It
also stands still until the gang's predecessors have started or ended. Meanwhile, the gang's status keeps the age. The
age goes on from there once a plan has found that the gang could run. So no change of a spec, no suspension and no
restart of the operator makes a gang older.

All ages are whole seconds, as in a status, so that a write does not change the order of a queue. Deadlines do not
depend on the age: they count from the creation.
"""

import math
from dataclasses import replace

from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.reasons import Condition

ROOM_KEPT_SECONDS = 600.0
"""How many seconds a Gang keeps room for pods that do not exist yet, after it was first placed.

The time is limited, because quotas do not count these pods. Neither later pods nor replacements prolong it.
"""


def queued_since(gang: GangFact, now: float) -> float:
    """The time from which the gang's age counts, never before its creation.

    While the age stands still, this time moves with ``now``, so that the age stays the same. Such a gang takes no room
    from other gangs, but plans already sort it by this age. So when the gang fits at last, it has its place in the
    queue.
    """
    status = gang.status
    if status.waited_seconds is not None:
        return max(gang.created, round(now) - status.waited_seconds)
    return gang.created if status.queued_since is None else max(gang.created, status.queued_since)


def in_queue_since(gang: GangFact, now: float) -> float:
    """The time by which the gang is sorted among gangs of its priority: the earliest comes first.

    This is :func:`queued_since` for most gangs. It is minus infinity for the room that a Gang keeps for later pods, and
    for the pods that take this room. They come first because the rest of their Gang holds nodes.
    """
    spec, begun = gang.spec, gang.status.active_since
    if spec is None or not spec.takes_room:
        return queued_since(gang, now)
    is_kept = spec.is_room or (begun is not None and now < begun + ROOM_KEPT_SECONDS)
    return -math.inf if is_kept else queued_since(gang, now)


def age_stands_still(gang: GangFact) -> bool:
    """Whether the status says that the gang's age stands still.

    For a gang that waits for nodes, this means that it would not fit even on empty nodes, as the last plan found.
    """
    return gang.status.waited_seconds is not None


def with_age_going_on(status: GangStatus, gang: GangFact, now: float) -> GangStatus:
    """The status with an age that goes on, for a gang that asks to run and could run."""
    if gang.status.waited_seconds is None:
        return status
    return replace(status, waited_seconds=None, queued_since=queued_since(gang, now))


def with_age_standing_still(status: GangStatus, gang: GangFact, now: float) -> GangStatus:
    """The status with an age that stands still, for a gang that does not ask to run or could not run."""
    return replace(status, waited_seconds=_earned(gang, now), queued_since=None)


def _earned(gang: GangFact, now: float) -> int:
    """The gang's age in seconds; 0 for a gang without a condition ``Planned``."""
    if gang.status.waited_seconds is not None:
        return gang.status.waited_seconds
    if gang.status.condition(Condition.PLANNED) is None:
        # No plan and no other check has handled the gang yet, so it is unknown whether it could run.
        return 0
    return max(0, round(now - queued_since(gang, now)))
