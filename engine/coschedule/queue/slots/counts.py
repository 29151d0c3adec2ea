"""The number of slots that last for some time from each possible start of a gang, by the speed of their nodes."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.slots.open_slots import OpenSlots


def count_outlasting(open_slots: OpenSlots, shortest: FloatArray, *, among: IntArray) -> IntArray:
    """Count the slots that last from each instant on, for each range of paces: int[range, k].

    ``among[k]`` is the index of an instant, rising. The paces are divided into ranges of about equal length, the
    fastest first. A slot is counted in its own range and in each slower range, if it lasts for ``shortest[range]``
    seconds. ``shortest`` never falls from one range to the next.
    """
    instants = open_slots.instants[among]
    first = np.searchsorted(instants, open_slots.times)[open_slots.begin]
    stays = open_slots.end == len(open_slots.times) - 1
    in_time = first < len(instants)
    staying, ending = np.flatnonzero(in_time & stays), np.flatnonzero(in_time & ~stays)
    ranges = np.arange(len(open_slots.slowdowns)) * len(shortest) // max(1, len(open_slots.slowdowns))
    rows = ranges[open_slots.pace]
    never = np.full(len(staying), len(instants))
    shape = len(shortest), len(instants)
    counted = _along_rows(rows[staying], first[staying], never, open_slots.total[staying], shape)
    _add_rows_up(counted)
    if len(ending):
        _add_ending(counted, open_slots, instants, shortest, _Ending(ending, rows[ending], first[ending]))
    return counted


class _Ending(NamedTuple):
    """Stretches that end: their indices, their ranges of paces, and the index of each one's first instant."""

    stretch: IntArray
    row: IntArray
    first: IntArray


def _add_ending(
    counted: IntArray, open_slots: OpenSlots, instants: FloatArray, shortest: FloatArray, left: _Ending
) -> None:
    """Add slots of stretches that end to ``counted``; ranges with the same shortest run are counted together."""
    _, alike = np.unique(shortest, return_index=True)
    groups = list(pairwise([*alike.tolist(), len(shortest)]))
    parts = []
    for row, next_row in groups:
        too_late = np.searchsorted(instants + shortest[row], open_slots.times, side="right")
        # Slots that are too short for these ranges are too short for all later ones.
        long = np.flatnonzero(left.first < too_late[open_slots.end[left.stretch]])
        left = _Ending(*(column[long] for column in left))
        stretch, rows, first = (column[left.row < next_row] for column in left)
        parts.append((np.maximum(rows, row), first, too_late[open_slots.end[stretch]], open_slots.total[stretch]))
    row_of, first_of, end_of, total_of = (np.concatenate(column) for column in zip(*parts, strict=True))
    by_row = _along_rows(row_of, first_of, end_of, total_of, (len(shortest), len(instants)))
    for row, next_row in groups:
        _add_rows_up(by_row[row:next_row])
    counted += by_row


def _along_rows(row: IntArray, first: IntArray, end: IntArray, total: IntArray, shape: tuple[int, int]) -> IntArray:
    """Sum ``total[i]`` in the columns from ``first[i]`` to before ``end[i]`` of row ``row[i]``."""
    rows, columns = shape
    width, size = columns + 1, rows * (columns + 1)
    gains = np.bincount(row * width + first, weights=total, minlength=size)
    gains -= np.bincount(row * width + end, weights=total, minlength=size)
    # Integers are added up several times as fast as floats.
    return gains.astype(np.int64).reshape(rows, width)[:, :columns].cumsum(axis=1)


def _add_rows_up(numbers: IntArray) -> None:
    """Add to each row all rows before it, in place."""
    np.add.accumulate(numbers, axis=0, out=numbers)
