"""The order of gangs in the queue. Promises and fair shares may change it within one priority."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from coschedule.queue.problem.gangs import GangKey, PendingGang

Urgency = tuple[int, float, float, GangKey]


def in_order(gangs: Iterable[PendingGang]) -> list[PendingGang]:
    """Sort gangs: the highest priority first, then the oldest, then by creation and key, so that no two are equal."""
    return sorted(gangs, key=lambda gang: urgency(gang.priority, gang.counts_from, gang.created, gang.key))


def by_priority(gangs: Iterable[PendingGang]) -> Iterator[list[PendingGang]]:
    """List the gangs of each priority in the order of the queue, the highest priority first."""
    for _, of_priority in groupby(in_order(gangs), key=lambda gang: gang.priority):
        yield list(of_priority)


def urgency(priority: int, counts_from: float, created: float, key: GangKey) -> Urgency:
    """Return the sort key of a gang in the queue; the gang with the lowest key is the first."""
    return -priority, counts_from, created, key
