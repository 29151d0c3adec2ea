"""Gangs with a deadline: the fewest members that meet it."""

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.search.candidates import Candidate, GangLoad, SearchSpace
from coschedule.queue.slots.counts import count_outlasting

_STEPS_A_SIZE = 5_000
"""The least cost of searching one size, in steps of ``Effort``."""


def fewest_members(space: SearchSpace, load: GangLoad, *, among: IntArray, deadline: float) -> Candidate | None:
    """Find the candidate with the fewest members, then the earliest finish, that ends by ``deadline``.

    When the effort is over, any size that meets the deadline is taken.
    """
    if not (len(space.open_slots.slowdowns) and len(load.sizes)):
        return None
    possible = load.where(_soonest_by_size(space, load, among) <= deadline)
    for size in possible.sizes:
        if space.effort.is_over:
            return possible.where(possible.sizes >= size).best(space, among=among, limit=deadline)
        space.effort.spend(_STEPS_A_SIZE)
        candidate = possible.where(possible.sizes == size).best(space, among=among, limit=deadline)
        if candidate is not None:
            return candidate
    return None


def _soonest_by_size(space: SearchSpace, load: GangLoad, among: IntArray) -> FloatArray:
    """Return a lower bound on the finish of each size: its fastest run from the first instant with enough slots."""
    runs = load.runs_at(float(space.open_slots.slowdowns[0]))
    [slots] = count_outlasting(space.open_slots, np.array([runs.min()]), among=among)
    first = np.searchsorted(np.maximum.accumulate(slots), load.sizes)
    starts = np.append(space.instants[among], np.inf)[first]
    soonest: FloatArray = starts + runs
    return soonest
