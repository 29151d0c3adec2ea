"""Bounds on the merit of runs in many domains at once, from the slots of the domains (``slots.by_domain``)."""

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.search.candidates import GangLoad
from coschedule.queue.search.finishes import first_in_time, seconds_until
from coschedule.queue.slots.by_domain import Instants, least_by_domain

_MOST_SPEEDS = 32
"""``least_sizes`` distinguishes at most this many ranges of slow-downs: each range takes a pass over all sizes."""


def best_of_each(first: FloatArray, second: FloatArray, instants: Instants) -> FloatArray:
    """Return the least pair (first[k], second[k]) at the instants of each domain: float[d, 2]."""
    least = least_by_domain(first, instants)
    ties = np.where(first == least[instants.owner], second, np.inf)
    return np.stack([least, least_by_domain(ties, instants)], axis=1)


def least_sizes(
    load: GangLoad, starts: FloatArray, slowdowns: FloatArray, slots: IntArray, deadline: float
) -> FloatArray:
    """Return a lower bound on the members of a run that ends by a deadline: float[k], inf where none does.

    The run starts at ``starts[k]`` on ``slots[k]`` slots, which all have a slow-down of ``slowdowns[k]`` or more.
    """
    least = np.full(len(starts), np.inf)
    seconds = seconds_until(deadline, starts)
    speeds, speed = np.unique(slowdowns, return_inverse=True)
    ranges = min(_MOST_SPEEDS, len(speeds))
    range_of = speed * ranges // max(1, len(speeds))
    sizes = np.append(load.sizes, np.inf)
    for number in range(ranges):
        fastest = float(speeds[-(-number * len(speeds) // ranges)])
        own = np.flatnonzero(range_of == number)
        least[own] = sizes[first_in_time(load.runs_at(fastest), seconds[own])]
    return np.where(least <= slots, least, np.inf)
