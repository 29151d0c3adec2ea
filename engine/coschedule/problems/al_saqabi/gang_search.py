"""Branch and bound for pieces on a gang of nodes: over ranges of starts x ranges of the number P of nodes.

gang_pieces.py has the objective and the theorem. A range has a lower bound on its finish. The bound combines the
earliest start, the nodes that have started by the latest start, the smallest overhead and the largest P. The search
halves the range with the earliest bound. If this range is a single start and a single P, it is the optimum.

For each range, one choice is tried: the latest start and the largest P, with the load of the bound. It is possible if
enough windows are still open at its finish. The earliest finish of a possible choice so far is a limit. Ranges and
nodes that cannot finish by this limit are dropped. The load of a half is at least the load of the whole range. So the
search over the piece times of a half begins at the load of the whole range.

Cost: for each range, a search over piece times takes a few steps of O(nodes) each. Memory O(nodes + ranges).
"""

import heapq
import math
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray, Scalar
from coschedule.problems.al_saqabi.least_time import least_time
from coschedule.problems.al_saqabi.offers import Offers, PiecesJob

_ROUNDING = 2.0**-40
"""An upper bound on the relative error of a finish in floats: choices this close are not dropped."""

_FEW = 16
"""Up to this number of nodes, dropping some costs more than searching all."""

_WORTH_DROPPING = 0.8
"""Nodes are dropped if at most this part of them remains, since new columns have a cost."""


class StartAndSize(NamedTuple):
    """The best start, the best number ``size`` of nodes, and the finish with both.

    Node i can do ``room[i]`` pieces in time, 0 if it is not usable. At least ``size`` nodes can do a piece.
    """

    finish: Scalar
    start: Scalar
    size: int
    room: IntArray


def search(offers: Offers, job: PiecesJob, *, fewest: int, most: int) -> StartAndSize | None:
    """Return the best choice of ``fewest`` to ``most`` nodes with slots for all pieces; None if no choice exists."""
    every = _Box(0, len(offers.starts), fewest, min(most, len(offers.until), job.pieces))
    return _OfferSearch(offers, job).run(every) if every.fewest <= every.most else None


class _Box(NamedTuple):
    """A range: the starts with the indices [first, last), and from ``fewest`` to ``most`` nodes."""

    first: int
    last: int
    fewest: int
    most: int

    @property
    def is_single(self) -> bool:
        return self.last - self.first == 1 and self.fewest == self.most

    def halves(self, *, by_start: bool) -> tuple["_Box", "_Box"]:
        """Split the box in two, by starts or by the number of nodes."""
        if by_start:
            middle = (self.first + self.last) // 2
            return self._replace(last=middle), self._replace(first=middle)
        middle = (self.fewest + self.most) // 2
        return self._replace(most=middle), self._replace(fewest=middle + 1)


class _Bound(NamedTuple):
    """A lower bound on the load and the finish of all choices in a box; exact if the box has a single choice."""

    finish: Scalar
    load: Scalar


_Entry = tuple[tuple[Scalar, int, Scalar], _Box, _Bound]


class _OfferSearch:
    """The search for one job.

    Only the offers of ``_nodes`` remain, as ``_offers``. ``_latest`` is an upper bound on the best finish.
    """

    def __init__(self, offers: Offers, job: PiecesJob) -> None:
        self._all = offers
        self._job = job
        self._earliest = _earliest_finishes(offers, job)
        self._nodes = np.arange(len(offers.until))
        self._offers = offers
        self._latest: Scalar = math.inf
        self._queue: list[_Entry] = []

    def run(self, every: _Box) -> StartAndSize | None:
        """Halve the box with the earliest bound until it has a single choice; return this choice, or None."""
        self._push(every, 0)
        while self._queue:
            _, box, bound = heapq.heappop(self._queue)
            if box.is_single:
                return self._choice(box, bound)
            for half in box.halves(by_start=self._is_wider_in_starts(box)):
                self._push(half, bound.load)
        return None

    def _is_wider_in_starts(self, box: _Box) -> bool:
        if box.last - box.first == 1 or box.fewest == box.most:
            return box.fewest == box.most
        starts = self._all.starts
        return bool(starts[box.last - 1] - starts[box.first] >= self._job.per_member * (box.most - box.fewest))

    def _push(self, box: _Box, load: Scalar) -> None:
        """Queue a box whose load is at least ``load``, unless all its choices end too late."""
        found = self._bounded(box, load)
        if found is None:
            return
        bound, counts = found
        heapq.heappush(self._queue, ((bound.finish, box.fewest, self._all.starts[box.first]), box, bound))
        self._learn(box, bound.load, counts)

    def _bounded(self, box: _Box, load: Scalar) -> tuple[_Bound, IntArray] | None:
        """Return a bound on all choices in the box, and the pieces done by then; None if all choices end too late.

        The load of the box is at least ``load``. Nodes whose windows close before the bound are useless for all
        choices.
        """
        finish = self._finish(box.first, box.fewest, load)
        if finish > self._latest:
            return None
        offers = self._offers
        timely = offers.piece_times.most_by_key(self._largest_load(box), offers.row_last)
        within = offers.start_rank < box.last
        while finish <= self._latest:
            within &= offers.until >= finish
            most = np.where(within[offers.row_node], timely, 0)
            least = least_time(offers.piece_times, most, lambda counts: self._is_enough(counts, box), at_least=load)
            if least is None:
                return None
            load, counts = least
            finish = self._finish(box.first, box.fewest, load)
            if not (within & (offers.until < finish)).any():
                return _Bound(finish, load), counts
        return None

    def _largest_load(self, box: _Box) -> float:
        """Return an upper bound on the load of choices in the box that end by the latest finish."""
        left: Scalar = self._latest - self._finish(box.first, box.fewest, 0)
        return float((left + self._latest * _ROUNDING) / self._job.seconds_per_piece)

    def _finish(self, start_rank: int, nodes: int, load: Scalar) -> Scalar:
        job = self._job
        overhead = job.fixed + job.per_member * nodes
        return self._all.starts[start_rank] + load * job.seconds_per_piece + overhead

    def _is_enough(self, counts: IntArray, box: _Box) -> bool:
        """Return whether enough nodes have room, and the largest rooms hold all pieces.

        Above 2**53 the sum is rounded, but then it is far more than enough.
        """
        room = self._offers.room(counts)
        left_out = len(room) - box.most
        largest = np.partition(room, left_out)[left_out:] if left_out > 0 else room
        return bool(largest.sum(dtype=np.float64) >= self._job.pieces and np.count_nonzero(largest) >= box.fewest)

    def _learn(self, box: _Box, load: Scalar, counts: IntArray) -> None:
        """Lower the latest finish to the finish of one choice: the box's latest start and most nodes.

        Nothing changes if this choice finishes no sooner, or if windows close too early for it.
        """
        finish = self._finish(box.last - 1, box.most, load)
        if finish >= self._latest:
            return
        lasting = self._offers.until[self._offers.row_node] >= finish
        if self._is_enough(np.where(lasting, counts, 0), box):
            self._latest = finish
            self._drop_nodes()

    def _drop_nodes(self) -> None:
        """Drop nodes on which even a single piece ends too late."""
        if len(self._nodes) <= _FEW:
            return
        wanted = np.flatnonzero(self._earliest <= float(self._latest) * (1 + _ROUNDING))
        if len(wanted) <= _WORTH_DROPPING * len(self._nodes):
            self._nodes, self._offers = wanted, self._all.only(wanted)

    def _choice(self, box: _Box, bound: _Bound) -> StartAndSize:
        found = self._bounded(box, bound.load)
        assert found is not None, "the best box does not end too late"
        room = np.zeros(len(self._all.until), dtype=np.int64)
        room[self._nodes] = self._offers.room(found[1])
        return StartAndSize(bound.finish, self._all.starts[box.first], box.fewest, room)


def _earliest_finishes(offers: Offers, job: PiecesJob) -> FloatArray:
    """Return the earliest finish of a gang with one piece on node i; inf where that is after the node's window."""
    one = offers.piece_times.keys(offers.first_row, np.ones(len(offers.until), dtype=np.int64))
    start = offers.starts.astype(np.float64)[offers.start_rank]
    finish = start + one * float(job.seconds_per_piece) + float(job.fixed + job.per_member)
    usable = finish <= offers.until.astype(np.float64) * (1 + _ROUNDING)
    return np.where(usable, finish, math.inf)
