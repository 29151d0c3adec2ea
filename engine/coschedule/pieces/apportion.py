"""Minimum turn-around (MTAT): how many pieces each processor gets so that the last piece is done earliest [S 4.1].

Objective: X pieces are divided among n processors. Processor i has the speed a_i and gets x_i pieces. All
x_i are whole, at least 0, and sum to X. Minimise T = max x_i / a_i.

Theorem: T is the X-th smallest of all the times j / a_i, because processor i has done j pieces at the time j / a_i.
Jefferson's apportionment reaches T: it gives each piece to the processor with the least (x_i + 1) / a_i. The algorithm
of the paper does not reach T, as its Theorem 1 is wrong. It gives each processor the floor of its share. Then the
processors with the lowest values of *Drag* get one more piece each. A processor whose share is whole has the Drag 0, so
it gets this piece too early. Some processors would even need two more pieces.

Method: before the time X / sum(a), fewer than X pieces are done. At (X + n) / sum(a), at least X pieces are done. At
most 2n of the times j / a_i lie between these bounds, for any X. With many processors, interpolation brings the bounds
closer together, so that only a few times remain. The method selects T among these times, in O(n). The heap method
starts from the lower bound and gives the missing pieces one by one, in O(n log n).

Ties: among equal times, the processor with the lower index takes a piece first.

Example: 4 pieces, speeds 2 and 1. The times j / a_i are 0.5, 1, 1.5, ... and 1, 2, ...; the fourth smallest of all is
1.5. By then the first processor is done with 3 pieces and the second with 1.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coschedule.model.numbers import IntArray, Number, Vector
from coschedule.pieces.piece_times import PieceTimes, check_pieces, check_speeds, is_rational

_ROUNDING = 2.0**-46
"""An upper bound on the relative error of a sum of a few million floats, added pairwise, and of one division."""

_MANY = 1000
"""From this many processors on, narrowing the bounds costs less than listing all pieces between wide ones."""

_NEAR = 1 / 64
"""How far the narrowed bounds are from the likely turn-around, as a part of the distance between the first bounds."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Apportionment:
    """Processor i gets ``counts[i]`` pieces, int64[i], read-only; the last piece is done after ``turnaround``.

    Units: one piece takes one unit of time on a processor of speed 1.
    """

    turnaround: Number
    counts: IntArray

    def __post_init__(self) -> None:
        self.counts.flags.writeable = False


def apportion(pieces: int, speeds: Sequence[Number] | Vector) -> Apportionment:
    """Divide ``pieces`` among processors of ``speeds`` for the least turn-around; the module explains method and ties.

    For rational speeds the result is exact. Otherwise times are the floats j / speeds[i], and the result is exact for
    these floats. ``speeds`` may be an array, with one entry a processor. InvalidValueError unless pieces are from 1 to
    10**15 and speeds above 0 and finite. O(n), for any number of pieces.
    """
    return apportion_times(pieces, _piece_times(pieces, speeds))


def apportion_times(pieces: int, piece_times: PieceTimes) -> Apportionment:
    """Do the same as ``apportion`` with given ``piece_times``, which were made for at least as many pieces."""
    base, top = _bracket(piece_times, pieces)
    rows, counts = piece_times.between(base, top)
    keys = piece_times.keys(rows, counts)
    missing = pieces - int(base.sum())
    key = np.partition(keys, missing - 1)[missing - 1]
    given = np.bincount(rows[keys < key], minlength=len(base))
    tied = np.flatnonzero(keys == key)
    rank, times = piece_times.ranks(rows[tied], counts[tied])
    taken = np.argsort(rank, kind="stable")[: missing - int(given.sum())]
    given += np.bincount(rows[tied[taken]], minlength=len(base))
    given += base
    return Apportionment(turnaround=times[int(rank[taken[-1]])], counts=given)


def apportion_by_heap(pieces: int, speeds: Sequence[Number] | Vector) -> Apportionment:
    """Do the same as ``apportion`` by the other method: one piece at a time. O(n log n)."""
    piece_times = _piece_times(pieces, speeds)
    base, _ = _bracket(piece_times, pieces)
    counts = base.tolist()
    queue = [(piece_times.time(row, count + 1), row) for row, count in enumerate(counts)]
    heapq.heapify(queue)
    turnaround: Number = 0
    for _ in range(pieces - sum(counts)):
        turnaround, row = queue[0]
        counts[row] += 1
        heapq.heapreplace(queue, (piece_times.time(row, counts[row] + 1), row))
    return Apportionment(turnaround=turnaround, counts=np.array(counts, dtype=np.int64))


def _piece_times(pieces: int, speeds: Sequence[Number] | Vector) -> PieceTimes:
    check_pieces(pieces)
    check_speeds(speeds)
    return PieceTimes.of_speeds(speeds, pieces=pieces, exact=is_rational(speeds))


def _bracket(piece_times: PieceTimes, pieces: int) -> tuple[IntArray, IntArray]:
    """Return counts whose sum is below ``pieces``, and counts whose sum is not; few pieces lie between them."""
    total, processors = float(piece_times.speed.sum()), len(piece_times.speed)
    low = pieces / total * (1 - _ROUNDING)
    high = (pieces + processors) / total * (1 + _ROUNDING)
    base, top = piece_times.most_by_key(low, pieces), piece_times.most_by_key(high, pieces)
    if processors < _MANY:
        return base, top
    share = (pieces - int(base.sum())) / int((top - base).sum())
    for near in (share - _NEAR, share + _NEAR):
        counts = piece_times.most_by_key(low + min(max(near, 0.0), 1.0) * (high - low), pieces)
        if int(counts.sum()) < pieces:
            base = counts
        else:
            top = np.minimum(top, counts)
    return base, top
