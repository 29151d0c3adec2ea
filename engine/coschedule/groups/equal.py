"""Equal load: every member gets the same share, so the latest start and the slowest node decide [A 3].

Objective: over all groups G of an allowed size, minimise start(G) + e(G) * T(|G|), where start(G) is the latest start
and e(G) the largest slow-down of its places. With a price the cost T(P) * (1 + price * P) stands for T(P).

Theorem: let C(k, t) count the places that open by the k-th start and are no slower than the t-th slow-down. Then the
optimum is the least, over all k and t, of start_k + e_t * (the least T(P) over allowed P <= C(k, t)): the best group is
counted in the cell of its own latest start and slow-down, and what a cell promises some of its places can do.

Method: C grows with k and t, so a block of cells is bounded from below by its first start, its first slow-down and the
count of its last cell, whose own value can be reached: bounding over ever finer grids (``blocks``), in floats. The few
cells that survive are compared in the numbers of the request. Windows: ``windows``. Fewest members: the least size
first, then the best of that size. O(Q log Q) to sort, plus the surviving blocks; bounding cannot help where the values
of very many cells differ by less than their blocks are wide.

Ties: least value, then (with a price) earlier finish, then fewer members, then earlier start, then lowest indices.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from coschedule.columns import NodeColumns, columns_of_nodes
from coschedule.groups.blocks import surviving_cells
from coschedule.groups.choice import Choice, Group, GroupReason, NoGroup, speedup_of
from coschedule.groups.goal import Goal, Objective, SizeTable, size_table
from coschedule.groups.grids import Blocks, Points
from coschedule.groups.members import members_of
from coschedule.groups.menu import SLACK, Menu, best_size, menu_of, quickest
from coschedule.groups.places import Places, lay_out, lowest_nodes
from coschedule.groups.windows import best_lasting
from coschedule.nodes import Node
from coschedule.numbers import FloatArray, as_number
from coschedule.work import Work

__all__ = ["Group", "GroupReason", "NoGroup", "choose_equal"]


def choose_equal(nodes: Sequence[Node] | NodeColumns, work: Work, goal: Goal) -> Group | NoGroup:
    """Choose the best group for ``goal``; module docstring: objective, method, complexity, ties. Source: [A 3.2].

    When every number is rational the answer is what exact arithmetic gives, also at ties; otherwise float64.
    """
    columns = nodes if isinstance(nodes, NodeColumns) else columns_of_nodes(nodes)
    exact = work.is_exact and goal.is_exact and columns.is_exact
    columns = columns if exact else columns.as_floats()
    places = lay_out(columns, most_on_a_node=goal.maximum)
    table = quickest(size_table(work, goal, places=places.total, exact=exact))
    found = best_lasting(places, goal, _Search(table, exact=exact).best) if len(table.sizes) else None
    if found is None:
        return NoGroup(reason=GroupReason.NO_GROUP_FITS, message=_why_none(places, table, goal, exact=exact))
    choice, lasting = found
    taken = lowest_nodes(lasting, lasting.up_to(choice.row, choice.column), choice.size)
    members = members_of(columns, taken)
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
            least = self._least_size(places, table, goal)
            if least is None:
                return None
            table, goal = table.where(table.sizes == least), replace(goal, objective=Objective.FINISH)
        choices, _ = self._choices(places, table, goal)
        return min(choices, key=lambda choice: choice.rank(goal), default=None)

    def _least_size(self, places: Places, table: SizeTable, goal: Goal) -> int | None:
        """Find the least size that meets the deadline; None when none does."""
        choices, reached = self._choices(places, table, goal)
        least = min([reached, *(choice.size for choice in choices)])
        return int(least) if least < math.inf else None

    def _choices(self, places: Places, table: SizeTable, goal: Goal) -> tuple[list[Choice], float]:
        """List the best choice of every cell that may hold the best of all; and the least value that is reached."""
        menu = menu_of(table, goal, places=places.total)
        bounds = _Bounds(*places.float_axes(), menu, exact=self._exact)
        points = Points(places.row, places.column, (places.count,))
        rows, columns = len(places.starts), len(places.levels)
        cells, reached = surviving_cells(points, rows=rows, columns=columns, bounds=bounds)
        choices = (
            _choice(places, table, goal, row, column, int(held))
            for row, column, held in zip(cells.top.tolist(), cells.left.tolist(), cells.within[0], strict=True)
        )
        return [choice for choice in choices if choice is not None], reached


def _choice(places: Places, table: SizeTable, goal: Goal, row: int, column: int, held: int) -> Choice | None:
    """Take the best size of one cell, in the numbers of the request."""
    start, slowdown = places.starts[row], places.levels[column]
    index = best_size(table, goal, start=start, slowdown=slowdown, places=held)
    if index is None:
        return None
    return Choice(
        row=row,
        column=column,
        start=start,
        size=int(table.sizes[index]),
        finish=start + slowdown * table.times[index],
        value=start + slowdown * table.costs[index],
    )


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Bounds on blocks of starts and slow-downs."""

    starts: FloatArray
    slowdowns: FloatArray
    menu: Menu
    exact: bool

    def least(self, blocks: Blocks) -> FloatArray:
        """Grant the block's earliest start and its least slow-down to the places of its last cell."""
        starts, slowdowns = self.starts[blocks.top], self.slowdowns[blocks.left]
        return self.menu.values(starts, slowdowns, blocks.within[0], slack=SLACK)

    def reached(self, blocks: Blocks) -> FloatArray:
        """Take the value of the last cell."""
        starts, slowdowns = self.starts[blocks.bottom - 1], self.slowdowns[blocks.right - 1]
        return self.menu.values(starts, slowdowns, blocks.within[0], slack=-SLACK)

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
        shortest = as_number(places.levels[0] * table.times.min())
        return f"no {table.sizes[0]} places are free together until a run ends, which takes {shortest} s at least"
    finish = as_number(soonest[0].finish)
    return f"the earliest finish is {finish} s, after the deadline of {as_number(goal.deadline)} s"
