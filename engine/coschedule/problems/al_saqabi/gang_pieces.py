"""Pieces on a gang of nodes: a job of X pieces where each used node costs time, and nodes have starts and windows.

Objective: over all counts x_i <= slots_i that sum to X, minimise
start + load * seconds_per_piece + fixed + per_member * P. Node i does x_i pieces, has slots_i slots and the slow-down
e_i. P is the number of nodes used, start the latest start among them, and load the largest x_i * e_i. If the slow-down
of a node depends on the count, e_i is its slow-down for x_i. The job must end before the window of any used node
closes. This generalises [S 4.1] to clusters.

Theorem: the room of a node at a load is the largest x_i that the node ends within the load. For a given start and a
given P, the best load is the least one at which the P largest rooms hold X pieces. If a node closes too early for this
load, it closes too early for all larger loads. So the search drops such nodes and repeats, until it has the least load
that works.

Method: branch and bound over starts and P, in gang_search.py.

Ties: earlier finish, then fewer nodes, then earlier start, then larger rooms, then lower indices.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import IntArray, Number, as_number
from coschedule.problems.al_saqabi.compress import fill_largest
from coschedule.problems.al_saqabi.gang_search import StartAndSize, search
from coschedule.problems.al_saqabi.offer_refusals import FewerSlotsThanPieces, NoNodesTogether, NoRoom
from coschedule.problems.al_saqabi.offers import Offers, PiecesJob, lay_out_offers
from coschedule.problems.node import Node


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GangPieces:
    """Node i gets ``counts[i]`` pieces, int64[i], read-only; times are seconds after the request.

    Among the ``size`` used nodes, node ``latest`` starts last, and node ``slowest`` takes longest for its pieces. Among
    equal nodes, the lowest index is given.
    """

    finish: Number
    start: Number
    counts: IntArray
    size: int
    latest: int
    slowest: int

    def __post_init__(self) -> None:
        self.counts.flags.writeable = False


def place_pieces(
    nodes: Sequence[Node], job: PiecesJob, *, fewest: int = 1, most: int | None = None
) -> GangPieces | NoRoom:
    """Divide the pieces of ``job`` among ``nodes`` for the earliest finish; the module explains method and ties.

    ``slots`` bounds the pieces on a node. From ``fewest`` to ``most`` nodes are used; ``most`` is all nodes if None.
    Exact when all numbers are rational, otherwise float64. InvalidValueError when ``fewest`` is below 1. Complexity:
    gang_search.py.
    """
    if fewest < 1:
        raise InvalidValueError("fewest", "must be at least 1")
    slots = sum(count for node in nodes for _, count in node.slowdown_steps())
    if slots < job.pieces:
        return FewerSlotsThanPieces(pieces=job.pieces, slots=slots)
    exact = job.is_exact and all(node.is_exact for node in nodes)
    offers = lay_out_offers(nodes, job, exact=exact)
    choice = search(offers, job, fewest=fewest, most=len(nodes) if most is None else most)
    if choice is None:
        return NoNodesTogether(pieces=job.pieces)
    return _gang(offers, choice, _fill(choice, job.pieces))


def _fill(choice: StartAndSize, pieces: int) -> IntArray:
    """Return each node's pieces: the ``size`` largest rooms get one each, and the rest fills the largest of them."""
    largest = np.sort(np.argsort(-choice.room, kind="stable")[: choice.size])
    rest = fill_largest(choice.room[largest] - 1, pieces - choice.size)
    assert rest is not None, "a choice holds all pieces"
    counts = np.zeros_like(choice.room)
    counts[largest] = rest + 1
    return counts


def _gang(offers: Offers, choice: StartAndSize, counts: IntArray) -> GangPieces:
    used = np.flatnonzero(counts)
    return GangPieces(
        finish=as_number(choice.finish),
        start=as_number(choice.start),
        counts=counts,
        size=choice.size,
        latest=int(used[np.argmax(offers.start_rank[used])]),
        slowest=max(used.tolist(), key=lambda node: (offers.time(node, int(counts[node])), -node)),
    )
