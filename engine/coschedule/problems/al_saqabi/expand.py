"""Expansion: the free part of the allocation map that is best for a job [S 4.3].

Objective: a regular pattern is a set W of slices, and processors that are free in all slices of W. The map has t
slices. Minimise the job's own turn-around T * t / |W|, where T is the turn-around of ``apportion`` on these processors.
Or maximise the pattern's size, |W| times the sum of its speeds, as the paper does. The largest pattern may not be the
best one for a job.

Theorem: more slices or processors never hurt. So the best pattern has all processors that are free in all slices of W,
and all slices in which these processors are free. Slices with the same free processors belong together, and d kinds of
slices have 2**d choices.

Method: for d <= 12, compute for all choices at once the sum of speeds and the top speed (over supersets of bit masks).
An even share, and one piece on the fastest processor, are lower bounds on a turn-around. Choices are evaluated in the
order of this bound until it exceeds the best. Exact. For more kinds, use the paper's heuristic: for each slice, its
free processors and all slices in which these are free.

Ties: fewer slices, then earlier ones. The job gets the fewest processors of the pattern that reach its turn-around.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import FloatArray, IntArray, Number, Scalar, as_number
from coschedule.pieces.apportion import apportion_times
from coschedule.pieces.piece_times import PieceTimes, check_named_speeds, check_pieces, is_rational, uniform
from coschedule.problems.al_saqabi.compress import fill_largest
from coschedule.problems.al_saqabi.offer_refusals import NoRoom, NothingFree

MOST_KINDS = 12
"""With more kinds of slices, the search uses the paper's heuristic."""

_ROUNDING = 1e-9
"""Bounds are rounded: a choice is evaluated if its bound exceeds the best cost by at most this part of the cost."""


class ExpandObjective(StrEnum):
    """Which pattern is the best."""

    TURNAROUND = "turnaround"
    """The least turn-around of the job."""
    SIZE = "size"
    """The largest sum of speeds over all its slices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """A free pattern, ``slices`` x ``processors``, and how a job would use it.

    ``slices`` are indices, rising. ``processors`` are the sorted names of the processors that are free in all these
    slices. ``counts`` are the pieces on each processor in use. ``turnaround`` is T * slices of the map / slices of the
    pattern. ``size`` is the sum of the speeds times the number of slices. If ``exact``, no pattern is better.
    """

    slices: tuple[int, ...]
    processors: tuple[str, ...]
    counts: Mapping[str, int]
    turnaround: Number
    size: Number
    exact: bool


def expand(
    free_by_slice: Sequence[Collection[str]],
    speeds: Mapping[str, Number],
    pieces: int,
    *,
    objective: ExpandObjective = ExpandObjective.TURNAROUND,
) -> Expansion | NoRoom:
    """Find the best free pattern for a job of ``pieces``, given the names that are free in each slice.

    Exact when all speeds are rational, otherwise float64. InvalidValueError for a name without a speed and for values
    that ``apportion`` refuses. O(2**d) sums of speeds, d <= 12, and one apportionment for each choice that its bound
    does not rule out. O(slices**2 * processors) with more kinds of slices.
    """
    _check(free_by_slice, speeds, pieces)
    kinds = _kinds(free_by_slice)
    if not kinds:
        return NothingFree(slices=len(free_by_slice))
    job = _Job.of(pieces, uniform(speeds), slices=len(free_by_slice), objective=objective)
    exact = len(kinds) <= MOST_KINDS
    best = _best(job, _promising(job, kinds)) if exact else _best(job, _by_slice(job, kinds))
    return job.expansion(best, exact=exact)


def _check(free_by_slice: Sequence[Collection[str]], speeds: Mapping[str, Number], pieces: int) -> None:
    check_pieces(pieces)
    check_named_speeds(speeds)
    for index, names in enumerate(free_by_slice):
        for name in names:
            if name not in speeds:
                raise InvalidValueError(f"free_by_slice[{index}]", f"names {name}, which has no speed")


class _Kind(NamedTuple):
    """The slices in which exactly the processors ``free`` are free."""

    free: frozenset[str]
    slices: tuple[int, ...]


class _Pattern(NamedTuple):
    """Slices and rows, both rising, such that the processors of the rows are free in all the slices.

    ``bound`` is a lower bound on the cost of the pattern, apart from rounding.
    """

    slices: tuple[int, ...]
    rows: IntArray
    bound: float


def _kinds(free_by_slice: Sequence[Collection[str]]) -> list[_Kind]:
    slices: dict[frozenset[str], list[int]] = {}
    for index, names in enumerate(free_by_slice):
        if names:
            slices.setdefault(frozenset(names), []).append(index)
    return [_Kind(free, tuple(indices)) for free, indices in slices.items()]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Job:
    """A job that needs a pattern in a map of ``slices`` slices; row r is the processor ``names[r]``, names rising."""

    pieces: int
    names: tuple[str, ...]
    speeds: tuple[Number, ...]
    piece_times: PieceTimes
    slices: int
    objective: ExpandObjective

    @classmethod
    def of(cls, pieces: int, speeds: Mapping[str, Number], *, slices: int, objective: ExpandObjective) -> "_Job":
        names = tuple(sorted(speeds))
        own = tuple(speeds[name] for name in names)
        piece_times = PieceTimes.of_speeds(own, pieces=pieces, exact=is_rational(own))
        return cls(pieces=pieces, names=names, speeds=own, piece_times=piece_times, slices=slices, objective=objective)

    def alone(self, pattern: _Pattern) -> Number:
        """Return how long the job takes on the pattern's processors when it has all slices."""
        return apportion_times(self.pieces, self.piece_times.only(pattern.rows)).turnaround

    def turnaround(self, pattern: _Pattern, alone: Scalar) -> Scalar:
        return alone * self.slices / len(pattern.slices)

    def size(self, pattern: _Pattern) -> Scalar:
        return sum(self.speeds[row] for row in pattern.rows) * len(pattern.slices)

    def cost(self, pattern: _Pattern) -> Scalar:
        """Return the cost of a pattern, to be minimised: the turn-around, or minus the size."""
        if self.objective is ExpandObjective.SIZE:
            return -self.size(pattern)
        return self.turnaround(pattern, self.alone(pattern))

    def bounds(self, widths: IntArray, sums: FloatArray, fastest: FloatArray) -> FloatArray:
        """Return lower bounds, apart from rounding, on the cost of patterns by width, sum of speeds and top speed."""
        if self.objective is ExpandObjective.SIZE:
            return -widths * sums
        alone: FloatArray = np.maximum(self.pieces / sums, 1 / fastest)
        return alone * self.slices / widths

    def expansion(self, pattern: _Pattern, *, exact: bool) -> Expansion:
        alone = self.alone(pattern)
        counts = fill_largest(self.piece_times.only(pattern.rows).most_within(alone, self.pieces), self.pieces)
        assert counts is not None, "a pattern keeps its own turn-around"
        processors = tuple(self.names[row] for row in pattern.rows)
        return Expansion(
            slices=pattern.slices,
            processors=processors,
            counts={name: count for name, count in zip(processors, counts.tolist(), strict=True) if count},
            turnaround=as_number(self.turnaround(pattern, alone)),
            size=as_number(self.size(pattern)),
            exact=exact,
        )


def _best(job: _Job, patterns: Iterable[_Pattern]) -> _Pattern:
    """Return the pattern of least cost; the module has the order of ties. ``patterns`` must have rising bounds."""
    best: tuple[tuple[Scalar, int, tuple[int, ...]], _Pattern] | None = None
    for pattern in patterns:
        if best is not None and pattern.bound > best[0][0] + _ROUNDING * abs(best[0][0]):
            break
        order = (job.cost(pattern), len(pattern.slices), pattern.slices)
        if best is None or order < best[0]:
            best = (order, pattern)
    assert best is not None, "there is a free processor"
    return best[1]


def _promising(job: _Job, kinds: Sequence[_Kind]) -> Iterator[_Pattern]:
    """Generate a pattern for each choice of kinds that share a free processor, bounds rising."""
    masks = np.array([sum((name in kind.free) << bit for bit, kind in enumerate(kinds)) for name in job.names])
    choices = np.arange(1 << len(kinds))
    widths, sums, fastest = np.zeros_like(choices), np.zeros(len(choices)), np.zeros(len(choices))
    np.add.at(sums, masks, job.piece_times.speed)
    np.maximum.at(fastest, masks, job.piece_times.speed)
    for bit, kind in enumerate(kinds):
        chosen = choices >> bit & 1 == 1
        widths[chosen] += len(kind.slices)
        sums[~chosen] += sums[chosen]
        fastest[~chosen] = np.maximum(fastest[~chosen], fastest[chosen])
    shared = choices[(sums > 0) & (choices > 0)]
    bounds = job.bounds(widths[shared], sums[shared], fastest[shared])
    for index in np.argsort(bounds, kind="stable"):
        choice = int(shared[index])
        slices = sorted(at for bit, kind in enumerate(kinds) if choice >> bit & 1 for at in kind.slices)
        yield _Pattern(tuple(slices), np.flatnonzero(masks & choice == choice), float(bounds[index]))


def _by_slice(job: _Job, kinds: Sequence[_Kind]) -> Iterator[_Pattern]:
    """Generate the paper's patterns, without bounds: a slice's free processors, in all slices where these are free."""
    for kind in kinds:
        slices = sorted(at for other in kinds if kind.free <= other.free for at in other.slices)
        rows = np.flatnonzero([name in kind.free for name in job.names])
        yield _Pattern(tuple(slices), rows, -math.inf)
