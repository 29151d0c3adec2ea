"""The seats of a Gang's reservation that its pods have taken. Annotations of the pods have the ranks."""

from lockstep.belief.holding.ledger import Ledger
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.podgangs.pod_gangs import PodGangs
from lockstep.facts.pods.pod import Membership, PodFact


class Seats:
    """Finds the ranks of reservations that have bound pods."""

    def __init__(self, pod_gangs: PodGangs, ledger: Ledger) -> None:
        self._pod_gangs = pod_gangs
        self._ledger = ledger

    def bound(self, reservation: Reservation) -> set[int]:
        """The ranks whose pods are bound."""
        return {seat.rank for seat, _ in self._taken(reservation)}

    def staying(self, reservation: Reservation) -> set[int]:
        """The ranks whose pods are bound and are not being deleted."""
        return {seat.rank for seat, pod in self._taken(reservation) if not pod.is_deleting}

    def take(self, reservation: Reservation) -> set[int]:
        """Stop counting the seats whose pods are bound, since these pods count themselves. Returns their ranks."""
        bound = self.bound(reservation)
        for rank in bound:
            self._ledger.forget(reservation.membership(rank))
        return bound

    def _taken(self, reservation: Reservation) -> list[tuple[Membership, PodFact]]:
        """The seats with their pods on the reserved nodes: any user can write Lockstep's annotations to other pods."""
        node_of = reservation.nodes()
        seats = self._pod_gangs.seats(reservation.gang)
        return [(seat, pod) for seat, pod in seats if reservation.is_for(seat) and node_of[seat.rank] == pod.node]
