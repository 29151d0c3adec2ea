"""The number of members who can have volumes on a node, computed once for nodes that are alike."""

from collections.abc import Iterator, Sequence
from heapq import merge
from typing import NamedTuple

from lockstep.belief.nodes.node_index import Names, NodeIndex
from lockstep.belief.volumes.volume_choice import Seeker
from lockstep.facts.cluster.volume import VolumeFact

Suiting = Sequence[Sequence[VolumeFact]]
"""For each claim, the volumes that suit it, in the order of choice."""


class Likeness(NamedTuple):
    """The common properties of alike nodes: the volumes that they reach, and the claims that can't get new volumes.

    ``reached`` has the numbers of the volumes' affinities, ``unmade`` the numbers of these claims.
    """

    reached: tuple[int, ...]
    unmade: frozenset[int]


class _VolumePlace(NamedTuple):
    """A volume, and its position in the order of choice."""

    position: int
    name: str


class Stock:
    """Volumes that suit claims, and the nodes that reach them.

    ``unmade[c]``: the nodes where no new volume can be made for claim ``c``.
    """

    def __init__(self, seekers: Sequence[Seeker], suiting: Suiting, unmade: Sequence[Names], nodes: NodeIndex) -> None:
        self._unmade = unmade
        self._nodes = nodes
        # The smallest claim is served first.
        self._order = sorted(range(len(seekers)), key=lambda number: seekers[number].request.size)
        affinities = dict.fromkeys(volume.affinities for volumes in suiting for volume in volumes)
        self._numbers = {those: number for number, those in enumerate(affinities)}
        self._shelves = [self._by_affinities(volumes) for volumes in suiting]

    def alike(self) -> dict[Likeness, list[str]]:
        """The nodes that reach any of the volumes, by their common properties."""
        reached: dict[str, list[int]] = {}
        for affinities, number in self._numbers.items():
            for node in self._nodes.reaching(affinities):
                reached.setdefault(node, []).append(number)
        alike: dict[Likeness, list[str]] = {}
        for node, numbers in reached.items():
            unmade = frozenset(claim for claim, names in enumerate(self._unmade) if node in names)
            alike.setdefault(Likeness(tuple(numbers), unmade), []).append(node)
        return alike

    def members(self, likeness: Likeness, *, shared: int, most: int) -> int:
        """The number of members who can have volumes on such nodes, at most ``most``.

        All members use the first ``shared`` claims together. Each member has its own copy of the other claims.
        """
        shelves = [self._shelf(claim, likeness) for claim in range(len(self._order))]
        used: set[str] = set()
        claims = self._order
        for count in range(most):
            taken = {claim for claim in claims if _takes_one(shelves[claim], used)}
            if any(claim in likeness.unmade for claim in claims if claim not in taken):
                return count
            if not taken:
                # All further members can get new volumes, too.
                return most
            claims = [claim for claim in self._order if claim >= shared]
        return most

    def _by_affinities(self, volumes: Sequence[VolumeFact]) -> dict[int, list[_VolumePlace]]:
        """The volumes that suit one claim, by the numbers of their affinities."""
        shelves: dict[int, list[_VolumePlace]] = {}
        for position, volume in enumerate(volumes):
            shelves.setdefault(self._numbers[volume.affinities], []).append(_VolumePlace(position, volume.name))
        return shelves

    def _shelf(self, claim: int, likeness: Likeness) -> Iterator[str]:
        """The volumes for the claim that such nodes reach, in the order of choice, each once."""
        shelves = self._shelves[claim]
        return (name for _, name in merge(*(shelves[number] for number in likeness.reached if number in shelves)))


def _takes_one(shelf: Iterator[str], used: set[str]) -> bool:
    """Take the first volume that is not used; returns whether there is one."""
    name = next((one for one in shelf if one not in used), None)
    if name is not None:
        used.add(name)
    return name is not None
