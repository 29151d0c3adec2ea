"""The part of the work that the members of an attempt report as done."""

from collections.abc import Iterable

from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.pod import PodFact


def reported_part(gang: GangFact, reservation: Reservation, pods: Iterable[PodFact]) -> str:
    """The part of the work that the attempt's members report as done: the least of all; '' where none reports.

    Where members come and go while others run, it is the most of all: a newcomer may report that it has done nothing.
    """
    attempt = reservation.attempt
    said = (pod.progress for pod in pods if pod.progress and pod.member and pod.member.attempt == attempt)
    which = max if gang.status.member_changes else min
    return which(said, key=float, default="")
