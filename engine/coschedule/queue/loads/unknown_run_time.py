"""Gangs of unknown run time start as early as possible, on slots without an end, with as many members as fit.

With pieces, they get the fewest members with which all pieces are done as early as with any number of members. That
number does not depend on how long a piece takes.
"""

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.pieces.fastest_nodes import SizeCosts, choose_size
from coschedule.queue.search.candidates import Candidate
from coschedule.queue.slots.counts import count_outlasting
from coschedule.queue.slots.open_slots import OpenSlots


def earliest_start(
    open_slots: OpenSlots, *, sizes: IntArray, pieces: int | None = None, among: IntArray
) -> Candidate | None:
    """Find the run at the first instant of ``among`` with enough slots without an end for one of ``sizes``.

    ``among`` are indices of instants. They rise, and so do ``sizes``. ``pieces``, if given, are divided among the
    members; no size exceeds ``pieces``.
    """
    if not sizes.size:
        return None
    staying = _staying(open_slots, among)
    enough = np.flatnonzero(staying.max(axis=0, initial=0) >= sizes[0])
    if not enough.size:
        return None
    first = enough[0]
    held = staying[:, first]
    sizes = sizes[sizes <= held[-1]]
    size = int(sizes[-1]) if pieces is None else _soonest_done(open_slots.slowdowns, held, sizes, pieces)
    start, pace = float(open_slots.instants[among[first]]), int(np.searchsorted(held, size))
    return Candidate(np.inf, size, start, pace, np.inf)


def _staying(open_slots: OpenSlots, among: IntArray) -> IntArray:
    """Count the slots without an end, up to each pace, from each instant on: int[t, k], never falling."""
    return count_outlasting(open_slots, np.full(len(open_slots.slowdowns), np.inf), among=among)


def _soonest_done(slowdowns: FloatArray, held: IntArray, sizes: IntArray, pieces: int) -> int:
    """Choose the fewest members with which all pieces are done earliest; each member gets at least one."""
    counts = np.diff(held, prepend=0)
    costs = SizeCosts(sizes, np.zeros(len(sizes)), np.ones(len(sizes)))
    best = choose_size(slowdowns, counts, pieces=pieces, seconds_per_piece=1.0, costs=costs)
    assert best is not None, "as many slots as members stay"
    return best.size
