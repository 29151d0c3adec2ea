"""[D] 3.2, figure 3: the time with members at one pace, divided by the time with co-scheduling on idle nodes.

There are four nodes, of types B, C, F and G. Each node gives time in slices of 0.1 s, and changing a task takes 200 µs.
In each iteration all members start within 20 ms, and the iteration ends with the last member. The paper prints these
numbers, but not the sizes of tasks. Here, a task of the program EP takes twenty slices of the slowest node. For other
programs, tasks shrink from twenty slices to one, since the text says that these programs end with tasks of about a
slice. With plain local scheduling, the slow-down grows with the number of tasks beside a member, as the text says.
"""

from collections.abc import Iterator, Sequence
from math import ceil, floor

import numpy as np

from coschedule import keep_pace
from lockstep.papers.row import Paper, PaperRow, Printed, Tolerance, as_any, in_shape

_WEIGHTS = (0.790, 0.562, 0.374, 0.239)
_SLICE, _SWITCH, _SKEW = 0.1, 0.0002, 0.02
_EP, _OTHERS = (20.0,) * 10, tuple(float(size) for size in range(20, 0, -1))
_SEED = 1


def rows() -> Iterator[PaperRow]:
    """Yield the rows of EP, of the other programs, and of plain local scheduling."""
    shares = [float(share) for share in as_any(keep_pace(_WEIGHTS, [1] * len(_WEIGHTS))).shares]
    what = "time of EP at one pace / with co-scheduling"
    yield in_shape(
        Paper.DU, "3.2.2, figure 3", what, Printed(1.09, 1.09), _slowdown(_EP, shares), Tolerance(0.04, _SEED)
    )
    what = "the same for programs whose tasks shrink to one slice"
    found = _slowdown(_OTHERS, shares)
    yield in_shape(Paper.DU, "3.2.2, figure 3", what, Printed(1.15, 1.25), found, Tolerance(0.04, _SEED))
    what = "time of EP by plain local scheduling: beside two tasks of others / beside one"
    found = _slowdown(_EP, _locally(2)) / _slowdown(_EP, _locally(1))
    yield in_shape(Paper.DU, "3.2.2", what, Printed(1.5, 1.5, "in proportion: 1.5"), found, Tolerance(0.04, _SEED))


def _locally(others: int) -> list[float]:
    """Return a member's share of each node's time if it takes turns with ``others`` other tasks."""
    return [1 / (1 + others)] * len(_WEIGHTS)


def _slowdown(tasks: Sequence[float], shares: Sequence[float]) -> float:
    """Return the time of all iterations, divided by the time of the slowest node alone.

    ``tasks`` has the size of each iteration's task, in slices of the slowest node.
    """
    random = np.random.default_rng(_SEED)
    slowest = min(_WEIGHTS)
    spent = 0.0
    for task in tasks:
        skews = random.uniform(0, _SKEW, len(_WEIGHTS)).tolist()
        ends = (
            skew + _time(task * _SLICE * slowest / weight, share, float(random.random()))
            for weight, share, skew in zip(_WEIGHTS, shares, skews, strict=True)
        )
        spent += max(ends)
    return spent / (sum(tasks) * _SLICE)


def _time(seconds: float, share: float, phase: float) -> float:
    """Return the end, in s, of a task of ``seconds`` with a ``share`` of all slices.

    The task arrives at the part ``phase`` of a slice, from 0 to 1.
    """
    slices = ceil(seconds / (_SLICE - _SWITCH) - 1e-9)
    last = floor((slices - 1) / share) + 1
    return (last + phase) * _SLICE
