"""Equal load: every member gets the same share, so the latest start and the slowest node decide [A 3].

Objective: over all groups G of an allowed size, minimise start(G) + e(G) * T(|G|), where start(G) is the latest start
and e(G) the largest slow-down of its places. With a price the cost T(P) * (1 + price * P) stands for T(P).

Theorem: let C(k, t) count the places that open by the k-th start and are no slower than the t-th slow-down. Then the
optimum is the least, over all k and t, of start_k + e_t * (the least T(P) over allowed P <= C(k, t)): the best group is
counted in the cell of its own latest start and slow-down, and what a cell promises some of its places can do.

Method: C grows with k and t, so a block of cells is bounded from below by its first start, its first slow-down and the
count of its last cell, whose own value can be reached. Grids laid without sorting narrow the matrix to the part around
its least value, in O(Q); what is left is sorted and bounded over ever finer grids, in floats (``bounding``). The few
cells that survive are compared in the numbers of the request. Windows: ``windows``. Fewest members: the least size
first, then the best of that size. Bounding cannot help, and all Q are sorted, where the values of very many cells
differ by less than their blocks are wide.

Ties: least value, then (with a price) earlier finish, then fewer members, then earlier start, then lowest indices.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from coschedule.model.goal import Goal, Objective, SizeTable, size_table
from coschedule.model.numbers import FloatArray, as_number
from coschedule.model.run_times import Work
from coschedule.problems.atallah.best_sizes import Menu, best_choices, menu_of, quickest, quickest_choices
from coschedule.problems.atallah.bounding.blocks import Shape, surviving_cells
from coschedule.problems.atallah.bounding.grids import Blocks, Points
from coschedule.problems.atallah.bounding.narrow import Borders, Entries, borders_of, narrowed
from coschedule.problems.atallah.gang import Choice, Group, GroupReason, NoGroup, is_plain, speedup_of
from coschedule.problems.atallah.held_nodes import members_of
from coschedule.problems.atallah.node_columns import NodeColumns, columns_of_nodes
from coschedule.problems.atallah.slots import Places, lay_out, lowest_nodes, ranked
from coschedule.problems.atallah.windows import best_lasting
from coschedule.problems.node import Node

__all__ = ["Group", "GroupReason", "NoGroup", "choose_equal"]


def choose_equal(nodes: Sequence[Node] | NodeColumns, work: Work, goal: Goal) -> Group | NoGroup:
    """Choose the best group for ``goal``; module docstring: objective, method, complexity, ties. Source: [A 3.2].

    When every number is rational the answer is what exact arithmetic gives, also at ties; otherwise float64.
    """
    columns = nodes if isinstance(nodes, NodeColumns) else columns_of_nodes(nodes)
    exact = work.is_exact and goal.is_exact and columns.is_exact
    columns = columns if exact else columns.as_floats()
    places = lay_out(columns, columns.slowdown, most_on_a_node=goal.maximum)
    table = quickest(size_table(work, goal, places=places.total, exact=exact))
    found = best_lasting(places, goal, _Search(table, exact=exact).best) if len(table.sizes) else None
    if found is None:
        return NoGroup(reason=GroupReason.NO_GROUP_FITS, message=_why_none(places, table, goal, exact=exact))
    choice, lasting = found
    eligible = (lasting.start <= choice.start) & (lasting.level <= choice.level)
    members = members_of(columns, *lowest_nodes(lasting, eligible, choice.size))
    return Group(
        finish=as_number(choice.finish),
        size=choice.size,
        members=members.names,
        start=as_number(choice.start),
        speedup=speedup_of((work.exact_times if exact else work.float_times)(1)[0], choice.finish),
        latest=members.latest,
        slowest=members.slowest,
    )


class _Search:
    """The search for sizes of one table, windows ignored."""

    def __init__(self, table: SizeTable, *, exact: bool) -> None:
        self._table = table
        self._exact = exact

    def best(self, places: Places, goal: Goal) -> Choice | None:
        """Find the best choice among ``places``; None when there is none."""
        table = self._table.up_to(places.total)
        table = table if goal.price else table.without_price()
        if not len(table.sizes):
            return None
        if goal.objective is Objective.FEWEST:
            choices, reached = self._choices(places, table, goal)
            least = min([reached, *(choice.size for choice in choices)])
            if least == math.inf:
                return None
            table, goal = table.where(table.sizes == least), replace(goal, objective=Objective.FINISH)
        choices, _ = self._choices(places, table, goal)
        return min(choices, key=lambda choice: choice.rank(goal), default=None)

    def _choices(self, places: Places, table: SizeTable, goal: Goal) -> tuple[list[Choice], float]:
        """List the best choices of cells, of which one is the best of all; and the least value that is reached."""
        menu = menu_of(table, goal, places=places.total)

        def bounds_of(borders: Borders) -> _Bounds:
            return _Bounds(borders, menu, exact=self._exact)

        entries, reached = narrowed(Entries(places.start, places.level, places.count), bounds_of)
        if not len(entries.start):
            return [], reached
        (starts, row), (slowdowns, column) = ranked(entries.start), ranked(entries.slowdown)
        points, bounds = Points(row, column, (entries.places,)), bounds_of(borders_of(starts, slowdowns))
        cells, reached = surviving_cells(points, Shape(len(starts), len(slowdowns)), bounds, reached=reached)
        held = cells.within[0].astype(np.int64)
        choices_of = quickest_choices if is_plain(goal) else best_choices
        return choices_of(table, goal, starts[cells.top], slowdowns[cells.left], held), reached


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Bounds on blocks of starts and slow-downs."""

    borders: Borders
    menu: Menu
    exact: bool

    def around(self, blocks: Blocks) -> tuple[FloatArray, FloatArray]:
        """Grant the places of the last cell the block's earliest start and least slow-down; or take its own."""
        borders, top, left = self.borders, blocks.top, blocks.left
        bottom, right = blocks.bottom - 1, blocks.right - 1
        best = worst = (borders.soonest[top], borders.fastest[left])
        if borders.apart or (bottom > top).any() or (right > left).any():
            worst = (borders.latest[bottom], borders.slowest[right])
        return self.menu.values(best, worst, blocks.within[0])

    def least(self, blocks: Blocks) -> FloatArray:
        """Grant the places of the last cell the block's earliest start and least slow-down."""
        best = (self.borders.soonest[blocks.top], self.borders.fastest[blocks.left])
        return self.menu.values(best, best, blocks.within[0])[0]

    def limit(self, reached: float) -> float:
        """Say up to which bound a block may hold the best value."""
        return self.menu.limit(reached, exact=self.exact)


def _why_none(places: Places, table: SizeTable, goal: Goal, *, exact: bool) -> str:
    """Say in one sentence with numbers what stands in the way."""
    if places.total < goal.minimum:
        return f"needs {goal.minimum} or more members and the nodes hold {places.total}"
    if not len(table.sizes):
        return f"no size from {goal.minimum} to {goal.maximum} has a run time"
    unhurried = replace(goal, deadline=math.inf, objective=Objective.FINISH, price=0)
    soonest = best_lasting(places, unhurried, _Search(table, exact=exact).best)
    if soonest is None:
        shortest = as_number(places.level.min() * table.times.min())
        return f"no {table.sizes[0]} places are free together until a run ends, which takes {shortest} s at least"
    finish = as_number(soonest[0].finish)
    return f"the earliest finish is {finish} s, after the deadline of {as_number(goal.deadline)} s"
