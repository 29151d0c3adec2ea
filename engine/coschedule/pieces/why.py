"""Why pieces went to so many nodes: what other numbers of nodes would have given (``coschedule.why``)."""

from collections.abc import Sequence

from coschedule.nodes import Node
from coschedule.numbers import Scalar
from coschedule.pieces.gang_pieces import GangPieces, place_pieces
from coschedule.pieces.offers import PiecesJob
from coschedule.why import Why, compare_sizes


def why_pieces(gang: GangPieces, nodes: Sequence[Node], job: PiecesJob) -> Why[GangPieces]:
    """Compare a gang that ``place_pieces`` chose with other sizes; four choices more, at the same cost each."""

    def best(fewest: int, most: int) -> GangPieces | None:
        found = place_pieces(nodes, job, fewest=fewest, most=most)
        return found if isinstance(found, GangPieces) else None

    return compare_sizes(gang.size, smallest=1, largest=len(nodes), best=best, rank=_rank)


def _rank(gang: GangPieces) -> tuple[Scalar, ...]:
    return gang.finish, gang.size, gang.start
