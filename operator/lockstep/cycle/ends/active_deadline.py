"""When a gang has been active for too long: from when it was first placed, over restarts, as long as it goes on.

A suspension ends that time, and what follows it is counted anew, as a Job's.
"""

from lockstep.facts.gang.gang import GangFact


def exceeded_at(gang: GangFact) -> float | None:
    """The time of day at which the gang's time is over, where it has one and it has begun."""
    policies, since = gang.policies, gang.status.active_since
    if since is None or policies.active_deadline_seconds is None or policies.is_suspended:
        return None
    return since + policies.active_deadline_seconds


def is_exceeded(gang: GangFact, now: float) -> bool:
    """Whether the gang's time is over."""
    end = exceeded_at(gang)
    return end is not None and end <= now
