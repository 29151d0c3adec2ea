"""The part of the work that the members of an attempt report as done."""

from collections.abc import Iterable

from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.pods.pod import PodFact


def reported_part(reservation: Reservation, pods: Iterable[PodFact]) -> str:
    """The part of the work that the attempt's members report as done: the least of all; '' where none reports."""
    attempt = reservation.attempt
    said = (pod.progress for pod in pods if pod.progress and pod.member and pod.member.attempt == attempt)
    return min(said, key=float, default="")
