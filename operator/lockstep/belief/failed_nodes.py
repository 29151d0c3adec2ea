"""Nodes on which attempts of a gang have failed lately: it is kept off them for a while, and so tries others."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import TypeVar

from lockstep.belief.node_index import Names

AVOID_SECONDS = 300.0

_Key = TypeVar("_Key")


class Trouble(StrEnum):
    """What failed on a node, in words that follow "nodes"."""

    VOLUMES = "where its volumes could not be made lately"
    TURNED_AWAY = "whose kubelets have turned its members away again and again"


class FailedNodes:
    """By the UID of the gang. Forgotten when their time is over, or with the gang; ``changed`` is then called.

    There are never more of a gang than nodes that it was given.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._until: dict[str, dict[tuple[str, Trouble], float]] = {}
        # What is not counted against a node when it happens for the first time.
        self._first: dict[str, dict[str, float]] = {}

    def note_without_volumes(self, gang_uid: str, nodes: Iterable[str], now: float) -> None:
        """Volumes of the gang could not be made for these nodes."""
        self._avoid(gang_uid, nodes, Trouble.VOLUMES, now)

    def note_turned_away(self, gang_uid: str, nodes: Iterable[str], now: float) -> list[str]:
        """The kubelets of these nodes have turned members of the gang away. Returns the nodes that are now avoided.

        Once may be a race: the pod that took the room is known to the next plan. The second time within
        ``AVOID_SECONDS`` the node knows something that the API server does not show.
        """
        first = self._first.setdefault(gang_uid, {})
        again = sorted(node for node in nodes if first.get(node, 0.0) > now)
        first.update(dict.fromkeys(nodes, now + AVOID_SECONDS))
        self._avoid(gang_uid, again, Trouble.TURNED_AWAY, now)
        return again

    def of(self, gang_uid: str, trouble: Trouble) -> Names:
        """The nodes that the gang is kept off for that."""
        return frozenset(node for node, why in self._until.get(gang_uid, ()) if why is trouble)

    def forget(self, gang_uid: str) -> None:
        """The gang is gone."""
        self._until.pop(gang_uid, None)
        self._first.pop(gang_uid, None)

    def expire(self, now: float) -> None:
        """Forget what is old by now."""
        self._first = _later(self._first, now)
        left = _later(self._until, now)
        if left != self._until:
            self._until = left
            self._changed()

    def next_end(self) -> float:
        """The earliest time at which a gang is kept off a node no longer; infinity where none is."""
        return min((end for ends in self._until.values() for end in ends.values()), default=float("inf"))

    def _avoid(self, gang_uid: str, nodes: Iterable[str], trouble: Trouble, now: float) -> None:
        ends = {(node, trouble): now + AVOID_SECONDS for node in nodes}
        if ends:
            self._until.setdefault(gang_uid, {}).update(ends)


def _later(times: dict[str, dict[_Key, float]], now: float) -> dict[str, dict[_Key, float]]:
    left = {uid: {key: end for key, end in ends.items() if end > now} for uid, ends in times.items()}
    return {uid: ends for uid, ends in left.items() if ends}
