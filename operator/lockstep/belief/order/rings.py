"""Finds gangs that wait for each other in a ring, so that none of them can ever start.

The work is linear in the number of waiting gangs and of their predecessors. It is done in steps: a tenant may write
thousands of gangs, each of which waits for the next.
"""

from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple

from coschedule import GangKey
from lockstep.belief.common.steps import Steps

Awaited = Mapping[GangKey, Sequence[GangKey]]
"""The predecessors of each gang; gangs without predecessors are left out."""


_MOST_NAMED = 8


class PlaceInRing(NamedTuple):
    """Each gang of the ``ring`` waits for the next one, and the last for the first; this gang is at ``position``."""

    ring: tuple[GangKey, ...]
    position: int

    @property
    def path(self) -> tuple[GangKey, ...]:
        """The gang and the gangs after it in the ring, as many as a message names."""
        start, ring = self.position, self.ring
        return tuple(ring[(start + step) % len(ring)] for step in range(min(_MOST_NAMED, len(ring))))

    def says_the_same_as(self, other: "PlaceInRing | None") -> bool:
        """Whether a message about the other place would be equal.

        Rings are not compared: 10,000 gangs may be in one ring.
        """
        return other is not None and (self.path, len(self.ring)) == (other.path, len(other.ring))


Rings = Mapping[GangKey, PlaceInRing]
"""The place of each gang in a ring. A gang that only waits for a gang in a ring is left out."""


def finding_rings(awaited: Awaited) -> Generator[None, None, Rings]:
    """Find rings, in steps; at least one if there is any.

    If a gang of a ring also waits, directly or indirectly, for a gang of another ring, only one of the rings may be
    found. When that ring no longer exists, a later search finds the other.
    """
    steps = Steps()
    left = yield from _without_those_that_may_start(awaited, steps)
    found: dict[GangKey, PlaceInRing] = {}
    visited: dict[GangKey, GangKey] = {}
    for first in left:
        walk: list[GangKey] = []
        gang = first
        while gang not in visited:
            if steps.are_due(1):
                yield
            visited[gang] = first
            walk.append(gang)
            gang = next(one for one in awaited[gang] if one in left)
        if visited[gang] == first:
            ring = tuple(walk[walk.index(gang) :])
            found.update((one, PlaceInRing(ring, position)) for position, one in enumerate(ring))
    return found


def _without_those_that_may_start(awaited: Awaited, steps: Steps) -> Generator[None, None, dict[GangKey, int]]:
    """The gangs that are in rings, or wait for such gangs directly or indirectly. All others may start in some order.

    The values are the numbers of their predecessors among these gangs.
    """
    left: dict[GangKey, int] = {}
    successors: defaultdict[GangKey, list[GangKey]] = defaultdict(list)
    for gang, others in awaited.items():
        left[gang] = 0
        for other in others:
            if steps.are_due(1):
                yield
            if other in awaited:
                left[gang] += 1
                successors[other].append(gang)
    able = [gang for gang, count in left.items() if not count]
    while able:
        gang = able.pop()
        del left[gang]
        for successor in successors[gang]:
            if steps.are_due(1):
                yield
            left[successor] -= 1
            if not left[successor]:
                able.append(successor)
    return left
