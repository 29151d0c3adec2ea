"""Why pieces went to so many nodes: what other numbers of nodes would have given.

Which nodes limit a gang stands in the gang itself: ``latest`` and ``slowest``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from coschedule.nodes import Node
from coschedule.numbers import Scalar
from coschedule.pieces.gang_pieces import GangPieces, place_pieces
from coschedule.pieces.offers import PiecesJob


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyPieces:
    """The best gangs of other sizes; None where there is none.

    ``runner_up`` has the best of all other sizes, ``one_fewer`` and ``one_more`` one node less and more.
    """

    runner_up: GangPieces | None
    one_fewer: GangPieces | None
    one_more: GangPieces | None


def why_pieces(gang: GangPieces, nodes: Sequence[Node], job: PiecesJob) -> WhyPieces:
    """Compare a gang that ``place_pieces`` chose with other sizes; four choices more, at the same cost each."""
    size = gang.size
    fewer, more = _best(nodes, job, 1, size - 1), _best(nodes, job, size + 1, len(nodes))
    return WhyPieces(
        runner_up=min((other for other in (fewer, more) if other), key=_rank, default=None),
        one_fewer=_best(nodes, job, max(size - 1, 1), size - 1),
        one_more=_best(nodes, job, size + 1, size + 1),
    )


def _best(nodes: Sequence[Node], job: PiecesJob, fewest: int, most: int) -> GangPieces | None:
    found = place_pieces(nodes, job, fewest=fewest, most=most)
    return found if isinstance(found, GangPieces) else None


def _rank(gang: GangPieces) -> tuple[Scalar, ...]:
    return gang.finish, gang.size, gang.start
