"""Which nodes of a timeline are in which domain, and which domains are alike.

Example: nodes a, b and c are of one class, d of another; a and b are in rack 1, c and d in rack 2. Rack 1 has one part:
two nodes of the first class. Rack 2 has two parts: one node of each class.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coschedule.model.numbers import IntArray
from coschedule.queue.slots.segments import is_first, rows_as_bytes
from coschedule.queue.slots.timeline import Timeline


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Domains:
    """The domains of a timeline. Axes: domain ``d``, node ``i`` in a domain, part ``p`` of a domain.

    A part of a domain is its nodes of one class. The nodes have the ranks ``rank[i]``, sorted by domain, then by rank.
    Domain d has ``length[d]`` of them, from index ``first[d]`` on. Part p has ``width[p]`` nodes of domain
    ``owner[p]``, which never falls, and of class ``of_class[p]``. ``class_of[k]`` is the class of the node of rank k.
    """

    class_of: IntArray
    rank: IntArray
    first: IntArray
    length: IntArray
    owner: IntArray
    of_class: IntArray
    width: IntArray

    @property
    def lowest(self) -> IntArray:
        """The lowest rank of each domain: int[d]."""
        return self.rank[self.first]

    def ranks(self, domain: int) -> IntArray:
        """List the ranks of the nodes of a domain, rising."""
        return self.rank[self.first[domain] : self.first[domain] + self.length[domain]]

    def only(self, kept: IntArray) -> "Domains":
        """Return the domains ``kept``, which rise, with new numbers."""
        is_kept = np.zeros(len(self.first), dtype=np.bool_)
        is_kept[kept] = True
        parts = np.flatnonzero(is_kept[self.owner])
        return Domains(
            class_of=self.class_of,
            rank=self.rank,
            first=self.first[kept],
            length=self.length[kept],
            owner=(np.cumsum(is_kept) - 1)[self.owner[parts]],
            of_class=self.of_class[parts],
            width=self.width[parts],
        )

    def first_of(self, alike: IntArray) -> "Domains":
        """Return the domain with the lowest rank for each number ``alike[d]``, with new numbers of domains."""
        by_both = np.lexsort((self.lowest, alike))
        return self.only(np.sort(by_both[is_first(alike[by_both])]))

    def alike(self, kind_of: IntArray, levels: Sequence[IntArray] = ()) -> IntArray:
        """Number domains: domains with equal numbers of nodes of each kind get the same number, int[d].

        ``kind_of[c]`` is the kind of a class. With ``levels``, nodes are also in smaller domains: the node of rank k is
        in ``levels[l][k]``, -1 for none. Domains with the same number then also agree in their smaller domains, node by
        node.
        """
        if levels:
            return self._alike_by_node(kind_of, levels)
        kinds = int(kind_of.max(initial=-1)) + 1
        parts, part = np.unique(self.owner * kinds + kind_of[self.of_class], return_inverse=True)
        width = np.bincount(part, weights=self.width).astype(np.int64)
        return number_groups(parts // max(1, kinds), number_rows([parts % max(1, kinds), width]), len(self.first))

    def _alike_by_node(self, kind_of: IntArray, levels: Sequence[IntArray]) -> IntArray:
        owner = np.arange(len(self.first)).repeat(self.length)
        place = np.arange(len(owner)) - (self.length.cumsum() - self.length)[owner]
        rank = self.rank[place + self.first[owner]]
        # The numbers of smaller domains do not matter, only which nodes share one. So the place of the first node of a
        # smaller domain stands for its number.
        called = [_first_of_same(owner, place, level[rank]) for level in levels]
        return number_groups(owner, number_rows([kind_of[self.class_of[rank]], *called]), len(self.first))


def domains_of(timeline: Timeline, domain: IntArray) -> Domains:
    """Return the domains of a timeline's nodes; the node of index n is in ``domain[n]``, -1 for none."""
    by_rank = domain[timeline.node]
    inside = np.flatnonzero(by_rank >= 0)
    rank = inside[np.argsort(by_rank[inside], kind="stable")]
    begins = is_first(by_rank[rank])
    first = np.flatnonzero(begins)
    classes = len(timeline.width)
    parts, width = np.unique((np.cumsum(begins) - 1) * classes + timeline.class_of[rank], return_counts=True)
    return Domains(
        class_of=timeline.class_of,
        rank=rank,
        first=first,
        length=np.diff(np.append(first, len(rank))),
        owner=parts // max(1, classes),
        of_class=parts % max(1, classes),
        width=width,
    )


def number_rows(columns: Sequence[NDArray[Any]]) -> IntArray:
    """Number rows: equal rows get the same number. Row ``i`` has the values ``columns[k][i]``."""
    numbers: IntArray = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        values, value = np.unique(column, return_inverse=True)
        _, numbers = np.unique(numbers * len(values) + value, return_inverse=True)
    return numbers


def number_groups(owner: IntArray, numbers: IntArray, groups: int) -> IntArray:
    """Number groups of rows: groups with equal ``numbers`` in the same order get the same number.

    Row ``i`` is of group ``owner[i]``, which never falls and is below ``groups``.
    """
    bounds = np.searchsorted(owner, np.arange(groups + 1))
    if len(owner) == groups and np.array_equal(bounds[:-1], np.arange(groups)):
        return numbers
    known: dict[bytes, int] = {}
    return np.array([known.setdefault(row, len(known)) for row in rows_as_bytes(numbers, bounds)], dtype=np.int64)


def _first_of_same(owner: IntArray, place: IntArray, level: IntArray) -> IntArray:
    """Return for each node the place of the first node with the same owner and level; -1 where the level is -1."""
    _, first, inverse = np.unique(np.stack([owner, level]), axis=1, return_index=True, return_inverse=True)
    return np.where(level < 0, -1, place[first[inverse.reshape(-1)]])
