"""The part of the work that is done, as members or the dealer of pieces report it."""

from collections.abc import Iterable

from lockstep.belief.gangs.piece_reads import PieceReads, piece_counts
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.pod import PodFact


def reported_part(gang: GangFact, reservation: Reservation, pods: Iterable[PodFact], pieces: PieceReads) -> str:
    """The part of the work that is done, as the dealer of the gang's pieces or else the attempt's members report it."""
    if gang.dealing is not None:
        return gang.dealing.part(piece_counts(gang, pieces, pods))
    return _reported_by_members(gang, reservation, pods)


def _reported_by_members(gang: GangFact, reservation: Reservation, pods: Iterable[PodFact]) -> str:
    """The part of the work that the attempt's members report as done: the least of all reports; '' without reports.

    If members come and go while others run, it is the most of all reports: a new member may report that it has done
    nothing.
    """
    attempt = reservation.attempt
    reported = (pod.progress for pod in pods if pod.progress and pod.member and pod.member.attempt == attempt)
    which = max if gang.status.member_changes else min
    return which(reported, key=float, default="")
