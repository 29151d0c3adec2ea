"""Whether the pieces of a gang with a dealer let it end: the gang is complete if few enough of them have failed.

Too many failed pieces end the gang at once. A member has ended once its pod has, and the dealer ends before the pod of
rank 0 does. So its last counts are in that pod whenever all members have ended. If they are missing there, or pieces
are open, the gang is restarted, and only what is not known to be settled is dealt again.
"""

from dataclasses import replace
from enum import Enum, auto

from lockstep.belief.gangs.piece_reads import piece_counts
from lockstep.belief.state import State
from lockstep.cycle.ends.failure_policy import FailureAction, restarted
from lockstep.facts.gang.dealing import DealingSpec
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.policies import Action
from lockstep.facts.piece_states import PieceCounts
from lockstep.facts.reasons import Reason
from lockstep.report.text.sentences import listed, n_pieces


class PiecesSay(Enum):
    """What the pieces say of the end of a gang, where they do not fail it."""

    GO_ON = auto()
    MAY_END = auto()


def what_pieces_say(state: State, gang: GangFact, *, members_have_succeeded: bool) -> PiecesSay | FailureAction:
    """Whether the gang may end as its members have ended, goes on, or fails."""
    dealing = None if gang.spec is None else gang.spec.dealing
    if dealing is None:
        return PiecesSay.MAY_END
    counts = counts_of(state, gang)
    if dealing.too_many_failed(counts):
        return FailureAction(Action.FAIL_GANG, Reason.PIECES_FAILED, _failed(dealing, counts))
    if not members_have_succeeded:
        return PiecesSay.GO_ON
    if dealing.are_settled(counts):
        return PiecesSay.MAY_END
    left = dealing.pieces - counts.settled
    why = f"all members have ended well, but {left} of {n_pieces(dealing.pieces)} are not known to be done"
    return restarted(why, gang.policies.failure, gang.status.restarts)


def with_pieces(state: State, gang: GangFact) -> GangFact:
    """The gang with the latest counts in its status, so that each report has them. Others stay as they are."""
    if gang.spec is None or gang.spec.dealing is None:
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
