"""Who comes first."""

from collections.abc import Iterable

from coschedule.cluster.snapshot import PendingGang


def in_order(gangs: Iterable[PendingGang]) -> list[PendingGang]:
    """Sort gangs by priority, highest first, then by age, then by key, so that no two are equal."""
    return sorted(gangs, key=lambda gang: (-gang.priority, gang.created, gang.key))
