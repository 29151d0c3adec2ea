"""Bounds on the merit of runs in many domains at once, from the slots of these (``slots.by_domain``)."""

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.candidates import GangLoad
from coschedule.queue.slots.by_domain import Instants, least_by_domain

_MOST_SPEEDS = 32
"""So many ranges of slow-downs at most are told apart where sizes are bounded: each takes a pass over all sizes."""

_ROUNDING = 2.0**-48
"""More than the relative error of a time."""


def best_of_each(first: FloatArray, second: FloatArray, instants: Instants) -> FloatArray:
    """Return of each domain the least pair (first[k], second[k]) at its instants: float[d, 2]."""
    least = least_by_domain(first, instants)
    ties = np.where(first == least[instants.owner], second, np.inf)
    return np.stack([least, least_by_domain(ties, instants)], axis=1)


def least_sizes(load: GangLoad, starts: FloatArray, slowdowns: FloatArray, slots: IntArray, deadline: float) -> FloatArray:
    """Bound from below how many members a run has that ends by a deadline: float[k], inf where none does.

    It starts at ``starts[k]`` on ``slots[k]`` slots, of which none has less than ``slowdowns[k]``.
    """
    least = np.full(len(starts), np.inf)
    budget = deadline - starts + abs(deadline) * _ROUNDING
    speeds, speed = np.unique(slowdowns, return_inverse=True)
    ranges = min(_MOST_SPEEDS, len(speeds))
    range_of = speed * ranges // max(1, len(speeds))
    sizes = np.append(load.sizes, np.inf)
    for number in range(ranges):
        fastest = float(speeds[-(-number * len(speeds) // ranges)])
        own = np.flatnonzero(range_of == number)
        least[own] = sizes[first_in_time(load.runs_at(fastest), budget[own])]
    return np.where(least <= slots, least, np.inf)


def first_in_time(runs: FloatArray, budget: FloatArray) -> IntArray:
    """Return the index of the first of the runs that takes no longer than each budget; their number if none does."""
    shortest = np.minimum.accumulate(runs)
    return np.searchsorted(-shortest, -budget)
