"""The nodes where claims without a volume can get one: an existing volume, or a new one.

The rules are those of kube-scheduler, node by node. A claim gets a suitable volume that the node reaches. If there is
none, its class must allow the node, and its driver must have room if it publishes capacities. Nodes are alike if they
reach the same volumes and allow the same new volumes. One of them is checked for all.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from lockstep.belief.common.kept_answers import BYTES_OF_NAME, KeptAnswers
from lockstep.belief.nodes.node_index import Names, NodeIndex
from lockstep.belief.volumes.free_volumes import FreeVolumes
from lockstep.belief.volumes.storage import Storage
from lockstep.belief.volumes.volume_choice import Seeker
from lockstep.belief.volumes.volume_stock import Stock
from lockstep.facts.cluster.volume import ClaimKey, VolumeFact

_NOWHERE: Names = frozenset()


class Supply(NamedTuple):
    """Where members can be, by the volumes that their claims need.

    ``without``: nodes where a claim has no volume and none can be made. ``short``: nodes where only missing room
    prevents a new volume. ``most``: how many members can have volumes, for nodes where existing volumes are too few for
    all members, and no more can be made.
    """

    without: Names = _NOWHERE
    short: Names = _NOWHERE
    most: Mapping[str, int] = {}


_Asked = tuple[tuple[Seeker, ...], tuple[Seeker, ...], int]


class Provisioning:
    """Finds where claims can get volumes. Many gangs share an answer, which is kept until storage or nodes change."""

    def __init__(self, storage: Storage, nodes: Callable[[], NodeIndex]) -> None:
        self._storage = storage
        self._nodes = nodes
        self._of: NodeIndex | None = None
        self.volumes = FreeVolumes()
        self._answers = KeptAnswers[_Asked, Supply]()
        self._sets = KeptAnswers[Names, Names]()

    def forget(self) -> None:
        """Drop all answers, since a volume, a class or a published capacity has changed."""
        self._of = None

    def supply(self, shared: Sequence[Seeker], own: Sequence[Seeker], *, members: int) -> Supply:
        """Where members with these claims can be: all members use ``shared`` claims, and each has ``own`` claims."""
        if self._of is not self._nodes():
            self._of = self._nodes()
            self._answers.forget()
            self._sets.forget()
        asked = (tuple(map(self._as_anybody, shared)), tuple(map(self._as_anybody, own)), members)
        supply = self._answers.get(asked)
        if supply is None:
            supply = self._supply(*asked)
            names = len(supply.without) + len(supply.short) + len(supply.most)
            self._answers.keep(asked, supply, BYTES_OF_NAME * names)
        return supply

    def candidates(self, seeker: Seeker) -> tuple[VolumeFact, ...]:
        """The volumes that the claim could get."""
        return self.volumes.candidates(seeker)

    def _as_anybody(self, seeker: Seeker) -> Seeker:
        """The claim without its name, so that gangs share answers; with its name if a volume is reserved for it."""
        return seeker if self.volumes.has_reserved(seeker.key) else seeker._replace(uid="", key=ClaimKey("", ""))

    def _supply(self, shared: Sequence[Seeker], own: Sequence[Seeker], members: int) -> Supply:
        seekers = (*shared, *own)
        unmade = [self._unmade(one) for one in seekers]
        without = _NOWHERE.union(*(without for without, _ in unmade))
        short = _NOWHERE.union(*(short for _, short in unmade)) - without
        new = [without | short for without, short in unmade]
        stock = Stock(seekers, [self.candidates(one) for one in seekers], new, self._nodes())
        most: dict[str, int] = {}
        for likeness, names in stock.alike().items():
            most.update(dict.fromkeys(names, stock.members(likeness, shared=len(shared), most=members)))
        enough = {node for node, count in most.items() if count}
        limited = {node: count for node, count in most.items() if 0 < count < members}
        return Supply(without=self._shared(without - enough), short=self._shared(short - enough), most=limited)

    def _shared(self, names: Names) -> Names:
        """An equal set that all answers share, so that they take less memory."""
        known = self._sets.get(names)
        return self._sets.keep(names, names, BYTES_OF_NAME * len(names)) if known is None else known

    def _unmade(self, seeker: Seeker) -> tuple[Names, Names]:
        """The nodes for which no volume can be made, and the other nodes for which the driver has no room."""
        nodes = self._nodes()
        kind = self._storage.class_of(seeker.request.storage_class)
        if kind is None:
            return nodes.all, _NOWHERE
        made = self._storage.makes_on(kind, nodes)
        if seeker.selected_node:
            made &= {seeker.selected_node}
        return nodes.all - made, made - self._storage.has_room_on(kind, seeker.request.size, nodes)
