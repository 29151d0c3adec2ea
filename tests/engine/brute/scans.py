"""Plain methods for large clusters: every start in turn, straight from [A 3.2] and [A 4], and a tree for the latter."""

import numpy as np


def equal_by_scan(start, slowdown, times, until=None):
    """Return the least finish: at every start the P-th smallest slow-down of those that have started, for every P."""
    order = np.argsort(slowdown, kind="stable")
    start, slowdown = start[order], slowdown[order]
    until = np.full(len(start), np.inf) if until is None else until[order]
    best = np.inf
    for begin in np.unique(start):
        started = np.flatnonzero(start <= begin)
        if np.isinf(until).all():
            best = min(best, (begin + slowdown[started] * times[: len(started)]).min())
            continue
        for size in range(1, len(started) + 1):
            best = min(best, _soonest(begin, slowdown[started], until[started], times[size - 1], size))
    return best


def _soonest(begin, slowdown, until, time, size):
    """Find the finish of one size by dropping, one slow-down after the other, what ends too early for it."""
    for allowed in slowdown:
        finish = begin + allowed * time
        if ((slowdown <= allowed) & (until >= finish)).sum() >= size:
            return finish
    return np.inf


def priced_by_scan(start, slowdown, times, price):
    """Return the least value start + e * T(P) * (1 + price * P), by the same scan."""
    return equal_by_scan(start, slowdown, times * (1 + price * np.arange(1, len(times) + 1)))


def proportional_by_sort(start, slowdown, work, overhead=0):
    """Return the least finish: at every start the running sums of the sorted speeds; ``work[P - 1]`` is P * T(P).

    Per gang, ``work`` is the serial work of every size and ``overhead[P - 1]`` is added undivided.
    """
    order = np.argsort(slowdown, kind="stable")
    speed, start = 1 / slowdown[order], start[order]
    overhead = np.broadcast_to(overhead, len(work))
    best = np.inf
    for begin in np.unique(start):
        total = np.cumsum(speed[start <= begin])
        best = min(best, (begin + work[: len(total)] / total + overhead[: len(total)]).min())
    return best


class SpeedTree:
    """Counts and sums of the speeds put in so far, the largest first; a Fenwick tree over their ranks."""

    def __init__(self, size):
        self.size = 1 << (size - 1).bit_length()
        self.count = [0] * (self.size + 1)
        self.total = [0.0] * (self.size + 1)

    def put(self, rank, speed):
        place = rank + 1
        while place <= self.size:
            self.count[place] += 1
            self.total[place] += speed
            place += place & -place

    def least_ratio(self, work, speeds):
        """Walk down to the size P at which ``work[P - 1]`` / (sum of the P largest) is least, if it has one valley."""
        place, count, total = 0, 0, 0.0
        step = self.size
        while step:
            there = place + step
            if there <= self.size and self._still_falls(work, speeds, there, count, total):
                place, count, total = there, count + self.count[there], total + self.total[there]
            step //= 2
        return min(
            (work[size - 1] / sum_ for size, sum_ in self._around(speeds, place, count, total) if sum_ > 0),
            default=np.inf,
        )

    def _still_falls(self, work, speeds, there, count, total):
        """Ask whether one member more, as fast as the last rank passed, would still pay."""
        count, total = count + self.count[there], total + self.total[there]
        if count == 0:
            return True
        if count >= len(work) or there > len(speeds):
            return False
        return work[count] * total <= work[count - 1] * (total + speeds[there - 1])

    def _around(self, speeds, place, count, total):
        yield count, total
        if place < len(speeds):
            yield count + 1, total + speeds[place]


def proportional_by_descent(start, slowdown, work):
    """Return the least finish: nodes put into a tree as they start, one walk a node. P * T(P) must be convex."""
    ranks = np.empty(len(start), dtype=int)
    order = np.argsort(slowdown, kind="stable")
    ranks[order] = np.arange(len(start))
    speeds = (1 / slowdown[order]).tolist()
    tree, best = SpeedTree(len(start)), np.inf
    for node in np.argsort(start, kind="stable").tolist():
        tree.put(int(ranks[node]), speeds[ranks[node]])
        best = min(best, start[node] + tree.least_ratio(work, speeds))
    return best
