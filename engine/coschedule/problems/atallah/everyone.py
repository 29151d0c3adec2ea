"""Work that divides evenly without overhead: all nodes that have started join [A 4].

More members have a larger speed and an earlier finish. So only the start is to be chosen. The finish is the start plus
the work divided by the speed of all nodes that have started. Starts are divided into strips. The first start of a strip
and the speed at its end give a lower bound on the finish. The last start, with this speed, is a possible choice. So
only the starts of the few strips that may have the earliest finish are sorted. The rest takes O(Q) for Q nodes.
"""

import math
from typing import TypeGuard

import numpy as np

from coschedule.model.goal import Goal
from coschedule.model.numbers import IntArray, Scalar, Vector
from coschedule.model.run_times import SerialWork, Work
from coschedule.problems.atallah.bounding.strips import strips_of
from coschedule.problems.atallah.gang import SlotChoice, is_plain
from coschedule.problems.atallah.node_columns import MOST_SLOTS, NodeColumns
from coschedule.problems.atallah.slots import Slots, lay_out, ranked
from coschedule.problems.atallah.speeds import inverse

_FEW = 2000
"""Up to this number of starts, all are sorted."""

_SIDE = 500
"""The approximate number of strips, if there are more starts than ``_FEW``."""

_SLACK = 1e-9
"""More than the relative error of a sum of a million positive floats in any order, which is at most 10**-10."""


def everyone_joins(work: Work, columns: NodeColumns, goal: Goal) -> TypeGuard[SerialWork]:
    """Return whether a further member never hurts and is always allowed.

    This is so for work without overhead, if only the finish counts, the size has no limit and a node has one slow-down.
    """
    return (
        isinstance(work, SerialWork)
        and not work.has_overhead
        and is_plain(goal)
        and len(columns.node) == len(columns.start)
        and goal.maximum >= int(columns.count.sum())
    )


class Everyone:
    """The search when all nodes join."""

    def __init__(self, columns: NodeColumns, serial: Scalar, minimum: int) -> None:
        self.least_size = minimum
        self._serial = serial
        self.slots = lay_out(columns, inverse(columns.slowdown), most_on_a_node=MOST_SLOTS)

    def best(self, slots: Slots, goal: Goal) -> SlotChoice | None:
        """Return the choice with the earliest finish; None if there are too few slots or all choices end too late."""
        speed, count = slots.level * slots.count, slots.count
        near = self._likely(slots, speed)
        if not len(near):
            return None
        first = slots.start[near].min()
        before, near = (slots.start <= first).nonzero()[0], near[slots.start[near] > first]
        starts, row = ranked(slots.start[near])
        starts = np.concatenate(((first,), starts))
        held = count[before].sum() + _sums_before(row, count[near])
        finishes = starts + self._serial / (speed[before].sum() + _sums_before(row, speed[near]))
        finishes[held < self.least_size] = math.inf
        best = int(finishes.argmin())
        finish = finishes[best]
        if not finish <= goal.deadline or held[best] < self.least_size:
            return None
        return SlotChoice(start=starts[best], level=0, size=int(held[best]), finish=finish, value=finish)

    def taken(self, slots: Slots, choice: SlotChoice) -> tuple[IntArray, IntArray]:
        """Return all nodes that have started, with their slots."""
        started = (slots.start <= choice.start).nonzero()[0]
        return slots.node[started], slots.count[started]

    def _likely(self, slots: Slots, speed: Vector) -> IntArray:
        """List the entries in the strips of starts that may have the earliest finish."""
        if len(slots.start) <= _FEW:
            return np.arange(len(slots.start))
        strips = strips_of(slots.start.astype(np.float64, copy=False), _SIDE)
        held = np.bincount(strips.of, weights=slots.count).cumsum()
        run = float(self._serial) / np.bincount(strips.of, weights=speed.astype(np.float64, copy=False)).cumsum()
        run[held < self.least_size] = math.inf
        reached = (strips.highest + run).min() * (1 + _SLACK)
        likely = ((strips.lowest + run <= reached) & (run < math.inf)).nonzero()[0]
        first, last = (likely[0], likely[-1]) if len(likely) else (0, -1)
        return ((strips.of >= first) & (strips.of <= last)).nonzero()[0]


def _sums_before(row: IntArray, amounts: Vector) -> Vector:
    """Return the sum of the amounts of all rows before each row, and of all rows."""
    rows = int(row.max(initial=-1)) + 2
    if amounts.dtype != object:
        return np.bincount(row + 1, weights=amounts, minlength=rows).astype(amounts.dtype, copy=False).cumsum()
    by_row = np.zeros(rows, dtype=object)
    np.add.at(by_row, row + 1, amounts)
    return by_row.cumsum()
