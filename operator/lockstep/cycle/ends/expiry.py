"""When a finished GangJob is deleted."""

from lockstep.facts.gang.gang import GangFact


def expires_at(gang: GangFact) -> float | None:
    """The time of day at which a finished gang is deleted; None if it has not finished or has no TTL."""
    ended, ttl = gang.status.finished_at, gang.policies.ttl_seconds
    return None if ended is None or ttl is None else ended + ttl
