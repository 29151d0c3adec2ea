"""Compression: the fewest processors that finish a job of X pieces within a turn-around T [S 4.2].

Objective: processor i has the speed a_i and gets x_i pieces. Minimise the number of processors with x_i > 0, subject to
x_i / a_i <= T and sum x_i = X.

Theorem: processor i has room for at most floor(T * a_i) pieces. No k processors have more room than the k processors
with the most room. So the processors with the most room are used until X pieces fit. The Compression algorithm as
printed starts from the placement of the MTAT algorithm (``pieces.apportion``). It can end with too many processors
(Theorem 3 of the paper is wrong).

Pools: pieces of one architecture run in their own pool. The turn-around of the job is the largest turn-around of its
pools, and *all* pools are compressed at this turn-around. (Theorem 4 is wrong: pools that are compressed at their own
turn-around use too many processors.)

Method: sort, prefix sums. O(n log n). j pieces fit if j / a_i <= T. The comparison divides, as the floor of a product
of floats may be wrong.

Ties: processors with equal room are used in the order of their indices. Unused room is on the last processor used.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import IntArray, Number, Vector
from coschedule.pieces.apportion import apportion
from coschedule.pieces.piece_times import PieceTimes, check_pieces, check_speeds, is_rational
from coschedule.problems.al_saqabi.offer_refusals import NoRoom, TurnaroundTooShort


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Compression:
    """Processor i gets ``counts[i]`` pieces, int64[i], read-only; 0 where it is not in use."""

    counts: IntArray

    def __post_init__(self) -> None:
        self.counts.flags.writeable = False

    @property
    def processors(self) -> IntArray:
        """Indices of the processors in use, rising."""
        return np.flatnonzero(self.counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """``pieces`` that run only on processors of one architecture, and the ``speeds`` of these processors."""

    pieces: int
    speeds: Sequence[Number] | Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolsCompression:
    """The ``turnaround`` of the job, and the compression of each pool."""

    turnaround: Number
    pools: tuple[Compression, ...]


def compress(pieces: int, speeds: Sequence[Number] | Vector, turnaround: Number) -> Compression | NoRoom:
    """Put ``pieces`` on the fewest processors of ``speeds`` that finish within ``turnaround``.

    Units: one piece takes one unit of time on a processor of speed 1. Exact when all numbers are rational; otherwise
    the floats j / speeds[i] are compared. InvalidValueError unless pieces are from 1 to 10**15, and speeds and
    turn-around above 0 and finite. NoRoom when all processors together are too slow. O(n log n). The module explains
    method and ties, and names the source.
    """
    check_pieces(pieces)
    check_speeds(speeds)
    if not 0 < turnaround < float("inf"):
        raise InvalidValueError("turnaround", "must be above 0 and finite")
    exact = is_rational([turnaround]) and is_rational(speeds)
    return _compress(pieces, speeds, turnaround, exact=exact)


def _compress(
    pieces: int, speeds: Sequence[Number] | Vector, turnaround: Number, *, exact: bool
) -> Compression | NoRoom:
    room = PieceTimes.of_speeds(speeds, pieces=pieces, exact=exact).most_within(turnaround, pieces)
    counts = fill_largest(room, pieces)
    if counts is None:
        return TurnaroundTooShort(done=int(room.sum()), pieces=pieces, turnaround=turnaround)
    return Compression(counts=counts)


def compress_pools(pools: Sequence[Pool]) -> PoolsCompression:
    """Find the least turn-around of a job in ``pools`` of architectures, and the fewest processors that reach it.

    Units as in ``compress``, source [S 4.1, 4.2]. When one pool has a speed that is not rational, all are computed in
    floats. InvalidValueError as in ``compress``, with the pool in the path of the field, and for no pools. O(n log n)
    for n processors of all pools together.
    """
    if not pools:
        raise InvalidValueError("pools", "must hold at least one pool")
    for index, pool in enumerate(pools):
        _check(pool, f"pools[{index}]")
    exact = all(is_rational(pool.speeds) for pool in pools)
    speeds = [pool.speeds if exact else np.asarray(pool.speeds, dtype=np.float64) for pool in pools]
    turnaround = max(apportion(pool.pieces, own).turnaround for pool, own in zip(pools, speeds, strict=True))
    compressions = [
        _compress(pool.pieces, own, turnaround, exact=exact) for pool, own in zip(pools, speeds, strict=True)
    ]
    fitting = tuple(one for one in compressions if isinstance(one, Compression))
    assert len(fitting) == len(pools), "a pool does not keep its own turn-around"
    return PoolsCompression(turnaround=turnaround, pools=fitting)


def _check(pool: Pool, path: str) -> None:
    try:
        check_pieces(pool.pieces)
        check_speeds(pool.speeds)
    except InvalidValueError as error:
        raise InvalidValueError(f"{path}.{error.field}", error.message) from None


def fill_largest(room: IntArray, pieces: int) -> IntArray | None:
    """Return the pieces of each row, in the fewest rows that hold ``pieces``; None if all rows together hold fewer.

    Row r has at most ``room[r]`` pieces. The rows with most room are used, and among equal rows the first. The last row
    used gets the rest.
    """
    largest = np.sort(room)[::-1]
    # Only the first sum that is large enough is used. Later sums may overflow.
    held = np.cumsum(largest)
    enough = held >= pieces
    last = int(enough.argmax())
    if not enough[last]:
        return None
    smallest = largest[last]
    counts = np.where(room > smallest, room, 0)
    equal = np.flatnonzero(room == smallest)[: last + 1 - np.count_nonzero(counts)]
    counts[equal] = smallest
    counts[equal[-1]] -= held[last] - pieces
    return counts
