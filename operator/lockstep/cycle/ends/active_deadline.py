"""When a gang exceeds its active deadline. The time counts from its first placement, and goes on over restarts.

A suspension resets it, as for a Job.
"""

from lockstep.facts.gang.gang import GangFact


def active_deadline_time(gang: GangFact) -> float | None:
    """The time of day at which the gang exceeds its active deadline; None if it has none or is not active."""
    policies, since = gang.policies, gang.status.active_since
    if since is None or policies.active_deadline_seconds is None or policies.is_suspended:
        return None
    return since + policies.active_deadline_seconds


def is_exceeded(gang: GangFact, now: float) -> bool:
    """Whether the gang has exceeded its active deadline."""
    end = active_deadline_time(gang)
    return end is not None and end <= now
