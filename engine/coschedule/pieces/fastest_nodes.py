"""Pieces on slots that are free together: how many of the fastest slots to use, and how many pieces each gets.

Objective: over the allowed sizes P minimise (load(P) * seconds_per_piece + overhead(P)) * weight(P). The P fastest
slots are used, each with at least one piece. load(P) is the least time in which they do all pieces, in units of one
piece on a reference node. It is at least the slow-down of the slowest slot. This is [S 4.1] with a gang's size and
overhead, and with weights for the cost of its seconds. Among equal costs, the size with the fewest members is chosen,
as in Compression [S 4.2].

Theorem: one more slot never makes the least time longer. An even share, X / (sum of speeds), is a lower bound on the
least time. So the time of one size is a lower bound for all smaller sizes. A size is ruled out if it cannot do X pieces
by the time at which its cost equals the best cost so far.

Method: compute one size exactly, raise the bounds, drop the sizes that are ruled out, and repeat until none is left.
Every other round takes the size with the least bound; the rounds between take sizes that are spread evenly. Slots are
grouped into classes of equal slow-down and never listed. O(sizes * classes) a round, few rounds.

Times are the floats j * slowdown, and are compared without tolerance.

Example: 5 pieces, one slot of slow-down 1 and one of 2. The first alone takes 5. Both take 4, with 4 pieces on the
first and 1 on the second, so without overhead size 2 is chosen.
"""

import math
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import numpy as np

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.pieces.apportion import apportion_times
from coschedule.pieces.piece_times import PieceTimes, check_pieces

_ROUNDING = 2.0**-40
"""An upper bound on the relative error of any sum, quotient or bound here."""

_GOLDEN_SECTION = (5**0.5 - 1) / 2
"""The fractional parts of its multiples are spread evenly, for any number of multiples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizedPieces:
    """The best number of members, and the seconds that the gang then runs."""

    seconds: float
    size: int


class SizeCosts(NamedTuple):
    """The sizes to choose from, and what their seconds cost: ``sizes`` rise and are at least 1.

    A gang of ``sizes[s]`` has an overhead of ``overheads[s]`` seconds, a finite number. Its cost is its seconds times
    ``weights[s]``, a number above 0. The least cost is the best.
    """

    sizes: IntArray
    overheads: FloatArray
    weights: FloatArray


def choose_size(
    slowdowns: FloatArray, counts: IntArray, *, pieces: int, seconds_per_piece: float, costs: SizeCosts
) -> SizedPieces | None:
    """Choose how many of the fastest slots run ``pieces``; the module explains the objective, the method and ties.

    ``counts[t]`` slots have the slow-down ``slowdowns[t]``. Slow-downs rise, and are above 0 and finite. Return None if
    the least size is above the number of slots or of pieces. InvalidValueError if pieces are not from 1 to 10**15, or
    if ``counts`` or overheads have the wrong shape.
    """
    _check(slowdowns, counts, pieces, costs)
    allowed = int(np.searchsorted(costs.sizes, min(int(counts.sum()), pieces), side="right"))
    if not allowed:
        return None
    sizes, overheads, weights = costs
    costs = SizeCosts(sizes[:allowed], overheads[:allowed], weights[:allowed])
    slots = _Slots.of(slowdowns, counts, pieces=pieces, largest=int(costs.sizes[-1]))
    return _search(slots, slots.candidates(costs), seconds_per_piece)


def divide_pieces(slowdowns: FloatArray, pieces: int) -> IntArray:
    """Divide ``pieces`` so that the largest count * slowdown is least; return ``counts[m]`` of each member, at least 1.

    ``slowdowns[m]`` are above 0 and finite, in any order. Each member gets one piece. Each further piece goes to the
    member that would end it earliest, and among equal members to the first one. InvalidValueError unless pieces are at
    most 10**15 and members from 1 to ``pieces``. Takes rounds of O(members). Each round but the last finds members that
    are too slow for a second piece.
    """
    check_pieces(pieces)
    if not 1 <= len(slowdowns) <= pieces:
        raise InvalidValueError("slowdowns", f"must have from 1 to {pieces} entries, one for each member")
    piece_times = PieceTimes.of_slowdowns(slowdowns, pieces=pieces, exact=False)
    counts = np.ones(len(slowdowns), dtype=np.int64)
    sharing = np.arange(len(slowdowns))
    while sharing.size:
        left = pieces - (len(slowdowns) - len(sharing))
        given = apportion_times(left, piece_times.only(sharing)).counts
        if given.all():
            counts[sharing] = given
            break
        sharing = sharing[given > 0]
    return counts


def _check(slowdowns: FloatArray, counts: IntArray, pieces: int, costs: SizeCosts) -> None:
    check_pieces(pieces)
    if slowdowns.ndim != 1 or slowdowns.shape != counts.shape:
        raise InvalidValueError("counts", "must have one entry for each slow-down")
    if costs.sizes.ndim != 1 or costs.sizes.shape != costs.overheads.shape:
        raise InvalidValueError("overheads", "must have one entry for each size")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Slots:
    """Classes t of equal slots, fastest first: classes 0 to t together have ``ends[t]`` slots.

    ``piece_times`` has one row for each class.
    """

    piece_times: PieceTimes
    counts: IntArray
    ends: IntArray
    pieces: int

    @classmethod
    def of(cls, slowdowns: FloatArray, counts: IntArray, *, pieces: int, largest: int) -> "_Slots":
        """Return the fewest first classes that contain the ``largest`` fastest slots."""
        ends = np.cumsum(counts)
        classes = int(np.searchsorted(ends, largest)) + 1
        piece_times = PieceTimes.of_slowdowns(slowdowns[:classes], pieces=pieces, exact=False)
        return cls(piece_times=piece_times, counts=counts[:classes], ends=ends[:classes], pieces=pieces)

    def members(self, sizes: IntArray) -> IntArray:
        """Return how many of the ``sizes[s]`` fastest slots are in each class, int64[s, t]."""
        members: IntArray = np.clip(sizes[:, None] - (self.ends - self.counts), 0, self.counts)
        return members

    def candidates(self, costs: SizeCosts) -> "_Candidates":
        """Return lower bounds on the load of each size, by an even share and by the slowest member."""
        sizes = costs.sizes
        last = np.searchsorted(self.ends, sizes)
        speed = self.piece_times.speed
        together = np.cumsum(self.counts * speed)[last] - (self.ends[last] - sizes) * speed[last]
        slowest = self.piece_times.numerator[last]
        load = np.maximum(self.pieces / together * (1 - _ROUNDING), slowest)
        return _Candidates(sizes, costs.overheads, costs.weights, slowest, load)

    def least_time(self, size: int) -> float:
        """Return the least time in which the ``size`` fastest slots do all pieces; some slots may get no piece."""
        [members] = self.members(np.array([size]))
        speed = float(members @ self.piece_times.speed)
        base = self.piece_times.most_by_key(self.pieces / speed * (1 - _ROUNDING), self.pieces)
        top = self.piece_times.most_by_key((self.pieces + size) / speed * (1 + _ROUNDING), self.pieces)
        rows, counts = self.piece_times.between(base, np.where(members, top, base))
        times = self.piece_times.keys(rows, counts)
        order = np.argsort(times)
        done = np.cumsum(members[rows[order]])
        return float(times[order[np.searchsorted(done, self.pieces - int(members @ base))]])

    def may_finish(self, sizes: IntArray, limits: FloatArray) -> BoolArray:
        """Return whether the ``sizes[s]`` fastest slots may do all pieces within ``limits[s]``; False is certain."""
        each = np.floor(np.outer(limits, self.piece_times.speed * (1 + _ROUNDING)))
        done = np.einsum("st,st->s", each, self.members(sizes))
        enough: BoolArray = done >= self.pieces * (1 - _ROUNDING)
        return enough


class _Candidates(NamedTuple):
    """Sizes that may be best: size s has a load of at least ``load[s]``, and a slot of the slow-down ``slowest[s]``."""

    members: IntArray
    overhead: FloatArray
    weight: FloatArray
    slowest: FloatArray
    load: FloatArray

    def bounds(self, seconds_per_piece: float) -> FloatArray:
        """Return a lower bound on the cost of each size, its seconds times its weight."""
        return (self.load * seconds_per_piece + self.overhead) * self.weight

    def only(self, kept: BoolArray) -> "_Candidates":
        """Keep the sizes for which ``kept``, bool[s], is True."""
        members, overhead, weight, slowest, load = self
        return _Candidates(members[kept], overhead[kept], weight[kept], slowest[kept], load[kept])


class _BestNodes(NamedTuple):
    """A size and its cost, which is ``seconds`` times the weight of the size; the least tuple is the best."""

    cost: float
    size: int
    seconds: float


def _search(slots: _Slots, left: _Candidates, seconds_per_piece: float) -> SizedPieces:
    best = _BestNodes(cost=math.inf, size=0, seconds=math.inf)
    for turn in count():
        if not left.members.size:
            break
        chosen = _next(left, seconds_per_piece, turn)
        size = int(left.members[chosen])
        least = slots.least_time(size)
        run = float(max(least, left.slowest[chosen]) * seconds_per_piece + left.overhead[chosen])
        best = min(best, _BestNodes(cost=run * float(left.weight[chosen]), size=size, seconds=run))
        np.maximum(left.load[: chosen + 1], least, out=left.load[: chosen + 1])
        left = _better(slots, left, best, seconds_per_piece)
    return SizedPieces(seconds=best.seconds, size=best.size)


def _next(left: _Candidates, seconds_per_piece: float, turn: int) -> int:
    """Return the index of the size to compute next.

    Even turns take the size with the least bound. Odd turns take a size from an even spread. If the bounds of many
    sizes nearly tie, the least bound alone would rule out one size at a time.
    """
    if turn % 2:
        return int(turn * _GOLDEN_SECTION % 1 * left.members.size)
    return int(np.argmin(left.bounds(seconds_per_piece)))


def _better(slots: _Slots, left: _Candidates, best: _BestNodes, seconds_per_piece: float) -> _Candidates:
    """Keep the sizes that may still be better than ``best``."""
    bounds = left.bounds(seconds_per_piece)
    left = left.only((bounds < best.cost) | (bounds == best.cost) & (left.members < best.size))
    if not left.members.size:
        return left
    limits = (best.cost / left.weight * (1 + _ROUNDING) - left.overhead) / seconds_per_piece
    return left.only(slots.may_finish(left.members, limits))
