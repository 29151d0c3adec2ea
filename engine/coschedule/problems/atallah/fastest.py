"""A proportional load on nodes where a further member never adds more speed than the member before.

Then the best P slots are the fastest P slots. A cell is a start and a speed: its gangs have this start, and their
slowest slot has this speed. The sizes of these gangs *end* in the cell (``speed_bounds``). The corners of a block bound
the number of slots and the sum of their speeds, and so the run times.
"""

import math
from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from coschedule.model.divided_work import DividedWork
from coschedule.model.goal import Goal, Objective
from coschedule.model.numbers import IntArray, Scalar, Vector
from coschedule.problems.atallah.bounding.blocks import Shape, surviving_cells
from coschedule.problems.atallah.bounding.grids import Points
from coschedule.problems.atallah.bounding.narrow import borders_of
from coschedule.problems.atallah.gang import SlotChoice
from coschedule.problems.atallah.narrow_speeds import columns_of_field, narrowed_field
from coschedule.problems.atallah.node_columns import NodeColumns
from coschedule.problems.atallah.slots import Slots, lay_out, lowest_nodes, ranked
from coschedule.problems.atallah.speed_bounds import speed_bounds
from coschedule.problems.atallah.speeds import inverse, step_gains

_RANKS = 512
"""The least number of ranks of speeds, if there are as many slots."""


class Fastest:
    """The search among the fastest slots; the level of a slot is the speed that it adds."""

    def __init__(self, columns: NodeColumns, divided: DividedWork) -> None:
        self._divided = divided
        self.least_size = int(divided.sizes[0])
        several = len(columns.node) > len(columns.start)
        speed = step_gains(columns) if several else inverse(columns.slowdown)
        self.slots = lay_out(columns, speed, most_on_a_node=int(divided.sizes[-1]))

    def best(self, slots: Slots, goal: Goal) -> SlotChoice | None:
        """Return the best choice among ``slots``; None if no size meets the goal."""
        divided = self._divided.up_to(slots.total).priced(goal.price)
        if not len(divided.sizes):
            return None
        if goal.objective is Objective.FEWEST:
            least = _least_size(slots, divided, goal)
            if least is None:
                return None
            divided, goal = divided.where(divided.sizes == least), replace(goal, objective=Objective.FINISH)
        return min(_choices(slots, divided, goal)[0], key=lambda choice: choice.rank(goal), default=None)

    def taken(self, slots: Slots, choice: SlotChoice) -> tuple[IntArray, IntArray]:
        """Return nodes and their members: all faster slots of the choice, and the first slots of its slowest speed."""
        started = slots.start <= choice.start
        faster = (started & (slots.level > choice.level)).nonzero()[0]
        counts = slots.count[faster]
        node, given = lowest_nodes(slots, started & (slots.level == choice.level), choice.size - int(counts.sum()))
        node = np.concatenate((slots.node[faster], node))
        held = np.bincount(node, weights=np.concatenate((counts, given))).astype(np.int64)
        nodes = held.nonzero()[0]
        return nodes, held[nodes]


def _least_size(slots: Slots, divided: DividedWork, goal: Goal) -> int | None:
    """Return the least size that meets the deadline; None if no size meets it."""
    choices, reached = _choices(slots, divided.priced(0), goal)
    least = min([reached, *(choice.size for choice in choices)])
    return int(least) if least < math.inf else None


def _choices(slots: Slots, divided: DividedWork, goal: Goal) -> tuple[list[SlotChoice], float]:
    """List the choices that may be the best of all, and the least value that is reached."""
    bounds_of = speed_bounds(divided, goal, slots=slots.total)
    field, reached = narrowed_field(slots, bounds_of)
    if not len(field.start):
        return [], reached
    levels, rank = _ranked_in_parts(slots.level[field.entry])
    starts, row = ranked(field.start)
    points = Points(row, columns_of_field(field, rank), (field.slots, field.total))
    bounds = bounds_of(borders_of(starts, np.concatenate(((math.inf,), levels))))
    cells, reached = surviving_cells(points, Shape(len(starts), len(levels) + 1, 1), bounds, reached=reached)
    pairs, reached = bounds.pairs(cells, reached)
    columns = zip(starts[pairs.row], levels[pairs.column - 1], pairs.size_index.tolist(), strict=True)
    cell_of = cache(partial(_cell, slots))
    found = (_choice(cell_of(start, level), divided, goal, index) for start, level, index in columns)
    return [choice for choice in found if choice is not None], reached


def _ranked_in_parts(levels: Vector) -> tuple[Vector, IntArray]:
    """Rank speeds, largest first; return the speed of each rank, and the rank of each entry.

    Many equal speeds get several ranks. So a rank has few entries, and few sizes end in a cell.
    """
    order = (-levels).argsort()
    falling = levels[order]
    first = np.arange(len(falling)) % max(1, len(falling) // _RANKS) == 0
    first[1:] |= (falling[1:] != falling[:-1]).astype(np.bool_)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = first.cumsum() - 1
    return falling[first], rank


class _Cell(NamedTuple):
    """Gangs of a start whose slowest slot has a level; ``held`` slots are faster, with the total ``speed``."""

    start: Scalar
    level: Scalar
    held: int
    speed: Scalar


def _cell(slots: Slots, start: Scalar, level: Scalar) -> _Cell:
    faster = ((slots.start <= start) & (slots.level > level)).nonzero()[0]
    counts = slots.count[faster]
    return _Cell(start, level, int(counts.sum()), (counts * slots.level[faster]).sum())


def _choice(cell: _Cell, divided: DividedWork, goal: Goal, index: int) -> SlotChoice | None:
    """Return the choice of one size that ends in a cell, in the numbers of the request; None when it is too late."""
    size = int(divided.sizes[index])
    run = divided.run_time(index, cell.speed + (size - cell.held) * cell.level)
    finish, value = cell.start + run, cell.start + divided.weight[index] * run
    return SlotChoice(cell.start, cell.level, size, finish, value) if finish <= goal.deadline else None
