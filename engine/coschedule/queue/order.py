"""Which gang is planned first."""

from collections.abc import Iterable

from coschedule.queue.gangs import GangKey, PendingGang

Urgency = tuple[int, float, GangKey]


def in_order(gangs: Iterable[PendingGang]) -> list[PendingGang]:
    """Sort gangs by priority, highest first, then by age, then by key, so that no two are equal."""
    return sorted(gangs, key=lambda gang: urgency(gang.priority, gang.created, gang.key))


def urgency(priority: int, created: float, key: GangKey) -> Urgency:
    """Return the gang's rank in the queue; the lowest is planned first."""
    return -priority, created, key
