"""Running gangs of unknown end: the facts in a snapshot, and which of these gangs blocks another one."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.nodes import read_only


class Blocker(NamedTuple):
    """``gang`` uses ``nodes`` of the nodes that pass, until an unknown end.

    ``others`` is the number of other gangs of unknown end that use nodes that pass.
    """

    gang: GangKey
    nodes: int
    others: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OpenEnded:
    """Gangs that use nodes until an unknown end: ``gangs[holder[i]]`` has members on node ``node[i]``.

    Each pair occurs once. Arrays are copied and read-only; ValueError when a shape or a value is wrong.
    """

    gangs: tuple[GangKey, ...]
    holder: IntArray
    node: IntArray

    def __post_init__(self) -> None:
        shape = (np.size(self.holder),)
        for name in ("holder", "node"):
            object.__setattr__(self, name, read_only(name, getattr(self, name), np.int64, shape))
        if ((self.holder < 0) | (self.holder >= len(self.gangs))).any() or (self.node < 0).any():
            raise ValueError("holder must have indices of gangs, and node must not be negative")

    def with_gang(self, gang: GangKey, nodes: IntArray) -> "OpenEnded":
        """Return these facts with one more gang, which uses ``nodes``, int[i]; a node may repeat."""
        held = np.unique(nodes)
        return OpenEnded(
            gangs=(*self.gangs, gang),
            holder=np.append(self.holder, np.full(len(held), len(self.gangs))),
            node=np.append(self.node, held),
        )

    def moved(self, gang: GangKey, nodes: IntArray) -> "OpenEnded":
        """Return these facts with this gang on ``nodes`` only, int[i], no longer on others; a node may repeat."""
        held, number = np.unique(nodes), self.gangs.index(gang)
        others = self.holder != number
        return OpenEnded(
            gangs=self.gangs,
            holder=np.append(self.holder[others], np.full(len(held), number)),
            node=np.append(self.node[others], held),
        )

    def blocker(self, passes: BoolArray) -> Blocker | None:
        """Return the first of the gangs with the most nodes that pass, bool[n]; None if no gang has such a node."""
        held = np.bincount(self.holder[passes[self.node]], minlength=len(self.gangs))
        if not held.any():
            return None
        most = int(np.argmax(held))
        return Blocker(gang=self.gangs[most], nodes=int(held[most]), others=int((held > 0).sum()) - 1)


def none_open_ended() -> OpenEnded:
    """Return the facts if no gang of unknown end runs."""
    empty = np.zeros(0, dtype=np.int64)
    return OpenEnded(gangs=(), holder=empty, node=empty)
