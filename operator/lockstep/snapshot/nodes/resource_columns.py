"""The resources that have columns in a snapshot. No user can raise the number of columns without limit.

Users may request a resource of any name. Some resources that no node has keep a column of their own, so that refusals
can name them. All further such resources share one column. Host ports and disks exist on every node. Several of them
are equal if the same members request them and no pod has them: then one column stands for all.
"""

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Protocol

from lockstep.facts.columns import DISK_PREFIX, HOST_PORT_PREFIX, VOLUMES_PREFIX
from lockstep.facts.pods.pod import Request

NOWHERE = "other resources that no node has"
_MOST_NOWHERE = 100
_AT_ONCE = 1_000
_OF_EVERY_NODE = (HOST_PORT_PREFIX, DISK_PREFIX)


class KnownResources(Protocol):
    """Facts about resources."""

    def is_offered(self, resource: str) -> bool:
        """Whether a node has the resource."""

    def is_taken(self, resource: str) -> bool:
        """Whether a pod takes the resource, or is about to take it."""


class Columns:
    """The columns of a snapshot by ``names``, and the amounts that members take of each column.

    ``stand_ins``: for each resource without a column of its own, the column that stands for it; None if it needs no
    column.
    """

    def __init__(self, names: Sequence[str], stand_ins: Mapping[str, str | None]) -> None:
        self.names = tuple(names)
        self._index = {name: column for column, name in enumerate(names)}
        self._stand_ins = stand_ins
        self._asked: dict[Request, tuple[int, ...]] = {}
        self._held: dict[tuple[tuple[Request, int], ...], tuple[int, ...]] = {}

    def asked(self, request: Request) -> tuple[int, ...]:
        """The amounts that one member with that request takes, by column; the same object for equal requests."""
        if request not in self._asked:
            amounts = [0] * len(self.names)
            for name, amount in request:
                column = self._column_of(name)
                if column is not None:
                    amounts[column] = max(amounts[column], 1 if self.names[column] == NOWHERE else amount)
            self._asked[request] = tuple(amounts)
        return self._asked[request]

    def held(self, requests: Sequence[tuple[Request, int]], most: int) -> tuple[int, ...]:
        """The amounts that these numbers of pods hold, by column, each at most ``most``.

        The result is the same object for equal arguments.
        """
        key = tuple(requests)
        if key not in self._held:
            amounts = [0] * len(self.names)
            for request, count in requests:
                for name, amount in request:
                    column = self._index.get(name)
                    if column is not None:
                        amounts[column] = min(amounts[column] + count * amount, most)
            self._held[key] = tuple(amounts)
        return self._held[key]

    def of_request(self, request: Request) -> set[str]:
        """The columns that members with that request use."""
        columns = (self._column_of(name) for name, _ in request)
        return {self.names[column] for column in columns if column is not None}

    def _column_of(self, name: str) -> int | None:
        if name in self._index:
            return self._index[name]
        stand_in = self._stand_ins.get(name, NOWHERE)
        return None if stand_in is None else self._index.get(stand_in)


def is_of_every_node(name: str) -> bool:
    """Whether the resource is a host port or a disk, which every node has."""
    return name.startswith(_OF_EVERY_NODE)


def choosing_columns(requests: Iterable[Request], known: KnownResources) -> Generator[None, None, Columns]:
    """Choose columns for the requests of different members, in steps of bounded length."""
    asked: dict[str, list[tuple[int, int]]] = {}
    read = 0
    for number, request in enumerate(requests):
        for name, amount in request:
            asked.setdefault(name, []).append((number, amount))
            read += 1
            if not read % _AT_ONCE:
                yield
    stand_ins = yield from _standing_in(asked, known)
    nowhere = sorted(name for name in asked if _may_be_nowhere(name) and not known.is_offered(name))
    shared = set(nowhere[_MOST_NOWHERE:])
    own = _in_order(name for name in asked if name not in stand_ins and name not in shared)
    return Columns([*own, *([NOWHERE] if shared else [])], stand_ins)


def _standing_in(
    asked: Mapping[str, Sequence[tuple[int, int]]], known: KnownResources
) -> Generator[None, None, Mapping[str, str | None]]:
    """The columns that stand for other resources equal to them.

    A resource needs no column if members only share it, and none excludes the others.
    """
    first: dict[tuple[tuple[int, int], ...], str] = {}
    stand_ins: dict[str, str | None] = {}
    for number, name in enumerate(sorted(name for name in asked if is_of_every_node(name)), 1):
        if not number % _AT_ONCE:
            yield
        if known.is_taken(name):
            continue
        if all(amount == 1 for _, amount in asked[name]):
            stand_ins[name] = None
        elif first.setdefault(tuple(asked[name]), name) != name:
            stand_ins[name] = first[tuple(asked[name])]
    return stand_ins


def _may_be_nowhere(name: str) -> bool:
    # Columns that Lockstep adds are not resources of nodes: their names contain a blank, and names of resources do not.
    return " " not in name


def _in_order(names: Iterable[str]) -> list[str]:
    """The names, with columns of volumes first, so that a refusal names these first."""
    return sorted(names, key=lambda name: (not name.startswith(VOLUMES_PREFIX), name))
