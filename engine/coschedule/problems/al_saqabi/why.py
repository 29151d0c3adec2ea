"""Why pieces use a number of nodes: the best results with other numbers of nodes."""

from collections.abc import Sequence

from coschedule.model.numbers import Scalar
from coschedule.problems.al_saqabi.gang_pieces import GangPieces, place_pieces
from coschedule.problems.al_saqabi.offers import PiecesJob
from coschedule.problems.node import Node
from coschedule.problems.other_sizes import Why, compare_sizes


def why_pieces(gang: GangPieces, nodes: Sequence[Node], job: PiecesJob) -> Why[GangPieces]:
    """Compare a gang that ``place_pieces`` chose with other sizes; this takes up to four calls of ``place_pieces``."""

    def best(fewest: int, most: int) -> GangPieces | None:
        found = place_pieces(nodes, job, fewest=fewest, most=most)
        return found if isinstance(found, GangPieces) else None

    return compare_sizes(gang.size, smallest=1, largest=len(nodes), best=best, rank=_rank)


def _rank(gang: GangPieces) -> tuple[Scalar, ...]:
    return gang.finish, gang.size, gang.start
