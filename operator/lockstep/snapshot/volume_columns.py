"""The columns of a snapshot for volumes: columns for single gangs, and one for the attach limits of each driver."""

from collections.abc import Generator, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from lockstep.belief.common.steps import Steps
from lockstep.belief.volumes.attachments import Attachments
from lockstep.snapshot.nodes.node_arrays import NodeArrays
from lockstep.snapshot.wanted import WantedGang, attached_by

# The cost of counting the volumes of one node again, in pieces of work. A piece takes about a microsecond.
_PIECES_OF_NODE = 20


class VolumeColumns:
    """The room of nodes for the volumes of some gangs, by column."""

    def __init__(self, wanted: Iterable[WantedGang], attachments: Attachments) -> None:
        self._attachments = attachments
        self._most: dict[str, Mapping[str, int]] = {}
        self._drivers: dict[str, str] = {}
        for one in wanted:
            self._most |= {name: part.demand.most for name, part in one.own_rooms}
            self._drivers |= {attached_by(driver): driver for it in one.parts for driver in it.part.demand.attached}
        self._nodes: NodeArrays | None = None
        self._rooms: dict[str, NDArray[np.int64]] = {}

    def is_of_gang(self, name: str) -> bool:
        """Whether the column is for one gang only."""
        return name in self._most

    def making_ready(self, nodes: NodeArrays, steps: Steps) -> Generator[None, None, None]:
        """Compute the columns that are needed next for these nodes, in steps."""
        for name in self._most:
            self._of_gang(name, nodes)
            if steps.are_due(len(self._most[name])):
                yield
        for _ in self._attachments.renewing():
            if steps.are_due(_PIECES_OF_NODE):
                yield

    def room(self, name: str, nodes: NodeArrays) -> NDArray[np.int64] | None:
        """The room of each node in that column: int[n]; None for a column that is not about volumes."""
        if name in self._most:
            return self._of_gang(name, nodes)
        return nodes.room_for(self._attachments.room(self._drivers[name])) if name in self._drivers else None

    def _of_gang(self, name: str, nodes: NodeArrays) -> NDArray[np.int64]:
        if nodes is not self._nodes:
            self._nodes, self._rooms = nodes, {}
        if name not in self._rooms:
            self._rooms[name] = nodes.room_for(self._most[name])
        return self._rooms[name]
