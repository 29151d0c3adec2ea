"""Pieces on a gang of nodes: a job of X pieces when every node used costs something, and nodes have starts and windows.

Objective: over all counts x_i <= slots_i that sum to X, minimise
start + load * seconds_per_piece + fixed + per_member * P, where P is the number of nodes used, start the latest start
among them and load the largest x_i * e_i. (A node whose slow-down depends on the count has its own e_i for x_i.) All
must be over before any node used is taken back. Generalises [S 4.1] as a cluster needs it.

Theorem: for a start and a P only the least load matters at which the P largest rooms (the x_i that end within it) hold
X pieces. With windows: a node taken back too early for that load is too early for every larger one; dropping such nodes
and looking again ends at the least load that works.

Method: branch and bound over ranges of starts x ranges of P. Granting a range its earliest start, the nodes of its
latest, its smallest overhead and its largest P bounds every choice in it from below; the range whose bound comes first
is halved, and the first single start and P that comes first is the optimum.

Ties: earlier finish, then fewer nodes, then earlier start, then larger rooms, then lower indices.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coschedule.nodes import Node
from coschedule.numbers import IntArray, Number, Scalar, as_number
from coschedule.pieces.compress import fill_largest
from coschedule.pieces.offers import Offers, PiecesJob, lay_out_offers
from coschedule.pieces.refusal import NoRoom
from coschedule.pieces.threshold import least_time


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GangPieces:
    """Node i takes ``counts[i]`` pieces, int64[i], read-only; seconds after the request."""

    finish: Number
    start: Number
    counts: IntArray

    def __post_init__(self) -> None:
        self.counts.flags.writeable = False


def place_pieces(nodes: Sequence[Node], job: PiecesJob) -> GangPieces | NoRoom:
    """Spread the pieces of ``job`` over ``nodes`` for the earliest finish; module docstring: objective, method, ties.

    ``slots`` bounds the pieces on a node. Exact when every number is rational, otherwise float64.
    """
    slots = sum(places for node in nodes for _, places in node.slowdown_steps())
    if slots < job.pieces:
        return NoRoom(message=f"{job.pieces} pieces need as many slots and the nodes have {slots}")
    exact = job.is_exact and all(node.is_exact for node in nodes)
    choice = _Search(lay_out_offers(nodes, job, exact=exact), job).run()
    if choice is None:
        return NoRoom(message=f"no nodes are free together until {job.pieces} pieces are done")
    counts = fill_largest(choice.room, job.pieces)
    assert counts is not None, "a choice holds all pieces"
    return GangPieces(finish=as_number(choice.finish), start=as_number(choice.start), counts=counts)


class _Box(NamedTuple):
    """Starts of the ranks [first, last) and at least ``fewest``, at most ``most`` nodes."""

    first: int
    last: int
    fewest: int
    most: int

    @property
    def is_single(self) -> bool:
        return self.last - self.first == 1 and self.fewest == self.most

    def halves(self, *, by_start: bool) -> tuple["_Box", "_Box"]:
        """Split in two."""
        if by_start:
            middle = (self.first + self.last) // 2
            return self._replace(last=middle), self._replace(first=middle)
        middle = (self.fewest + self.most) // 2
        return self._replace(most=middle), self._replace(fewest=middle + 1)


class _Choice(NamedTuple):
    """A bound on all choices in a box, and when the box is single the best of them."""

    finish: Scalar
    start: Scalar
    room: IntArray


_Entry = tuple[tuple[Scalar, int, Scalar], _Box, _Choice]


class _Search:
    """The search for one job over what nodes offer."""

    def __init__(self, offers: Offers, job: PiecesJob) -> None:
        self._offers = offers
        self._job = job

    def run(self) -> _Choice | None:
        """Find the best choice of all; None when windows leave none."""
        queue: list[_Entry] = []
        nodes = len(self._offers.until)
        self._push(queue, _Box(0, len(self._offers.starts), 1, min(nodes, self._job.pieces)))
        while queue:
            _, box, choice = heapq.heappop(queue)
            if box.is_single:
                return choice
            for half in box.halves(by_start=self._is_wider_in_starts(box)):
                self._push(queue, half)
        return None

    def _is_wider_in_starts(self, box: _Box) -> bool:
        if box.last - box.first == 1 or box.fewest == box.most:
            return box.fewest == box.most
        starts = self._offers.starts
        return bool(starts[box.last - 1] - starts[box.first] >= self._job.per_member * (box.most - box.fewest))

    def _push(self, queue: list[_Entry], box: _Box) -> None:
        choice = self._best(box)
        if choice is not None:
            heapq.heappush(queue, ((choice.finish, box.fewest, choice.start), box, choice))

    def _best(self, box: _Box) -> _Choice | None:
        """Bound every choice in the box; the best choice when it is single."""
        offers, job = self._offers, self._job
        start = offers.starts[box.first]
        overhead = job.fixed + job.per_member * box.fewest
        within = offers.start_rank < box.last
        while True:
            most = np.where(within[offers.row_node], offers.row_last, 0)
            least = least_time(offers.loads, most, lambda counts: self._is_enough(counts, box.most))
            if least is None:
                return None
            load, counts = least
            finish: Scalar = start + load * job.seconds_per_piece + overhead
            late = within & (offers.until < finish)
            if not late.any():
                return _Choice(finish, start, offers.room(counts))
            within &= ~late

    def _is_enough(self, counts: IntArray, most_nodes: int) -> bool:
        """Whether the largest rooms hold all pieces; past 2**53 the sum is rounded, and far more than enough."""
        room = self._offers.room(counts)
        left_out = len(room) - most_nodes
        largest = np.partition(room, left_out)[left_out:] if left_out else room
        return bool(largest.sum(dtype=np.float64) >= self._job.pieces)
