"""On which nodes claims that have no volume yet can get one: by a volume that is there, or by one that is made.

As kube-scheduler decides it, node by node: a claim gets a suitable volume that the node reaches, and where there is
none, its class has to allow the node and its driver, where it publishes that, to have room for it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from lockstep.belief.node_index import Names, NodeIndex
from lockstep.belief.storage import Storage
from lockstep.belief.volume_choice import Seeker, candidates, choose
from lockstep.facts.volume import ClaimKey, VolumeFact

_NOWHERE: Names = frozenset()


class Supply(NamedTuple):
    """Where members can be, by the volumes that their claims need.

    ``without``: the nodes where no volume is for a member's claims and none can be made; ``short``: those where it
    could be made but for the room. ``most``: for how many members there are volumes, where these can't be made.
    """

    without: Names = _NOWHERE
    short: Names = _NOWHERE
    most: Mapping[str, int] = {}


class Provisioning:
    """Answers for many gangs that ask the same: each answer holds as long as what it was made of."""

    def __init__(self, storage: Storage, volumes: Mapping[str, VolumeFact], nodes: Callable[[], NodeIndex]) -> None:
        self._storage = storage
        self._volumes = volumes
        self._nodes = nodes
        self._of: NodeIndex | None = None
        self._by_class: dict[str, list[VolumeFact]] = {}
        self._answers: dict[tuple[tuple[Seeker, ...], tuple[Seeker, ...], int], Supply] = {}

    def forget(self) -> None:
        """A volume, a class or what is published has changed."""
        self._of = None

    def supply(self, shared: Sequence[Seeker], own: Sequence[Seeker], *, members: int) -> Supply:
        """Where members with these claims can be: ``shared`` ones which all of them have, and each its ``own``."""
        self._renew()
        asked = (tuple(map(self._as_anybody, shared)), tuple(map(self._as_anybody, own)), members)
        if asked not in self._answers:
            self._answers[asked] = self._supply(*asked)
        return self._answers[asked]

    def candidates(self, seeker: Seeker) -> tuple[VolumeFact, ...]:
        """The volumes that the claim could have."""
        self._renew()
        return () if seeker.told else candidates(seeker, self._by_class.get(seeker.wish.storage_class or "", ()))

    def can_be_made(self, seeker: Seeker, node: str) -> bool:
        """Whether a volume can be made for the claim and that node."""
        without, short = self._unmade(seeker)
        return node not in without and node not in short

    def _renew(self) -> None:
        if self._of is not self._nodes():
            self._of = self._nodes()
            self._answers.clear()
            self._by_class = {}
            for _, volume in sorted(self._volumes.items()):
                if volume.offer is not None:
                    self._by_class.setdefault(volume.offer.storage_class, []).append(volume)

    def _as_anybody(self, seeker: Seeker) -> Seeker:
        """The claim without its name, where no volume is promised to it: many gangs ask for the same."""
        promised = (one.offer and one.offer.holder for one in self._by_class.get(seeker.wish.storage_class or "", ()))
        if any(holder is not None and holder.claim == seeker.key for holder in promised):
            return seeker
        return seeker._replace(uid="", key=ClaimKey("", ""))

    def _supply(self, shared: Sequence[Seeker], own: Sequence[Seeker], members: int) -> Supply:
        # Claims of anybody have no names any more: they are told apart by their number.
        seekers = [one._replace(key=ClaimKey(str(number), "")) for number, one in enumerate((*shared, *own))]
        named = zip(seekers, (*shared, *own), strict=True)
        suiting = {it.key: self.candidates(one) for it, one in named}
        unmade = {it.key: self._unmade(it) for it in seekers}
        without = _NOWHERE.union(*(without for without, _ in unmade.values()))
        short = _NOWHERE.union(*(short for _, short in unmade.values())) - without
        found = _Found(seekers[: len(shared)], seekers[len(shared) :], suiting, unmade, members)
        nodes = self._nodes()
        reached = _by_node(nodes, {one.name: one for those in suiting.values() for one in those}.values())
        counts = {node: found.members_on(node, names) for node, names in reached.items()}
        enough = {node for node, count in counts.items() if count}
        most = {node: count for node, count in counts.items() if 0 < count < members}
        return Supply(without=without - enough, short=short - enough, most=most)

    def _unmade(self, seeker: Seeker) -> tuple[Names, Names]:
        """Nodes for which no volume can be made, and those of the others for which there is no room."""
        nodes = self._nodes()
        kind = self._storage.class_of(seeker.wish.storage_class)
        if kind is None:
            return nodes.all, _NOWHERE
        made = self._storage.makes_on(kind, nodes)
        if seeker.told:
            made &= {seeker.told}
        return nodes.all - made, made - self._storage.has_room_on(kind, seeker.wish.size, nodes)


class _Found(NamedTuple):
    """Claims and what there is for them. ``unmade`` are by claim the nodes without a volume, and those without room."""

    shared: Sequence[Seeker]
    own: Sequence[Seeker]
    suiting: Mapping[ClaimKey, Sequence[VolumeFact]]
    unmade: Mapping[ClaimKey, tuple[Names, Names]]
    members: int

    def members_on(self, node: str, reached: Names) -> int:
        """For how many members there are volumes on the node, which reaches those volumes."""
        count, used = 0, set[str]()
        seekers = [*self.shared, *self.own]
        while count < self.members:
            chosen = choose(seekers, self.suiting, taken=used, is_reached=lambda one: one.name in reached)
            if any(self._is_unmade(one, node) for one in seekers if one.key not in chosen):
                return count
            if not chosen:
                # The next one has what this one has.
                return self.members
            count, seekers = count + 1, list(self.own)
            used |= {one.name for one in chosen.values()}
        return count

    def _is_unmade(self, seeker: Seeker, node: str) -> bool:
        without, short = self.unmade[seeker.key]
        return node in without or node in short


def _by_node(nodes: NodeIndex, volumes: Iterable[VolumeFact]) -> dict[str, Names]:
    """The volumes that each node reaches, of those nodes that reach any."""
    reached: dict[str, set[str]] = {}
    for volume in volumes:
        for node in nodes.reaching(volume.affinities):
            reached.setdefault(node, set()).add(volume.name)
    return {node: frozenset(names) for node, names in reached.items()}
