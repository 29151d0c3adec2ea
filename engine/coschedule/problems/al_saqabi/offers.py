"""A job of pieces, and the offers of nodes for pieces, as columns.

Example: node 0 has the slow-downs 1, 1 and 2 with one, two and three pieces. Node 1 has two slots, and always the
slow-down 1. The rows have ``row_node`` [0, 0, 1], ``row_first`` [1, 3, 1] and ``row_last`` [2, 3, 2].
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import IntArray, Number, Vector
from coschedule.pieces.piece_times import PieceTimes, check_pieces, is_rational
from coschedule.problems.node import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class PiecesJob:
    """A job of equal pieces; times are seconds on an idle reference node. InvalidValueError for invalid values."""

    pieces: int
    seconds_per_piece: Number
    per_member: Number = 0
    fixed: Number = 0

    def __post_init__(self) -> None:
        check_pieces(self.pieces)
        if not 0 < self.seconds_per_piece < math.inf:
            raise InvalidValueError("seconds_per_piece", "must be above 0 and finite")
        for name in ("per_member", "fixed"):
            if not 0 <= getattr(self, name) < math.inf:
                raise InvalidValueError(name, "must be at least 0 and finite")

    @property
    def is_exact(self) -> bool:
        """Whether all numbers are rational."""
        return is_rational([self.seconds_per_piece, self.per_member, self.fixed])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Offers:
    """Axes: node i, start s, and row r. A row is a slow-down of a node; rows are sorted by node, then by slow-down.

    ``until`` and ``starts`` are in seconds after the request. ``starts`` rise, and node i starts at
    ``starts[start_rank[i]]``. A node whose slow-down depends on the count has several rows in ``piece_times``. Row r is
    of node ``row_node[r]``, for counts from ``row_first[r]`` to ``row_last[r]``. The rows of a node are consecutive,
    from ``first_row[i]`` on.
    """

    piece_times: PieceTimes
    row_node: IntArray
    row_first: IntArray
    row_last: IntArray
    first_row: IntArray
    until: Vector
    start_rank: IntArray
    starts: Vector

    def __post_init__(self) -> None:
        if not self.row_node.shape == self.row_first.shape == self.row_last.shape == self.piece_times.speed.shape:
            raise InvalidValueError("row_node", "must have one entry for each row")
        if not self.until.shape == self.start_rank.shape == self.first_row.shape:
            raise InvalidValueError("until", "must have one entry for each node")

    def room(self, counts: IntArray) -> IntArray:
        """Return the number of pieces done on each node, from the ``counts`` done on each row."""
        if len(self.row_node) == len(self.until):
            return counts
        return np.maximum.reduceat(np.where(counts >= self.row_first, counts, 0), self.first_row)

    def time(self, node: int, count: int) -> Number:
        """Return the time of ``count`` pieces on ``node``."""
        row = int(self.first_row[node])
        while self.row_last[row] < count:
            row += 1
        return self.piece_times.time(row, count)

    def only(self, nodes: IntArray) -> "Offers":
        """Return the offers of ``nodes``, which rise and get new numbers; ``starts`` do not change."""
        renumbered = np.full(len(self.until), -1)
        renumbered[nodes] = np.arange(len(nodes))
        rows = np.flatnonzero(renumbered[self.row_node] >= 0)
        row_node = renumbered[self.row_node[rows]]
        return Offers(
            piece_times=self.piece_times.only(rows),
            row_node=row_node,
            row_first=self.row_first[rows],
            row_last=self.row_last[rows],
            first_row=np.flatnonzero(np.diff(row_node, prepend=-1)),
            until=self.until[nodes],
            start_rank=self.start_rank[nodes],
            starts=self.starts,
        )


def lay_out_offers(nodes: Sequence[Node], job: PiecesJob, *, exact: bool) -> Offers:
    """Turn one or more nodes into columns; numbers are ints and fractions if ``exact``, else float64."""
    dtype = object if exact else np.float64
    steps = [(index, *step) for index, node in enumerate(nodes) for step in node.slowdown_steps()]
    row_node = np.array([index for index, _, _ in steps], dtype=np.int64)
    widths = np.minimum(np.array([count for _, _, count in steps], dtype=np.float64), job.pieces).astype(np.int64)
    first_row = np.flatnonzero(np.diff(row_node, prepend=-1))
    ends = np.cumsum(widths)
    ends_before = np.concatenate(([0], ends))[first_row]
    row_last = ends - ends_before[row_node]
    starts, start_rank = np.unique(np.array([node.start for node in nodes], dtype=dtype), return_inverse=True)
    return Offers(
        piece_times=PieceTimes.of_slowdowns([slowdown for _, slowdown, _ in steps], pieces=job.pieces, exact=exact),
        row_node=row_node,
        row_first=row_last - widths + 1,
        row_last=np.minimum(row_last, job.pieces),
        first_row=first_row,
        until=np.array([node.until for node in nodes], dtype=dtype),
        start_rank=start_rank,
        starts=starts,
    )
