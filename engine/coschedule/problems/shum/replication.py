"""The time of many runs of one program on several replicas of it [C 7.4.2, pages 105-107].

Model: N runs with independent, exponential run times, of mean 1 on one node. There are R replicas. Each replica takes
the next run as soon as its run has ended. Each replica is parallel itself, and S_p times as fast as one node.

Theorem: the mean time until the last of N runs ends is ((N - R)/R + H_R) / S_p, with the harmonic number
H_R = 1 + 1/2 + ... + 1/R. While runs wait, R runs are under way, and one ends every 1/(R * S_p) on average. After N - R
ends, no run waits, and R runs are under way. An exponential run time has no memory, so the last of these runs ends
after H_R / S_p on average.

Formula (7.1), N/(S_p * R) + H_R, counts the last R runs twice, and does not divide their time by S_p.
"""

import math
from fractions import Fraction

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import Number


def mean_turnaround(*, runs: int, replicas: int, speedup: Number) -> Number:
    """Return the mean time until all ``runs`` have ended, in units of the mean run time on one node.

    InvalidValueError unless 1 <= ``replicas`` <= ``runs``, and the ``speedup`` of each replica is above 0 and finite.
    The result is exact if the speed-up is. O(replicas).
    """
    if runs < 1:
        raise InvalidValueError("runs", "must be at least 1")
    if not 1 <= replicas <= runs:
        raise InvalidValueError("replicas", f"must be from 1 to {runs}, the number of runs")
    if not 0 < speedup < math.inf:
        raise InvalidValueError("speedup", "must be above 0 and finite")
    return (Fraction(runs - replicas, replicas) + _harmonic(1, replicas + 1)) / speedup


def _harmonic(first: int, end: int) -> Fraction:
    """Sum 1/i over first <= i < end by halves, so that most sums are of fractions with small denominators."""
    if end - first == 1:
        return Fraction(1, first)
    middle = (first + end) // 2
    return _harmonic(first, middle) + _harmonic(middle, end)
