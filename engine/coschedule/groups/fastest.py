"""A proportional load on nodes whose further members never add more speed than the ones before: the fastest P places.

A cell of starts and speeds stands for the gangs of that start whose slowest place has that speed. Between the corners
of a block, both the number of places and the sum of their speeds are known within bounds, hence the run times.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from coschedule.columns import NodeColumns
from coschedule.groups.bounding.blocks import Shape, surviving_cells
from coschedule.groups.bounding.grids import Blocks, Points
from coschedule.groups.bounding.narrow import Borders, borders_of
from coschedule.groups.bounding.narrow_speeds import columns_of_field, narrowed_field
from coschedule.groups.bounding.ranges import RangeMinima
from coschedule.groups.choice import Choice
from coschedule.groups.goal import Goal, Objective
from coschedule.groups.loads import Loads
from coschedule.groups.places import Places, lay_out, lowest_nodes, ranked
from coschedule.groups.speeds import inverse, step_gains
from coschedule.numbers import BoolArray, FloatArray, IntArray, Scalar, Vector

_SLACK = 1e-9
"""Sums of a million positive floats, rounded one after the other, are off by a part in 10**10 at most."""


_PARTS = 512
"""Speeds have at least so many ranks, if there are as many places."""


class Fastest:
    """The search among the fastest places; their level is the speed that they add."""

    def __init__(self, columns: NodeColumns, loads: Loads) -> None:
        self._loads = loads
        self.least_size = int(loads.sizes[0])
        several = len(columns.node) > len(columns.start)
        speed = step_gains(columns) if several else inverse(columns.slowdown)
        self.places = lay_out(columns, speed, most_on_a_node=int(loads.sizes[-1]))

    def best(self, places: Places, goal: Goal) -> Choice | None:
        """Find the best choice among ``places``; None when there is none."""
        loads = self._loads.up_to(places.total).priced(goal.price)
        if not len(loads.sizes):
            return None
        if goal.objective is Objective.FEWEST:
            least = _least_size(places, loads, goal)
            if least is None:
                return None
            loads, goal = loads.where(loads.sizes == least), replace(goal, objective=Objective.FINISH)
        return min(_choices(places, loads, goal)[0], key=lambda choice: choice.rank(goal), default=None)

    def taken(self, places: Places, choice: Choice) -> tuple[IntArray, IntArray]:
        """Take everything faster than the slowest place used; of those as fast as that, the lowest indices."""
        started = places.start <= choice.start
        faster = (started & (places.level > choice.level)).nonzero()[0]
        counts = places.count[faster]
        node, given = lowest_nodes(places, started & (places.level == choice.level), choice.size - int(counts.sum()))
        node = np.concatenate((places.node[faster], node))
        held = np.bincount(node, weights=np.concatenate((counts, given))).astype(np.int64)
        nodes = held.nonzero()[0]
        return nodes, held[nodes]


def _least_size(places: Places, loads: Loads, goal: Goal) -> int | None:
    """Find the least size that meets the deadline; None when none does."""
    choices, reached = _choices(places, loads.priced(0), goal)
    least = min([reached, *(choice.size for choice in choices)])
    return int(least) if least < math.inf else None


def _choices(places: Places, loads: Loads, goal: Goal) -> tuple[list[Choice], float]:
    """List the choices that may be the best of all, and the least value that is reached."""
    bounds_of = _bounds_of(loads, goal, places=places.total)
    field, reached = narrowed_field(places, bounds_of)
    if not len(field.start):
        return [], reached
    levels, rank = _ranked_in_parts(places.level[field.entry])
    starts, row = ranked(field.start)
    points = Points(row, columns_of_field(field, rank), (field.places, field.total))
    bounds = bounds_of(borders_of(starts, np.concatenate(((math.inf,), levels))))
    cells, reached = surviving_cells(points, Shape(len(starts), len(levels) + 1, 1), bounds, reached=reached)
    pairs, reached = bounds.pairs(cells, reached)
    columns = zip(starts[pairs.row], levels[pairs.column - 1], pairs.size_index.tolist(), strict=True)
    found = (_choice(places, loads, goal, *column) for column in columns)
    return [choice for choice in found if choice is not None], reached


def _ranked_in_parts(levels: Vector) -> tuple[Vector, IntArray]:
    """Rank speeds, the largest first, but do not let a rank have very many: a cell then stands for few sizes."""
    order = (-levels).argsort()
    falling = levels[order]
    first = np.arange(len(falling)) % max(1, len(falling) // _PARTS) == 0
    first[1:] |= (falling[1:] != falling[:-1]).astype(np.bool_)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = first.cumsum() - 1
    return falling[first], rank


def _choice(places: Places, loads: Loads, goal: Goal, start: Scalar, level: Scalar, index: int) -> Choice | None:
    """Take one size whose slowest place has a speed, in the numbers of the request; None when it is too late."""
    faster = (places.start <= start) & (places.level > level)
    counts, speeds = places.count[faster], places.level[faster]
    size = int(loads.sizes[index])
    run = loads.run_time(index, (counts * speeds).sum() + (size - int(counts.sum())) * level)
    if start + run > goal.deadline:
        return None
    return Choice(start=start, level=level, size=size, finish=start + run, value=start + loads.weight[index] * run)


class _Pairs(NamedTuple):
    """Cells by row and column, and the index of a size that ends in each: one axis."""

    row: IntArray
    column: IntArray
    size_index: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class _Bounds:
    """Bounds on blocks of starts and speeds. ``held[n]`` is how many of the sizes ``n`` places can hold."""

    borders: Borders
    loads: Loads
    held: IntArray
    least_work: RangeMinima
    least_overhead: RangeMinima
    deadline: float
    fewest: bool

    def around(self, blocks: Blocks) -> tuple[FloatArray, FloatArray]:
        """Bound from below by ``least`` and from above by ``reached``."""
        return self.least(blocks), self.reached(blocks)

    def least(self, blocks: Blocks) -> FloatArray:
        """Take the earliest start, the least work of any size that may end here, and the most speed."""
        starts = self.borders.soonest[blocks.top]
        # All that is left of a single start has started by then.
        single = starts == self.borders.latest[blocks.bottom - 1]
        first = self._sizes(np.where(single, blocks.beside[0], blocks.before[0]))
        end = self._sizes(blocks.within[0])
        some = (end > first) & (blocks.within[1] > 0)
        first, last = np.where(some, first, 0), np.where(some, end - 1, 0)
        speed = np.where(some, self._most_speed(blocks, self.loads.sizes[last]), 1)
        run = self.least_work.of(first, last) / speed + self.least_overhead.of(first, last)
        in_time = some & (starts + run <= self.deadline * (1 + _SLACK))
        if self.fewest:
            return self._least_sizes(blocks, in_time, first, last)
        return np.where(in_time, starts + self.loads.weight[first] * run, math.inf)

    def _least_sizes(self, blocks: Blocks, in_time: BoolArray, first: IntArray, last: IntArray) -> FloatArray:
        """Bound the sizes [first, last] that meet the deadline from below: fewer places would not have the speed."""
        left = self.deadline * (1 + _SLACK) - self.borders.soonest[blocks.top] - self.least_overhead.of(first, last)
        needed = self.least_work.of(first, last) / np.where(in_time, left, 1)
        beside = blocks.beside[1]
        # No place from the block on is faster than its first column, and none before it is slower.
        further = (needed - beside - _SLACK * (needed + beside)) / self.borders.fastest[blocks.left]
        places = np.where(in_time, np.ceil(blocks.beside[0] + further), 1)
        index = np.maximum(first, self._sizes(np.maximum(places, 1) - 1))
        return np.where(in_time & (index <= last), self.loads.sizes[np.minimum(index, last)], math.inf)

    def _most_speed(self, blocks: Blocks, size: IntArray) -> FloatArray:
        """Bound the speed of ``size`` places: those beside the block, then as fast as its first column, but no more."""
        further = np.maximum(size - blocks.beside[0], 0)
        return np.minimum(blocks.within[1], blocks.beside[1] + further * self.borders.fastest[blocks.left])

    def reached(self, blocks: Blocks) -> FloatArray:
        """Take the largest size that the places of the last cell hold; the fastest of them do at least their part."""
        end = self._sizes(blocks.within[0])
        some = (end > 0) & (blocks.within[1] > 0)
        index = np.where(some, end - 1, 0)
        size = self.loads.sizes[index]
        speed = np.where(some, blocks.within[1] * (size / np.maximum(blocks.within[0], 1)), 1)
        run = self.loads.run_time(index, speed)
        starts = self.borders.latest[blocks.bottom - 1]
        some &= starts + run <= self.deadline * (1 - _SLACK)
        return np.where(some, size if self.fewest else starts + self.loads.weight[index] * run, math.inf)

    def limit(self, reached: float) -> float:
        """Say up to which bound a block may hold the best value."""
        return reached - 1 if self.fewest else reached * (1 + _SLACK)

    def pairs(self, cells: Blocks, reached: float) -> tuple[_Pairs, float]:
        """List every size that ends in one of the cells and may have the best value; and the least value reached.

        Sizes are bounded range by range, and ranges halved until they are single sizes.
        """
        first, end = self._sizes(cells.beside[0]), self._sizes(cells.within[0])
        cell = np.flatnonzero(end > first)
        first, last = first[cell], end[cell] - 1
        while True:
            least, possible = self._ranges(cells, cell, first, last)
            reached = min(reached, possible)
            kept = (least <= self.limit(reached)) & (least < math.inf)
            cell, first, last = cell[kept], first[kept], last[kept]
            if (first == last).all():
                return _Pairs(cells.top[cell], cells.left[cell], first), reached
            middle, several = (first + last) // 2, first < last
            cell = np.concatenate((cell, cell[several]))
            first, last = np.concatenate((first, middle[several] + 1)), np.concatenate((middle, last[several]))

    def _ranges(self, cells: Blocks, cell: IntArray, first: IntArray, last: IntArray) -> tuple[FloatArray, float]:
        """Bound the value of all sizes [first, last] that end in a cell; find a value that one of them surely has."""
        sizes, starts = self.loads.sizes, self.borders.soonest[cells.top[cell]]
        beside, slowest = cells.beside[1][cell], self.borders.fastest[cells.left[cell]]
        speed = beside + (sizes[last] - cells.beside[0][cell]) * slowest
        shortest = self.least_work.of(first, last) / speed + self.least_overhead.of(first, last)
        run = self.loads.run_time(last, speed)
        least, values = (starts + self.loads.weight[size] * time for size, time in ((first, shortest), (last, run)))
        if self.fewest:
            least, values = sizes[first].astype(np.float64), sizes[last].astype(np.float64)
        least[starts + shortest > self.deadline * (1 + _SLACK)] = math.inf
        surely = starts + run <= self.deadline * (1 - _SLACK)
        return least, float(values[surely].min(initial=math.inf))

    def _sizes(self, places: FloatArray) -> IntArray:
        return self.held[np.minimum(places, len(self.held) - 1).astype(np.int64)]


def _bounds_of(loads: Loads, goal: Goal, *, places: int) -> Callable[[Borders], _Bounds]:
    floats = loads.as_floats()
    return partial(
        _Bounds,
        loads=floats,
        held=np.bincount(loads.sizes, minlength=min(places, goal.maximum) + 1).cumsum(),
        least_work=RangeMinima(floats.work),
        least_overhead=RangeMinima(floats.overhead),
        deadline=float(goal.deadline),
        fewest=goal.objective is Objective.FEWEST,
    )
