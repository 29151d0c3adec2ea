"""Work that divides evenly and costs nothing to divide: every node that has started joins [A 4].

The more members, the larger their speed and the sooner the finish, so a start decides everything: one sort by start,
running sums of places and speeds, one division a start. No slow-down is ever compared with another.
"""

import numpy as np

from coschedule.columns import NodeColumns
from coschedule.groups.choice import Choice, is_plain
from coschedule.groups.goal import Goal
from coschedule.groups.loads import Loads
from coschedule.groups.places import Places, ranked
from coschedule.groups.speeds import inverse
from coschedule.numbers import IntArray, Vector


def everyone_joins(columns: NodeColumns, loads: Loads, goal: Goal) -> bool:
    """Whether a further member never hurts and is always allowed.

    Every size from the minimum up must be allowed and have the same work and no overhead, the finish alone must
    count, and every node must have one slow-down.
    """
    return (
        is_plain(goal)
        and int(loads.sizes[-1]) == int(columns.count.sum())
        and len(loads.sizes) == int(loads.sizes[-1]) - int(loads.sizes[0]) + 1
        and len(columns.node) == len(columns.start)
        and bool((loads.work == loads.work[0]).all())
        and bool((loads.overhead == 0).all())
    )


class Everyone:
    """The search when everyone joins."""

    def __init__(self, columns: NodeColumns, loads: Loads) -> None:
        starts, row = ranked(columns.start)
        self._speed = inverse(columns.slowdown)
        self._minimum = int(loads.sizes[0])
        self._work = loads.work[0]
        self.places = Places(
            starts=starts,
            levels=starts[:1],
            row=row,
            column=np.zeros_like(row),
            count=columns.count,
            node=columns.node,
            until=columns.until,
        )

    def best(self, places: Places, goal: Goal) -> Choice | None:
        """Find the start from which everyone ends first."""
        rows = len(places.starts)
        held = np.cumsum(np.bincount(places.row, weights=places.count, minlength=rows)).astype(np.int64)
        enough = int(np.searchsorted(held, self._minimum))
        if enough == rows:
            return None
        speed = self._speeds_by_row(places)[enough:]
        finishes = places.starts[enough:] + self._work / speed
        first = int(np.argmin(finishes))
        row, finish = enough + first, finishes[first]
        if finish > goal.deadline:
            return None
        return Choice(row=row, column=0, start=places.starts[row], size=int(held[row]), finish=finish, value=finish)

    def taken(self, places: Places, choice: Choice) -> IntArray:
        """Take every place that has started."""
        started = places.row <= choice.row
        return np.bincount(places.node[started], weights=places.count[started]).astype(np.int64)

    def _speeds_by_row(self, places: Places) -> Vector:
        """Sum up the speed of all places that have started by each row."""
        speeds = self._speed[places.node] * places.count
        if speeds.dtype != object:
            return np.cumsum(np.bincount(places.row, weights=speeds, minlength=len(places.starts)))
        by_row = np.zeros(len(places.starts), dtype=object)
        np.add.at(by_row, places.row, speeds)
        return np.cumsum(by_row)
