"""How many more volumes of one CSI driver each node can attach."""

from bisect import bisect_left, insort
from collections.abc import Mapping


class AttachRoom:
    """How many more volumes each node with a limit can attach. The number may be negative."""

    def __init__(self) -> None:
        self._by_node: dict[str, int] = {}
        self._rising: list[tuple[int, str]] = []

    @property
    def by_node(self) -> Mapping[str, int]:
        """The room of each node that has a limit."""
        return self._by_node

    def put(self, node: str, room: int | None) -> None:
        """Set the room of a node; None if it has no limit."""
        before = self._by_node.get(node)
        if before == room:
            return
        if before is not None:
            del self._by_node[node]
            del self._rising[bisect_left(self._rising, (before, node))]
        if room is not None:
            self._by_node[node] = room
            insort(self._rising, (room, node))

    def below(self, count: int) -> list[str]:
        """The nodes that can't attach ``count`` more volumes."""
        return [node for _, node in self._rising[: bisect_left(self._rising, (count, ""))]]
