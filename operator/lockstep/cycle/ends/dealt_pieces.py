"""How a gang with a dealer ends, according to its pieces.

Too many failed pieces end the gang at once. Otherwise the end of rank 0 decides. A member has ended when its pod has
ended, and the dealer ends before the pod of rank 0. So the pod of rank 0 has the dealer's last counts. If pieces are
then not known to be settled, the failure policy restarts the gang, and only these pieces are dealt again. If all pieces
are settled, the gang is complete, and running members have one more minute (``late_members.py``).
"""

from dataclasses import replace
from enum import Enum, auto

from lockstep.act.requests.progress import Progress
from lockstep.api.members.dealer import FIRST_RANK
from lockstep.belief.gangs.piece_reads import has_no_dealer_any_more, piece_counts
from lockstep.belief.state import State
from lockstep.cycle.ends.failure_policy import FailureAction, restarted
from lockstep.facts.gang.dealing import DealingSpec
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.policies import Action
from lockstep.facts.piece_states import PieceCounts
from lockstep.facts.reasons import Reason
from lockstep.report.text.sentences import listed, n_pieces


class PiecesSay(Enum):
    """What the pieces mean for the end of a gang.

    ``NOTHING``: no dealer has the pieces. ``GO_ON``: the gang goes on. ``DONE``: the gang has succeeded.
    """

    NOTHING = auto()
    GO_ON = auto()
    DONE = auto()


def what_pieces_say(state: State, gang: GangFact, counts: Progress) -> PiecesSay | FailureAction:
    """What the pieces and the end of the dealer beside rank 0 mean for the gang.

    ``counts`` is the progress of its members. A FailureAction fails or restarts the gang.
    """
    dealing = gang.dealing
    if dealing is None:
        return PiecesSay.NOTHING
    pieces = counts_of(state, gang)
    if dealing.too_many_failed(pieces):
        return FailureAction(Action.FAIL_GANG, Reason.PIECES_FAILED, _failed(dealing, pieces))
    if not has_no_dealer_any_more(gang, counts.succeeded_ranks):
        return PiecesSay.GO_ON
    if dealing.are_settled(pieces):
        return PiecesSay.DONE
    if counts.disrupted is not None:
        # The cluster takes members away, so the gang begins anew without counting a restart.
        return PiecesSay.GO_ON
    left = dealing.pieces - pieces.settled
    why = f"rank {FIRST_RANK} has succeeded, but {left} of {n_pieces(dealing.pieces)} are not known to be done"
    return restarted(why, gang.policies.failure, gang.status.restarts)


def with_pieces(state: State, gang: GangFact) -> GangFact:
    """The gang with the latest counts of pieces in its status, so that each report has them.

    A gang without pieces is returned unchanged.
    """
    if gang.dealing is None:
        return gang
    counts = counts_of(state, gang)
    return replace(gang, status=replace(gang.status, pieces=counts if counts.settled else gang.status.pieces))


def counts_of(state: State, gang: GangFact) -> PieceCounts:
    """The latest counts of the gang's pieces."""
    pods = (*state.members(gang).values(), *state.departed(gang).values())
    return piece_counts(gang, state.pieces, pods)


def _failed(dealing: DealingSpec, counts: PieceCounts) -> str:
    named = listed([str(piece) for piece in counts.first_failed])
    first = "the first are" if counts.failed > len(counts.first_failed) else "they are"
    of_all = f"{counts.failed} of {n_pieces(dealing.pieces)} failed"
    return f"{of_all}, and maxFailedPieces allows {dealing.most_failed}; {first} {named}"
