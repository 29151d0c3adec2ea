"""Bounds on the value of a proportional load over blocks of starts and speeds.

At the corners of a block, the number of slots and the sum of their speeds are known. So for each number of slots in
between, there are bounds on the sum of the largest speeds. From a start, a size uses the fastest slots, and *ends* in
the column of the slowest of these. Where very many sizes end in one block, they are bounded range by range.

Example: a block has 4 slots of total speed 6 ``beside`` it, and 10 slots of total speed 9 ``within``. Its fastest
column has the speed 1. Then 7 slots have at most the speed 6 + 3 * 1 = 9, and at least 6 + (9 - 6) * 3 / 6 = 7.5.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from coschedule.model.divided_work import DividedWork
from coschedule.model.goal import Goal, Objective
from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.problems.atallah.bounding.grids import Blocks
from coschedule.problems.atallah.bounding.narrow import Borders
from coschedule.problems.atallah.bounding.ranges import RangeMinima

_SLACK = 1e-9
"""More than the relative error of a sum of a million positive floats in sequence, which is at most 10**-10."""

_PARTS = 16
"""The number of parts into which a range of sizes is divided."""


class CellPairs(NamedTuple):
    """Pairs of a cell and a size that ends in it: cell ``row[i]``, ``column[i]`` and the size ``size_index[i]``."""

    row: IntArray
    column: IntArray
    size_index: IntArray


class _BlockRanges(NamedTuple):
    """The size with index ``size[r]`` may end in block ``block[r]``.

    ``reached`` is the least value that some run is known to reach.
    """

    block: IntArray
    size: IntArray
    reached: float


@dataclass(frozen=True, slots=True, eq=False)
class SpeedBounds:
    """Bounds on blocks of starts and speeds. ``held[n]`` is the number of sizes that fit on ``n`` slots."""

    borders: Borders
    divided: DividedWork
    held: IntArray
    least_work: RangeMinima
    least_share: RangeMinima
    least_overhead: RangeMinima
    deadline: float
    fewest: bool

    def around(self, blocks: Blocks) -> tuple[FloatArray, FloatArray]:
        """Return lower bounds by ``least`` and upper bounds by ``reached``."""
        return self.least(blocks), self.reached(blocks)

    def least(self, blocks: Blocks) -> FloatArray:
        """Return lower bounds by the earliest start, the least work of sizes that may end here, and the most speed."""
        starts = self.borders.soonest[blocks.top]
        first, last = self._first_and_last(blocks)
        some = (last >= first) & (blocks.within[1] > 0)
        first, last = np.where(some, first, 0), np.where(some, last, 0)
        speed = np.where(some, self._most_speed(blocks, self.divided.sizes[last]), 1)
        run = self.least_work.of(first, last) / speed + self.least_overhead.of(first, last)
        in_time = some & (starts + run <= self.deadline * (1 + _SLACK))
        if self.fewest:
            return self._least_sizes(blocks, in_time, first, last)
        return np.where(in_time, starts + self.divided.weight[first] * run, math.inf)

    def _least_sizes(self, blocks: Blocks, in_time: BoolArray, first: IntArray, last: IntArray) -> FloatArray:
        """Return a lower bound on the least size in [first, last] that meets the deadline; inf if no size does."""
        left = self.deadline * (1 + _SLACK) - self.borders.soonest[blocks.top] - self.least_overhead.of(first, last)
        needed = self.least_work.of(first, last) / np.where(in_time, left, 1)
        beside = blocks.beside[1]
        # Slots from the block on are at most as fast as its first column, and slots before it at least as fast.
        further = (needed - beside - _SLACK * (needed + beside)) / self.borders.fastest[blocks.left]
        slots = np.where(in_time, np.ceil(blocks.beside[0] + further), 1)
        index = np.maximum(first, self._sizes(np.maximum(slots, 1) - 1))
        return np.where(in_time & (index <= last), self.divided.sizes[np.minimum(index, last)], math.inf)

    def _most_speed(self, blocks: Blocks, size: IntArray) -> FloatArray:
        """Return an upper bound on the speed of ``size`` slots.

        Slots in ``beside`` have their own speeds. Further slots count as if they had the speed of the first column.
        """
        further = np.maximum(size - blocks.beside[0], 0)
        return np.minimum(blocks.within[1], blocks.beside[1] + further * self.borders.fastest[blocks.left])

    def _least_speed(self, blocks: Blocks, size: IntArray) -> FloatArray:
        """Return a lower bound on the speed of the fastest ``size`` slots; each further slot adds less speed."""
        beside, within = blocks.beside[0], blocks.within[0]
        further = (size - beside) / np.maximum(within - beside, 1)
        chord = blocks.beside[1] + further * (blocks.within[1] - blocks.beside[1])
        return np.where(size > beside, chord, blocks.beside[1] * (size / np.maximum(beside, 1)))

    def _first_and_last(self, blocks: Blocks) -> tuple[IntArray, IntArray]:
        """Return the indices of the first and last size that may end in each block; last < first if there is none."""
        # In blocks of a single start, all slots in ``beside`` have started too.
        single = self.borders.soonest[blocks.top] == self.borders.latest[blocks.bottom - 1]
        first = self._sizes(np.where(single, blocks.beside[0], blocks.before[0]))
        return first, self._sizes(blocks.within[0]) - 1

    def reached(self, blocks: Blocks) -> FloatArray:
        """Return upper bounds on each block's least value, float[block], inf if no size is known to meet the deadline.

        The bound is the value of the largest size P that fits on the n slots ``within``. The fastest P of n slots have
        at least P / n of their speed.
        """
        end = self._sizes(blocks.within[0])
        some = (end > 0) & (blocks.within[1] > 0)
        index = np.where(some, end - 1, 0)
        size = self.divided.sizes[index]
        speed = np.where(some, blocks.within[1] * (size / np.maximum(blocks.within[0], 1)), 1)
        run = self.divided.run_time(index, speed)
        starts = self.borders.latest[blocks.bottom - 1]
        some &= starts + run <= self.deadline * (1 - _SLACK)
        return np.where(some, size if self.fewest else starts + self.divided.weight[index] * run, math.inf)

    def limit(self, reached: float) -> float:
        """Return the bound up to which a block may hold the best value."""
        return reached - 1 if self.fewest else reached * (1 + _SLACK)

    def pairs(self, cells: Blocks, reached: float) -> tuple[CellPairs, float]:
        """List all sizes that end in one of the cells and may have the best value, and the least value reached."""
        cell, size, reached = self._ranges(cells, reached)
        return CellPairs(cells.top[cell], cells.left[cell], size), reached

    def promising(self, blocks: Blocks, reached: float) -> tuple[BoolArray, float]:
        """Return which blocks may hold the least value, by all sizes that end there, and the least value reached."""
        first, last = self._first_and_last(blocks)
        some = (first <= last).nonzero()[0]
        least = np.full(len(blocks), math.inf)
        least[some], _ = self._around_sizes(blocks.take(some), first[some], last[some])
        reached = self._ranges(blocks.take(np.array([least.argmin()])), reached).reached
        return (least <= self.limit(reached)) & (least < math.inf), reached

    def _ranges(self, blocks: Blocks, reached: float) -> _BlockRanges:
        """List the sizes that may have the least value: bound ranges of sizes, and divide them down to single sizes."""
        first, last = self._first_and_last(blocks)
        block = (first <= last).nonzero()[0]
        first, last = first[block], last[block]
        while True:
            least, values = self._around_sizes(blocks.take(block), first, last)
            reached = min(reached, float(values.min(initial=math.inf)))
            kept = (least <= self.limit(reached)) & (least < math.inf)
            block, first, last = block[kept], first[kept], last[kept]
            if (first == last).all():
                return _BlockRanges(block, first, reached)
            part, first, last = _parts(first, last)
            block = block[part]

    def _around_sizes(self, blocks: Blocks, first: IntArray, last: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return lower bounds on all values of sizes [first, last] in a block, and upper bounds on the least one."""
        sizes, starts = self.divided.sizes, self.borders.soonest[blocks.top]
        shortest = self._least_run(blocks, first, last)
        least = sizes[first].astype(np.float64) if self.fewest else starts + self.divided.weight[first] * shortest
        least[starts + shortest > self.deadline * (1 + _SLACK)] = math.inf
        starts = self.borders.latest[blocks.bottom - 1]
        run = self.divided.run_time(last, self._least_speed(blocks, sizes[last]))
        values = sizes[last].astype(np.float64) if self.fewest else starts + self.divided.weight[last] * run
        values[starts + run > self.deadline * (1 - _SLACK)] = math.inf
        return least, values

    def _least_run(self, blocks: Blocks, first: IntArray, last: IntArray) -> FloatArray:
        """Return lower bounds on the run times of sizes [first, last], by the total speed and by the speed per member.

        The speed per member is largest in the smallest gang.
        """
        fewest, most = self.divided.sizes[first], self.divided.sizes[last]
        by_all = self.least_work.of(first, last) / self._most_speed(blocks, most)
        by_each = self.least_share.of(first, last) * (fewest / self._most_speed(blocks, fewest))
        return np.maximum(by_all, by_each) + self.least_overhead.of(first, last)

    def _sizes(self, slots: FloatArray) -> IntArray:
        return self.held[np.minimum(slots, len(self.held) - 1).astype(np.int64)]


def _parts(first: IntArray, last: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Divide ranges [first, last] into up to ``_PARTS`` parts: return the range, first and last of each part."""
    step = ((last - first) // _PARTS + 1)[:, np.newaxis]
    begin = first[:, np.newaxis] + step * np.arange(_PARTS)
    end = np.minimum(begin + step - 1, last[:, np.newaxis])
    whose, part = (begin <= end).nonzero()
    return whose, begin[whose, part], end[whose, part]


def speed_bounds(divided: DividedWork, goal: Goal, *, slots: int) -> Callable[[Borders], SpeedBounds]:
    """Return the bounds for sizes of ``divided`` on up to ``slots`` slots, as a function of borders."""
    floats = divided.as_floats()
    return partial(
        SpeedBounds,
        divided=floats,
        held=np.bincount(divided.sizes, minlength=min(slots, goal.maximum) + 1).cumsum(),
        least_work=RangeMinima(floats.work),
        least_share=RangeMinima(floats.work / floats.sizes),
        least_overhead=RangeMinima(floats.overhead),
        deadline=float(goal.deadline),
        fewest=goal.objective is Objective.FEWEST,
    )
