"""What no schedule can beat: a lower bound of the mean turnaround, where jobs may pause and change their sizes freely.

Problem: jobs come, each with a run time at every size. Bound from below the mean turnaround of all schedules, also of
those that know all jobs before, and whose changes cost nothing.

Method: Lagrangian relaxation. Each node-second has a price in seconds, by the slot of time in which it lies. Each job
alone chooses when it ends and its size at every instant, so that its turnaround and what it pays are least. The bound
is the sum over jobs, less what all node-seconds of all slots cost: no schedule has more of them to pay for. This holds
at any prices. Prices rise where jobs want more than all nodes, and fall where they want less (a subgradient). The best
bound counts.

For one job and one slot of its end, let ``worth`` be what a part of its work may cost. For any worth, a job that ends
at C costs at least C + worth less a sum. The sum is, over the job's slots, the most that it can save there. The bound
is linear in C inside a slot, so its ends decide. Of several worths the best is taken, and of all slots the least.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lockstep.simulation.model.jobs import Arrival, FloatArray

_SLOTS = 1000
_STEPS = 40
_WORTHS = 24
# A step goes that part of the way to a bound that is hoped for: so many times the best one.
_HOPED, _PACE = 1.5, 0.5


class _Prices(NamedTuple):
    """The price of a node-second in each slot; slot k is from ``edges[k]`` to ``edges[k + 1]``, the last one to inf."""

    edges: FloatArray
    seconds: FloatArray


class _Choice(NamedTuple):
    """What a job costs at least, and how many node-seconds it then takes of the slots from the first on."""

    cost: float
    first: int
    taken: FloatArray


def least_mean_turnaround(arrivals: Sequence[Arrival], slowdowns: FloatArray) -> float:
    """Bound the mean turnaround of all schedules on these nodes from below, in seconds.

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
    """Let nothing cost anything; after the last slot nothing ever will."""
    begin = min(one.job.submitted for one in arrivals)
    last = max(one.job.submitted + float(_seconds(one, pace).max()) for one in arrivals)
    return _Prices(np.linspace(begin, last, _SLOTS + 1), np.zeros(_SLOTS + 1))


def _seconds(arrival: Arrival, pace: float) -> FloatArray:
    """Return how long the job really runs at each of its sizes on the fastest nodes."""
    job = arrival.job
    seconds: FloatArray = job.times[job.least - 1 : job.most] * arrival.ratio * pace
    return seconds


def _choice(arrival: Arrival, pace: float, prices: _Prices) -> _Choice:
    """Choose the cheapest end; later slots than the cheapest cost so far are left out."""
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
    """Choose the slot of the end among these, of which the last one may have no end."""
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
        # After the last edge nothing costs anything: the least worth makes all ends there equal.
        by_slot = np.append(by_slot, costs[0, -1])
    slot = int(by_slot.argmin())
    worth = int(np.minimum(costs[:, slot], costs[:, min(slot + 1, costs.shape[1] - 1)]).argmax())
    size_of = np.where(profits[worth].max(axis=1) > 0, sizes[profits[worth].argmax(axis=1)], 0.0)
    return _Choice(float(by_slot[slot]), first, (size_of[: len(widths)] * widths)[: slot + 1])
