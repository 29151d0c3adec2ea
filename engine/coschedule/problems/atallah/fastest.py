"""A proportional load on nodes whose further members never add more speed than the ones before: the fastest P places.

A cell of starts and speeds stands for the gangs of that start whose slowest place has that speed. Between the corners
of a block, both the number of places and the sum of their speeds are known within bounds, hence the run times.
"""

import math
from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from coschedule.model.divided_work import Loads
from coschedule.model.goal import Goal, Objective
from coschedule.model.numbers import IntArray, Scalar, Vector
from coschedule.problems.atallah.bounding.blocks import Shape, surviving_cells
from coschedule.problems.atallah.bounding.grids import Points
from coschedule.problems.atallah.bounding.narrow import borders_of
from coschedule.problems.atallah.bounding.narrow_speeds import columns_of_field, narrowed_field
from coschedule.problems.atallah.gang import Choice
from coschedule.problems.atallah.node_columns import NodeColumns
from coschedule.problems.atallah.slots import Places, lay_out, lowest_nodes, ranked
from coschedule.problems.atallah.speed_bounds import speed_bounds
from coschedule.problems.atallah.speeds import inverse, step_gains

_RANKS = 512
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
    bounds_of = speed_bounds(loads, goal, places=places.total)
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
    cell_of = cache(partial(_cell, places))
    found = (_choice(cell_of(start, level), loads, goal, index) for start, level, index in columns)
    return [choice for choice in found if choice is not None], reached


def _ranked_in_parts(levels: Vector) -> tuple[Vector, IntArray]:
    """Rank speeds, the largest first, but do not let a rank have very many: a cell then stands for few sizes."""
    order = (-levels).argsort()
    falling = levels[order]
    first = np.arange(len(falling)) % max(1, len(falling) // _RANKS) == 0
    first[1:] |= (falling[1:] != falling[:-1]).astype(np.bool_)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = first.cumsum() - 1
    return falling[first], rank


class _Cell(NamedTuple):
    """Gangs of a start whose slowest place has a level; ``held`` places are faster, and have ``speed`` together."""

    start: Scalar
    level: Scalar
    held: int
    speed: Scalar


def _cell(places: Places, start: Scalar, level: Scalar) -> _Cell:
    faster = ((places.start <= start) & (places.level > level)).nonzero()[0]
    counts = places.count[faster]
    return _Cell(start, level, int(counts.sum()), (counts * places.level[faster]).sum())


def _choice(cell: _Cell, loads: Loads, goal: Goal, index: int) -> Choice | None:
    """Take one size that ends in a cell, in the numbers of the request; None when it is too late."""
    size = int(loads.sizes[index])
    run = loads.run_time(index, cell.speed + (size - cell.held) * cell.level)
    finish, value = cell.start + run, cell.start + loads.weight[index] * run
    return Choice(cell.start, cell.level, size, finish, value) if finish <= goal.deadline else None
