"""The mean time of many runs on several replicas, from the distribution of the runs."""

from fractions import Fraction
from math import comb


def mean_longest(count):
    """Return the mean of the longest of ``count`` exponential times of mean 1, by inclusion and exclusion of minima."""
    return sum((Fraction((-1) ** (size + 1) * comb(count, size), size) for size in range(1, count + 1)), Fraction(0))


def mean_turnaround(runs, replicas, speedup):
    """Go from end to end: with a run waiting, the first of ``replicas`` ends next; with none, wait for the longest."""
    waiting, elapsed = runs - replicas, Fraction(0)
    while waiting:
        elapsed += Fraction(1) / (replicas * speedup)
        waiting -= 1
    return elapsed + mean_longest(replicas) / speedup
