"""Puts members of several roles on nodes, so that the members of each role together are worth enough.

Each member has a worth, such as the number of pieces that it can do by some time. The goal of a role is a least sum of
the worths of its members. A *way* puts some members of each role on nodes. If two ways have the same counts, and one is
worth at least as much for every goal, the other one is dropped. Worth beyond a goal does not count. So the ways that
are left show which goals can be met together.

Example: two roles have one member each, and two nodes have room for one member each. A member is worth 2 on the fast
node, and 1 on the slow node. The ways with the worths (2, 1) and (1, 2) are left. So the goals (2, 1) can be met, and
the goals (2, 2) can't.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.packing.layout import Layout
from coschedule.queue.packing.places import AlikeNodes, Domain, Part, Seats
from coschedule.queue.search.effort import Effort
from coschedule.queue.slots.segments import is_first

_STEPS_AN_ADDITION = 5_000
"""The cost of adding one part, without its ways, in steps of ``Effort``."""

_STEPS_A_WAY = 20
"""The cost of comparing one number of a way, in steps of ``Effort``."""


class _Options(NamedTuple):
    """Option o of a part has ``given[o, r]`` members of each role, worth ``worth[o, k]``."""

    given: IntArray
    worth: FloatArray


class Goals(NamedTuple):
    """Goal k is that all members of role ``roles[k]`` together are worth ``enough[k]``.

    A member of the role is worth ``worth[c, k]`` on a node of class c. ``class_of[i]`` is the class
    of the node of rank i.
    """

    roles: tuple[int, ...]
    enough: FloatArray
    worth: FloatArray
    class_of: IntArray


class _AddedPart(NamedTuple):
    """A part that was added: way w is the earlier way ``before[w]`` together with option ``option[w]`` of the part.

    Option o has ``given[o, r]`` members of each role. ``place`` is the rank of a node, or the ways of a domain. The
    options of a domain are its ways.
    """

    place: "int | Ways"
    given: IntArray
    option: IntArray
    before: IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ways:
    """Ways to put members on nodes: way w has ``counts[w, r]`` members of each role, worth ``worth[w, k]``."""

    layout: Layout
    counts: IntArray
    worth: FloatArray
    steps: tuple[_AddedPart, ...] = ()

    @classmethod
    def nothing(cls, layout: Layout, goals: int) -> Self:
        """Return the only way to put members on no nodes."""
        return cls(layout=layout, counts=np.zeros((1, len(layout.needed)), np.int64), worth=np.zeros((1, goals)))

    def reaching(self, goals: Goals) -> int | None:
        """Return the index of a way that places all members and reaches all goals; None if there is none."""
        whole = (self.counts == self.layout.needed).all(axis=1) & (self.worth >= goals.enough).all(axis=1)
        return int(whole.argmax()) if whole.any() else None

    def seats(self, way: int) -> list[Seats]:
        """List the nodes of the way with this index; roles that are not exact may have more members than needed."""
        seats: list[Seats] = []
        for place, given, option, before in reversed(self.steps):
            one = int(option[way])
            if isinstance(place, Ways):
                seats += place.seats(one)
            elif given[one].any():
                seats.append(Seats(place, given[one]))
            way = int(before[way])
        return seats

    def plus(self, place: "int | Ways", options: "_Options", goals: Goals, effort: Effort) -> "Ways":
        """Return the ways with one more part, which has these options."""
        given, worth = options
        before, option = np.indices((len(self.counts), len(given))).reshape(2, -1)
        counts = self.counts[before] + given[option]
        needed = self.layout.needed
        allowed = (counts <= np.where(self.layout.exact, needed, np.iinfo(np.int64).max)).all(axis=1)
        before, option, counts = before[allowed], option[allowed], np.minimum(counts[allowed], needed)
        worths = np.minimum(self.worth[before] + worth[option], goals.enough)
        kept = _best(counts @ self.layout.strides, worths, effort)
        step = _AddedPart(place, given, option[kept], before[kept])
        return Ways(layout=self.layout, counts=counts[kept], worth=worths[kept], steps=(*self.steps, step))

    def is_as(self, other: "Ways") -> bool:
        """Whether both have the same counts and worths."""
        return np.array_equal(self.counts, other.counts) and np.array_equal(self.worth, other.worth)


def reach(layout: Layout, parts: Iterable[Part], goals: Goals, effort: Effort) -> tuple[Seats, ...] | None:
    """Put all members on nodes so that all goals are reached; None if no way is found before the effort is over."""
    ways = _added(layout, parts, goals, effort, is_whole=True)
    way = ways.reaching(goals)
    return None if way is None else _trimmed(ways.seats(way), layout.needed)


def _added(layout: Layout, parts: Iterable[Part], goals: Goals, effort: Effort, *, is_whole: bool) -> Ways:
    """Add up parts in their order; with ``is_whole``, stop as soon as all goals are reached."""
    ways = Ways.nothing(layout, len(goals.roles))
    for part in parts:
        for place, options in _places(layout, part, goals, effort):
            effort.spend(_STEPS_AN_ADDITION + _STEPS_A_WAY * len(ways.counts) * options.given.size)
            if effort.is_over or (is_whole and ways.reaching(goals) is not None):
                return ways
            more = ways.plus(place, options, goals, effort)
            if more.is_as(ways):
                # Another node like this one would change nothing either.
                break
            ways = more
    return ways


def _places(layout: Layout, part: Part, goals: Goals, effort: Effort) -> Sequence[tuple[int | Ways, _Options]]:
    """List the nodes of a group, or the one domain, each with its options."""
    if isinstance(part, AlikeNodes):
        given = part.options.given
        worth = given[:, list(goals.roles)] * goals.worth[goals.class_of[part.ranks[0]]]
        options = _Options(given, worth)
        return [(rank, options) for rank in part.ranks[: int(layout.needed.sum())].tolist()]
    ways = _obeying(part, _added(layout, part.parts, goals, effort, is_whole=False))
    return [(ways, _Options(ways.counts, ways.worth))]


def _obeying(domain: Domain, ways: Ways) -> Ways:
    """Drop the ways that the rules of a domain forbid; they never forbid to leave its nodes empty."""
    if not ways.steps:
        return ways
    table = np.zeros(len(ways.layout.counts))
    for rule in domain.rules:
        table = rule(table)
    kept = table[ways.counts @ ways.layout.strides] > -np.inf
    last = ways.steps[-1]._replace(option=ways.steps[-1].option[kept], before=ways.steps[-1].before[kept])
    return Ways(layout=ways.layout, counts=ways.counts[kept], worth=ways.worth[kept], steps=(*ways.steps[:-1], last))


def _best(cells: IntArray, worths: FloatArray, effort: Effort) -> IntArray:
    """Drop each way if another way of the same cell is at least as good for every goal; return the rest, by cell.

    One of several equal ways is kept. Each round keeps the first remaining way of each cell. The other ways of this
    cell remain only if they are better for some goal.
    """
    left = np.lexsort((*-worths.T[::-1], cells))
    kept = []
    while left.size:
        first = is_first(cells[left])
        kept.append(left[first])
        champion = left[first][np.cumsum(first) - 1]
        left = left[np.any(worths[left] > worths[champion], axis=1)]
        effort.spend(_STEPS_A_WAY * worths.shape[1] * len(first))
    found = np.concatenate(kept)
    return found[np.lexsort((*-worths[found].T[::-1], cells[found]))]


def _trimmed(seats: Sequence[Seats], needed: IntArray) -> tuple[Seats, ...]:
    """Drop surplus members from the seats, those on the last nodes first."""
    left, trimmed = needed.copy(), []
    for seat in seats:
        counts = np.minimum(seat.counts, left)
        left -= counts
        if counts.any():
            trimmed.append(Seats(seat.rank, counts))
    return tuple(trimmed)
