"""[D] 3.2, figure 3: members at one pace by local schedulers, over co-scheduling on nodes without other work.

Four nodes, of types B, C, F and G. Each gives time in slices of 0.1 s, and changing a task takes 200 µs. In each
iteration all members start within 20 ms of one another, and each iteration ends with the last member. The paper prints
these numbers; task sizes it does not print. Here they are twenty slices of the slowest node for EP, and shrink from
twenty slices to one for the others: the text says that they end with tasks of about a slice. By plain local scheduling
the slow-down grows with the number of tasks beside a member, as the text says.
"""

from collections.abc import Iterator, Sequence
from math import ceil, floor

import numpy as np

from coschedule import keep_pace
from lockstep.papers.row import Paper, PaperRow, Printed, Tolerance, in_shape, solved

_WEIGHTS = (0.790, 0.562, 0.374, 0.239)
_SLICE, _SWITCH, _SKEW = 0.1, 0.0002, 0.02
_EP, _OTHERS = (20.0,) * 10, tuple(float(size) for size in range(20, 0, -1))
_SEED = 1


def rows() -> Iterator[PaperRow]:
    """EP, the other programs, and plain local scheduling."""
    shares = [float(share) for share in solved(keep_pace(_WEIGHTS, [1] * len(_WEIGHTS))).shares]
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
    """A member's share of each node's time, in turns with tasks of others."""
    return [1 / (1 + others)] * len(_WEIGHTS)


def _slowdown(tasks: Sequence[float], shares: Sequence[float]) -> float:
    """The time of all iterations over that of the slowest node alone; ``tasks`` are in its slices."""
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
    """When a task of so many seconds ends, with a ``share`` of all slices; it comes at ``phase`` of a slice."""
    slices = ceil(seconds / (_SLICE - _SWITCH) - 1e-9)
    last = floor((slices - 1) / share) + 1
    return (last + phase) * _SLICE
