"""Nodes on which volumes of a gang could not be made lately: it is kept off them for a while, and so tries others."""

from collections.abc import Callable, Iterable

from lockstep.belief.node_index import Names


class FailedNodes:
    """By the UID of the gang. Forgotten when their time is over, or with the gang; ``changed`` is then called.

    There are never more of a gang than nodes that it was given.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._until: dict[str, dict[str, float]] = {}

    def note(self, gang_uid: str, nodes: Iterable[str], *, until: float) -> None:
        """Keep the gang off these nodes until that time of day."""
        self._until.setdefault(gang_uid, {}).update(dict.fromkeys(nodes, until))

    def of(self, gang_uid: str) -> Names:
        """The nodes that the gang is kept off."""
        return frozenset(self._until.get(gang_uid, ()))

    def forget(self, gang_uid: str) -> None:
        """The gang is gone."""
        self._until.pop(gang_uid, None)

    def expire(self, now: float) -> None:
        """Forget what is old by now."""
        left = {uid: {node: end for node, end in ends.items() if end > now} for uid, ends in self._until.items()}
        if left != self._until:
            self._until = {uid: ends for uid, ends in left.items() if ends}
            self._changed()

    def next_end(self) -> float:
        """The earliest time at which a gang is kept off a node no longer; infinity where none is."""
        return min((end for ends in self._until.values() for end in ends.values()), default=float("inf"))
