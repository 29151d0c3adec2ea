"""A lower bound on the mean turnaround of all schedules, where jobs may pause and change their sizes freely.

Problem: jobs arrive, each with a run time for every size. Find a lower bound on the mean turnaround of all schedules.
This includes schedules that know all jobs in advance, and whose changes of sizes cost nothing.

Method: Lagrangian relaxation. Time is divided into slots, and each node-second has a price in seconds, by its slot.
Each job alone chooses its end, and its size at each instant. It minimises its cost: its turnaround plus the price of
its node-seconds. The bound is the sum of these costs minus the price of all node-seconds of all nodes, since no
schedule uses more. It is valid for any prices. Prices rise where jobs want more than all nodes, and fall where they
want less (a subgradient). The largest bound is returned.

For one job, let ``worth`` be any value of its whole work, in seconds. At each instant, some size has the greatest
profit: the worth of the work that it does minus the price of its nodes, or 0. S(C) is the sum of these profits until
the turnaround C. A job with the turnaround C costs at least C + worth - S(C). This bound is linear in C within a slot,
so it is least at one of the slot's two ends. Each slot gets the largest bound of several worths. The bound of the job
is the least bound of all slots.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lockstep.simulation.model.jobs import Arrival, FloatArray

_SLOTS = 1000
_STEPS = 40
_WORTHS = 24
# The target of a step is _HOPED times the best bound so far. The step goes the part _PACE of the way to the target.
_HOPED, _PACE = 1.5, 0.5


class _Prices(NamedTuple):
    """The price of a node-second in each slot; slot k is from ``edges[k]`` to ``edges[k + 1]``, the last one to inf."""

    edges: FloatArray
    seconds: FloatArray


class _Choice(NamedTuple):
    """A lower bound on the cost of a job, and the node-seconds that the job then takes in the slots from ``first``."""

    cost: float
    first: int
    taken: FloatArray


def least_mean_turnaround(arrivals: Sequence[Arrival], slowdowns: FloatArray) -> float:
    """Return a lower bound on the mean turnaround, in seconds, of all schedules on these nodes.

    All nodes count as if they were as fast as the fastest, and had no owners.
    """
    nodes, pace = len(slowdowns), float(slowdowns.min())
    prices = _free(arrivals, pace)
    widths = np.diff(prices.edges)
    best = 0.0
    for _ in range(_STEPS):
        choices = [_choice(one, pace, prices) for one in arrivals]
        wanted = np.zeros(len(widths))
        for choice in choices:
            wanted[choice.first : choice.first + len(choice.taken)] += choice.taken
        bound = sum(choice.cost for choice in choices) - nodes * float(widths @ prices.seconds[:-1])
        best = max(best, bound)
        excess = wanted - nodes * widths
        excess[(excess < 0) & (prices.seconds[:-1] <= 0)] = 0.0
        size = float((excess**2 / widths).sum())
        if not size:
            break
        step = _PACE * (_HOPED * best - bound) / size * excess / widths
        prices = prices._replace(seconds=np.append(np.maximum(prices.seconds[:-1] + step, 0.0), 0.0))
    return best / len(arrivals)


def _free(arrivals: Sequence[Arrival], pace: float) -> _Prices:
    """Return slots with prices of 0. The price after the last edge always stays 0."""
    begin = min(one.job.submitted for one in arrivals)
    last = max(one.job.submitted + float(_seconds(one, pace).max()) for one in arrivals)
    return _Prices(np.linspace(begin, last, _SLOTS + 1), np.zeros(_SLOTS + 1))


def _seconds(arrival: Arrival, pace: float) -> FloatArray:
    """Return how long the job really runs at each of its sizes on the fastest nodes."""
    job = arrival.job
    seconds: FloatArray = job.times[job.least - 1 : job.most] * arrival.ratio * pace
    return seconds


def _choice(arrival: Arrival, pace: float, prices: _Prices) -> _Choice:
    """Choose the slot of the job's cheapest end.

    Let c be the least cost so far. Slots that begin more than c after the submission are left out: an end in such a
    slot costs more, since its cost includes the turnaround.
    """
    submitted, seconds = arrival.job.submitted, _seconds(arrival, pace)
    sizes = np.arange(arrival.job.least, arrival.job.most + 1, dtype=np.float64)
    first = int(np.searchsorted(prices.edges, submitted, side="right")) - 1
    count = 16
    while True:
        until = min(first + count, len(prices.seconds))
        edges = np.append(np.maximum(prices.edges[first:until], submitted), prices.edges[until : until + 1])
        found = _cheapest(edges - submitted, prices.seconds[first:until], sizes, 1 / seconds, first)
        if until == len(prices.seconds) or edges[-1] - submitted >= found.cost:
            return found
        count *= 4


def _cheapest(edges: FloatArray, prices: FloatArray, sizes: FloatArray, speeds: FloatArray, first: int) -> _Choice:
    """Choose the slot of the job's end. ``edges`` are seconds after its submission; the last slot may have no end.

    ``sizes`` are the sizes of the job, and ``speeds`` the part of its work that each size does in a second. The result
    begins with slot ``first``.
    """
    least = float((1 / speeds).min())
    dearest = float(((1 + prices.max() * sizes) / speeds).min())
    worths = np.geomspace(least, max(dearest, least), _WORTHS)
    profits = worths[:, None, None] * speeds - prices[:, None] * sizes
    saved = np.maximum(profits.max(axis=2), 0.0)
    widths = np.diff(edges)
    sums = np.concatenate((np.zeros((_WORTHS, 1)), np.cumsum(saved[:, : len(widths)] * widths, axis=1)), axis=1)
    costs = edges + worths[:, None] - sums
    by_slot = np.minimum(costs[:, :-1], costs[:, 1:]).max(axis=0)
    if len(edges) == len(prices):
        # After the last edge, prices are 0. With the least worth, all ends there have the same cost.
        by_slot = np.append(by_slot, costs[0, -1])
    slot = int(by_slot.argmin())
    worth = int(np.minimum(costs[:, slot], costs[:, min(slot + 1, costs.shape[1] - 1)]).argmax())
    size_of = np.where(profits[worth].max(axis=1) > 0, sizes[profits[worth].argmax(axis=1)], 0.0)
    return _Choice(float(by_slot[slot]), first, (size_of[: len(widths)] * widths)[: slot + 1])
