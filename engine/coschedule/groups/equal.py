"""Equal load: every member gets the same share, so the latest start and the slowest node decide [A 3].

Objective: over all groups G of an allowed size, minimise start(G) + e(G) * T(|G|), where start(G) is the latest start
and e(G) the largest slow-down of its places. With a price the cost T(P) * (1 + price * P) stands for T(P).

Theorem: only starts of nodes and, for a start and a size P, the P-th smallest slow-down among the places that have
started matter. (With windows: the least slow-down that ``windows`` finds.) Everything after that is one vector over P.

Method: branch and bound over ranges of starts. Granting a range its earliest start and the nodes of its latest bounds
every choice in it from below, in every part of the order of choices; the range whose bound comes first is halved, and
the first single start that comes first is the optimum. O(Q) memory; a few hundred evaluations of O(Q) each for random
bids, O(Q^2) in all at worst, when the same value occurs at every start.

Ties: least value, then (with a price) earlier finish, then fewer members, then earlier start, then lowest indices.
"""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from coschedule.groups.goal import Goal, Objective, SizeTable, size_table
from coschedule.groups.slots import Places, lay_out, lowest_members
from coschedule.groups.windows import has_windows, least_slowdown
from coschedule.nodes import Node
from coschedule.numbers import BoolArray, Number, Scalar, Vector, as_number
from coschedule.work import Work


class GroupReason(StrEnum):
    """Why there is no group."""

    NO_GROUP_FITS = "NoGroupFits"


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The best group: ``members`` are node indices, rising, repeated when a node holds several.

    Seconds after the request; ``speedup`` is T(1) / finish, None when T(1) is not known.
    """

    finish: Number
    size: int
    members: tuple[int, ...]
    start: Number
    speedup: Number | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoGroup:
    """No group meets the goal; ``message`` is one sentence with the numbers that stand in the way."""

    reason: GroupReason
    message: str


def choose_equal(nodes: Sequence[Node], work: Work, goal: Goal) -> Group | NoGroup:
    """Choose the best group for ``goal``; module docstring: objective, method, ties.

    When every number is rational the answer is what exact arithmetic gives, also at ties; otherwise float64.
    """
    exact = work.is_exact and goal.is_exact and all(node.is_exact for node in nodes)
    places = lay_out(nodes, most_on_a_node=goal.maximum, exact=exact)
    table = size_table(work, goal, places=places.total, exact=exact)
    choice = _Search(places, table, goal).run()
    if choice is None:
        return NoGroup(reason=GroupReason.NO_GROUP_FITS, message=_why_none(places, table, goal))
    serial = (work.exact_times if exact else work.float_times)(1)[0]
    return Group(
        finish=as_number(choice.finish),
        size=choice.size,
        members=_members(places, choice),
        start=as_number(choice.start),
        speedup=as_number(serial / choice.finish) if serial < math.inf else None,
    )


def _members(places: Places, choice: "_Choice") -> tuple[int, ...]:
    """Name the nodes with the lowest indices: at the least value any places that start, keep up and last will do."""
    started = places.start_rank <= np.searchsorted(places.starts, choice.start)
    eligible = started & (places.slowdown <= choice.slowdown) & (places.until >= choice.finish)
    return lowest_members(places, eligible, choice.size)


def _why_none(places: Places, table: SizeTable, goal: Goal) -> str:
    """Say in one sentence with numbers what stands in the way."""
    if places.total < goal.minimum:
        return f"needs {goal.minimum} or more members and the nodes hold {places.total}"
    if not table.sizes.size:
        return f"no size from {goal.minimum} to {goal.maximum} has a run time"
    unhurried = replace(goal, deadline=math.inf, objective=Objective.FINISH, price=0)
    soonest = _Search(places, table.without_price(), unhurried).run()
    if soonest is None:
        shortest = as_number(places.slowdown[0] * table.times.min())
        return f"no {table.sizes[0]} places are free together until a run ends, which takes {shortest} s at least"
    return f"the earliest finish is {as_number(soonest.finish)} s, after the deadline of {as_number(goal.deadline)} s"


_Order = tuple[Scalar, ...]


class _Choice(NamedTuple):
    """One way to run; of two, the one whose ``order`` is lower is better."""

    order: _Order
    start: Scalar
    slowdown: Scalar
    size: int
    finish: Scalar


_Range = tuple[_Order, int, int, _Choice]
"""A bound on the starts [first, last) and the choice that gives it."""


class _Search:
    """The search for one goal over places and sizes."""

    def __init__(self, places: Places, table: SizeTable, goal: Goal) -> None:
        self._places = places
        self._table = table
        self._deadline: Scalar = goal.deadline
        self._fewest_first = goal.objective is Objective.FEWEST
        self._windowed = has_windows(places)

    def run(self) -> _Choice | None:
        """Find the best choice of all; None when there is none."""
        queue: list[_Range] = []
        self._push(queue, 0, len(self._places.starts))
        while queue:
            _, first, last, choice = heapq.heappop(queue)
            if last - first == 1:
                return choice
            middle = (first + last) // 2
            self._push(queue, first, middle)
            self._push(queue, middle, last)
        return None

    def _push(self, queue: list[_Range], first: int, last: int) -> None:
        """Queue the starts [first, last) under a bound on all of them, exact for a single start."""
        if first == last:
            return
        choice = self._best(self._places.starts[first], self._places.start_rank < last)
        if choice is not None:
            heapq.heappush(queue, (choice.order, first, last, choice))

    def _best(self, start: Scalar, within: BoolArray) -> _Choice | None:
        """Find the best choice among the places ``within`` if all of them could begin at ``start``."""
        entries = np.flatnonzero(within)
        held = np.cumsum(self._places.count[entries])
        table = self._table.up_to(int(held[-1]))
        slowdowns = self._places.slowdown[entries[np.searchsorted(held, table.sizes)]]
        possible = start + slowdowns * table.times <= self._deadline
        settled = np.full(len(possible), not self._windowed)
        # Slow-downs that are not settled are too low at worst, so the best one that is settled is the best of all.
        while (index := self._first(start, slowdowns, table, possible)) is not None:
            if settled[index]:
                return self._choice(start, slowdowns[index], table, index)
            size, time = int(table.sizes[index]), table.times[index]
            needed = least_slowdown(self._places, within, size=size, start=start, time=time)
            settled[index] = True
            possible[index] = needed is not None and start + needed * time <= self._deadline
            slowdowns[index] = slowdowns[index] if needed is None else needed
        return None

    def _first(self, start: Scalar, slowdowns: Vector, table: SizeTable, possible: BoolArray) -> int | None:
        """Find the index of the size that comes first in the order of choices at one start."""
        indices = np.flatnonzero(possible)
        if not indices.size:
            return None
        if self._fewest_first:
            return int(indices[0])
        values = start + slowdowns[indices] * table.costs[indices]
        tied = indices[np.flatnonzero(values == values.min())]
        return int(tied[np.argmin(slowdowns[tied] * table.times[tied])])

    def _choice(self, start: Scalar, slowdown: Scalar, table: SizeTable, index: int) -> _Choice:
        size = int(table.sizes[index])
        value, finish = start + slowdown * table.costs[index], start + slowdown * table.times[index]
        order = (size, value, finish, start) if self._fewest_first else (value, finish, size, start)
        return _Choice(order, start, slowdown, size, finish)
