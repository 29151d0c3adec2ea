"""When a GangJob that has ended is to be deleted."""

from lockstep.facts.gang.gang import GangFact


def expires_at(gang: GangFact) -> float | None:
    """The time of day from which nobody needs the gang any more, where it has ended and says so."""
    ended, ttl = gang.status.finished_at, gang.policies.ttl_seconds
    return None if ended is None or ttl is None else ended + ttl
