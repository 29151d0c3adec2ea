"""Places a gang on nodes: parts of the cluster are added up one by one, until all members have a place.

The rank of a node is its number in the timeline (``slots.timeline``), not that of a member.

A part is a group of alike nodes, or a domain, which has parts of its own. The table of the whole follows from the
tables of its parts (``layout``). So all ways to distribute members are covered, except ways that differ only in the
names of nodes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.packing.layout import Layout, Options, add, options_of
from coschedule.queue.packing.rules import Rule
from coschedule.queue.search.effort import Effort

_STEPS_AN_ADDITION = 1_000
"""The cost of adding two tables of any size, without their cells, in steps of ``Effort``."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AlikeNodes:
    """Nodes by rank, rising, each with these options."""

    ranks: IntArray
    options: Options


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Domain:
    """Parts that obey ``rules`` together."""

    parts: Sequence["Part"]
    rules: Sequence[Rule]


Part = AlikeNodes | Domain


class _Step(NamedTuple):
    """One node (its rank) or one domain, and its options; cell ``a`` of the table uses option ``taken[a]``."""

    place: "int | Whole"
    options: Options
    taken: IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Whole:
    """The sum of parts: their table, and the steps that made it."""

    table: FloatArray
    steps: Sequence[_Step]


def add_up(layout: Layout, parts: Iterable[Part], effort: Effort, *, until: int | None = None) -> Whole:
    """Add up parts in their order; with the cell ``until``, stop as soon as its value is enough.

    When the effort is over, the remaining parts are left out.
    """
    table, steps = layout.nothing, list[_Step]()
    for part in parts:
        for place, options in _places(layout, part, effort):
            if effort.is_over or (until is not None and table[until] >= layout.enough):
                return Whole(table=table, steps=steps)
            effort.spend(_STEPS_AN_ADDITION + len(table) * len(options.value))
            table, taken = add(layout, table, options)
            if not taken.any():
                # Another node like this one would change nothing either.
                break
            steps.append(_Step(place, options, taken))
    return Whole(table=table, steps=steps)


def _places(layout: Layout, part: Part, effort: Effort) -> Sequence[tuple["int | Whole", Options]]:
    """List the nodes of a group, or the one domain, each with its options."""
    if isinstance(part, AlikeNodes):
        return [(rank, part.options) for rank in part.ranks[: int(layout.needed.sum())].tolist()]
    whole = add_up(layout, part.parts, effort)
    table = whole.table
    for rule in part.rules:
        table = rule(table)
    return [(whole, options_of(layout, table))]


class Seats(NamedTuple):
    """``counts[r]`` members of each role on the node of rank ``rank``."""

    rank: int
    counts: IntArray


def seats_in(layout: Layout, whole: Whole, cell: int, most: float) -> list[Seats]:
    """List the chosen nodes for the counts of ``cell``, with at most ``most`` members of the maximised role."""
    chosen = []
    for place, options, taken in reversed(whole.steps):
        if option := int(taken[cell]):
            source = layout.source(cell, options.given[option])
            chosen.append((place, layout.counts[cell] - layout.counts[source], float(options.value[option])))
            cell = source
    seats = []
    for place, given, value in reversed(chosen):
        # The first nodes are filled first; room that is not needed stays free.
        share = min(value, most)
        most -= share
        if isinstance(place, Whole):
            seats += seats_in(layout, place, layout.cell(given), share)
        elif given.any() or share:
            seats.append(Seats(place, _with_maximised(layout, given, share)))
    return seats


def _with_maximised(layout: Layout, given: IntArray, share: float) -> IntArray:
    if layout.maximised is None:
        return given
    counts = given.copy()
    counts[layout.maximised] = int(share)
    return counts
