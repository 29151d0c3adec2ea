"""Equal load: all members get the same share, so the latest start and the slowest node decide [A 3].

Objective: over all gangs G of an allowed size, minimise start(G) + e(G) * T(|G|). start(G) is the latest start and e(G)
the largest slow-down of its slots. With a price, the cost T(P) * (1 + price * P) replaces T(P).

Theorem: let C(k, t) count the slots that open by the k-th start and are no slower than the t-th slow-down. Let T(k, t)
be the least T(P) over allowed P <= C(k, t). The optimum is the least start_k + e_t * T(k, t) over all cells (k, t). The
best gang has this value in the cell of its own latest start and slow-down. And some slots of each cell reach its value.

Method: C grows with k and t. So a block of cells has a lower bound from its first start, its first slow-down and the
count of its last cell. The value of the last cell can be reached. First, grids over unsorted nodes narrow the matrix of
all cells to the part around its least value, in O(Q) for Q nodes. Then this part is sorted, and bounded over ever finer
grids, in floats (``bounding``). The few cells that survive are compared in the numbers of the request. ``windows``
handles windows. For the fewest members, the search finds the least size, then the best gang of that size. If very many
values nearly tie, bounds rule out few blocks, and all Q nodes are sorted.

Ties: least value, then (with a price) earlier finish, then fewer members, then earlier start, then lowest indices.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from coschedule.model.goal import Goal, Objective, SizeTable, size_table
from coschedule.model.numbers import FloatArray, as_number
from coschedule.model.run_times import Work
from coschedule.problems.atallah.best_sizes import BestSizes, best_choices, best_sizes_of, quickest, quickest_choices
from coschedule.problems.atallah.bounding.blocks import Shape, surviving_cells
from coschedule.problems.atallah.bounding.grids import Blocks, Points
from coschedule.problems.atallah.bounding.narrow import Borders, Entries, borders_of, narrowed
from coschedule.problems.atallah.gang import (
    ChosenGang,
    EndsTooLate,
    NoGang,
    NoRunTime,
    SlotChoice,
    TooFewSlots,
    WindowsTooShort,
    is_plain,
    speedup_of,
)
from coschedule.problems.atallah.held_nodes import held_nodes_of
from coschedule.problems.atallah.node_columns import NodeColumns, columns_of_nodes
from coschedule.problems.atallah.slots import Slots, lay_out, lowest_nodes, ranked
from coschedule.problems.atallah.windows import best_lasting
from coschedule.problems.node import Node


def choose_equal(nodes: Sequence[Node] | NodeColumns, work: Work, goal: Goal) -> ChosenGang | NoGang:
    """Choose the best gang for ``goal``; the module explains objective, method, cost and ties. Source: [A 3.2].

    When all numbers are rational, arithmetic is exact, also at ties; otherwise it uses float64.
    """
    columns = nodes if isinstance(nodes, NodeColumns) else columns_of_nodes(nodes)
    exact = work.is_exact and goal.is_exact and columns.is_exact
    columns = columns if exact else columns.as_floats()
    slots = lay_out(columns, columns.slowdown, most_on_a_node=goal.maximum)
    table = quickest(size_table(work, goal, slots=slots.total, exact=exact))
    found = best_lasting(slots, goal, _SizeSearch(table, exact=exact).best) if len(table.sizes) else None
    if found is None:
        return _why_none(slots, table, goal, exact=exact)
    choice, lasting = found
    eligible = (lasting.start <= choice.start) & (lasting.level <= choice.level)
    members = held_nodes_of(columns, *lowest_nodes(lasting, eligible, choice.size))
    return ChosenGang(
        finish=as_number(choice.finish),
        size=choice.size,
        members=members.names,
        start=as_number(choice.start),
        speedup=speedup_of((work.exact_times if exact else work.float_times)(1)[0], choice.finish),
        latest=members.latest,
        slowest=members.slowest,
    )


class _SizeSearch:
    """The search for sizes of one table; it ignores windows."""

    def __init__(self, table: SizeTable, *, exact: bool) -> None:
        self._table = table
        self._exact = exact

    def best(self, slots: Slots, goal: Goal) -> SlotChoice | None:
        """Return the best choice among ``slots``; None if no size meets the goal."""
        table = self._table.up_to(slots.total)
        table = table if goal.price else table.without_price()
        if not len(table.sizes):
            return None
        if goal.objective is Objective.FEWEST:
            choices, reached = self._choices(slots, table, goal)
            least = min([reached, *(choice.size for choice in choices)])
            if least == math.inf:
                return None
            table, goal = table.where(table.sizes == least), replace(goal, objective=Objective.FINISH)
        choices, _ = self._choices(slots, table, goal)
        return min(choices, key=lambda choice: choice.rank(goal), default=None)

    def _choices(self, slots: Slots, table: SizeTable, goal: Goal) -> tuple[list[SlotChoice], float]:
        """Return the best choices of the cells that may have the best choice of all, and the least value reached."""
        best_sizes = best_sizes_of(table, goal, slots=slots.total)

        def bounds_of(borders: Borders) -> _BlockBounds:
            return _BlockBounds(borders, best_sizes, exact=self._exact)

        entries, reached = narrowed(Entries(slots.start, slots.level, slots.count), bounds_of)
        if not len(entries.start):
            return [], reached
        (starts, row), (slowdowns, column) = ranked(entries.start), ranked(entries.slowdown)
        points, bounds = Points(row, column, (entries.slots,)), bounds_of(borders_of(starts, slowdowns))
        cells, reached = surviving_cells(points, Shape(len(starts), len(slowdowns)), bounds, reached=reached)
        held = cells.within[0].astype(np.int64)
        choices_of = quickest_choices if is_plain(goal) else best_choices
        return choices_of(table, goal, starts[cells.top], slowdowns[cells.left], held), reached


@dataclass(frozen=True, slots=True)
class _BlockBounds:
    """Bounds on blocks of starts and slow-downs; the far corner of a block is its last cell, with the most slots."""

    borders: Borders
    best_sizes: BestSizes
    exact: bool

    def around(self, blocks: Blocks) -> tuple[FloatArray, FloatArray]:
        """Return the lower bounds of ``least``, and as upper bounds the values of the far corners."""
        borders, top, left = self.borders, blocks.top, blocks.left
        bottom, right = blocks.bottom - 1, blocks.right - 1
        best = worst = (borders.soonest[top], borders.fastest[left])
        if borders.apart or (bottom > top).any() or (right > left).any():
            worst = (borders.latest[bottom], borders.slowest[right])
        return self.best_sizes.values(best, worst, blocks.within[0])

    def least(self, blocks: Blocks) -> FloatArray:
        """Return lower bounds: as if all slots of the far corner had the block's least start and slow-down."""
        best = (self.borders.soonest[blocks.top], self.borders.fastest[blocks.left])
        return self.best_sizes.values(best, best, blocks.within[0])[0]

    def limit(self, reached: float) -> float:
        """Return the bound up to which a block may hold the best value."""
        return self.best_sizes.limit(reached, exact=self.exact)


def _why_none(slots: Slots, table: SizeTable, goal: Goal, *, exact: bool) -> NoGang:
    """Return why no gang meets the goal, with the relevant numbers."""
    if slots.total < goal.minimum:
        return TooFewSlots(needed=goal.minimum, slots=slots.total)
    if not len(table.sizes):
        return NoRunTime(minimum=goal.minimum, maximum=goal.maximum)
    unhurried = replace(goal, deadline=math.inf, objective=Objective.FINISH, price=0)
    soonest = best_lasting(slots, unhurried, _SizeSearch(table, exact=exact).best)
    if soonest is None:
        shortest = as_number(slots.level.min() * table.times.min())
        return WindowsTooShort(size=int(table.sizes[0]), shortest_seconds=shortest)
    return EndsTooLate(earliest_finish=as_number(soonest[0].finish), deadline=as_number(goal.deadline))
