"""The largest speed of P members if a further member on a node may add more speed than the member before.

In this case, no order of slots is right for all P. Best sums are convolved instead, node by node. Let s(j) be the speed
of j members on the added node. The new best sum of P members is the largest s(j) plus the old best sum of P - j
members. This is exact for any slow-downs, and takes O(slots * sizes).
"""

import numpy as np

from coschedule.model.divided_work import DividedWork
from coschedule.model.goal import Goal, Objective
from coschedule.model.numbers import IntArray, Scalar, Vector
from coschedule.problems.atallah.gang import SlotChoice
from coschedule.problems.atallah.node_columns import NodeColumns
from coschedule.problems.atallah.slots import Slots, ranked
from coschedule.problems.atallah.speeds import inverse


class Convolved:
    """The search by convolution; ``slots`` only says which nodes take part, and ``columns`` gives the speeds."""

    def __init__(self, columns: NodeColumns, divided: DividedWork) -> None:
        self._divided = divided
        self.least_size = int(divided.sizes[0])
        self._sums = _contributions(columns)
        self.slots = Slots(
            start=columns.start,
            level=columns.start,
            count=np.array([len(sums) - 1 for sums in self._sums], dtype=np.int64),
            node=np.arange(len(columns.start)),
            until=columns.until,
        )

    def best(self, slots: Slots, goal: Goal) -> SlotChoice | None:
        """Find the best choice: try all sizes after adding the nodes of each start."""
        divided = self._divided.up_to(slots.total).priced(goal.price)
        if not len(divided.sizes):
            return None
        best: SlotChoice | None = None
        sums = self._no_members(int(divided.sizes[-1]))
        starts, row = ranked(slots.start)
        for rank, start in enumerate(starts):
            for node in slots.node[row == rank].tolist():
                sums = _convolve(sums, self._sums[node])
            choice = _best_size(sums, divided, goal, start)
            if choice is not None and (best is None or choice.rank(goal) < best.rank(goal)):
                best = choice
        return best

    def taken(self, slots: Slots, choice: SlotChoice) -> tuple[IntArray, IntArray]:
        """Return nodes and their members: in order of index, each node gets the most that a best gang can have."""
        nodes = slots.node[slots.start <= choice.start].tolist()
        tails = [self._no_members(choice.size)]
        for node in reversed(nodes):
            tails.append(_convolve(tails[-1], self._sums[node]))
        taken, left = [], choice.size
        for node, tail, rest in zip(nodes, reversed(tails[1:]), reversed(tails[:-1]), strict=True):
            sums = self._sums[node][: left + 1]
            reached = sums + rest[left::-1][: len(sums)]
            taken.append(int(np.flatnonzero(reached == tail[left])[-1]))
            left -= taken[-1]
        held = np.array(taken)
        return np.array(nodes)[held > 0], held[held > 0]

    def _no_members(self, largest: int) -> Vector:
        sums = np.full(largest + 1, -np.inf, dtype=self._divided.work.dtype)
        sums[0] = 0
        return sums


def _contributions(columns: NodeColumns) -> list[Vector]:
    """Return an array for each node: the total speed of 0, 1, ... members on it."""
    speed = inverse(columns.slowdown)
    by_node: list[list[Scalar]] = [[0] for _ in range(len(columns.start))]
    for node, one, count in zip(columns.node.tolist(), speed.tolist(), columns.count.tolist(), strict=True):
        sums = by_node[node]
        sums.extend(held * one for held in range(len(sums), len(sums) + count))
    return [np.array(sums, dtype=speed.dtype) for sums in by_node]


def _convolve(sums: Vector, node: Vector) -> Vector:
    best = sums.copy()
    for members in range(1, min(len(node), len(sums))):
        np.maximum(best[members:], sums[:-members] + node[members], out=best[members:])
    return best


def _best_size(sums: Vector, divided: DividedWork, goal: Goal, start: Scalar) -> SlotChoice | None:
    speeds = sums[divided.sizes]
    held = np.flatnonzero(speeds > 0)
    runs = divided.run_time(held, speeds[held])
    finishes, values = start + runs, start + divided.weight[held] * runs
    in_time = np.flatnonzero((finishes <= goal.deadline).astype(np.bool_)).tolist()
    if goal.objective is Objective.FEWEST:
        in_time = in_time[:1]
    choices = (
        SlotChoice(
            start=start,
            level=start,
            size=int(divided.sizes[held[index]]),
            finish=finishes[index],
            value=values[index],
        )
        for index in in_time
    )
    return min(choices, key=lambda choice: choice.rank(goal), default=None)
