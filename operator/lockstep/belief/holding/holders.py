"""The gangs that hold nodes, and the effects of their members on other pods before watches show them."""

from collections.abc import Callable, Mapping

from coschedule import GangKey
from lockstep.belief.holding.coming_members import Coming, Holding
from lockstep.belief.holding.kept_room import with_kept_room
from lockstep.belief.holding.ledger import Ledger
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.holding.reserved_claims import ReservedClaims
from lockstep.belief.holding.unseen_members import UnseenMembers
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.pod import PodFact, PodKey


class Holders:
    """The gangs that hold nodes. A caller that enters a reservation must remove it, too.

    ``touched`` is called with nodes on which members' claims have changed. ``unseen``: members that no watch has shown.
    ``coming``: members that are not bound yet, as entries among the pods. ``claims``: the claims that reserved members
    use. ``with_anti_affinity``: gangs whose members have anti-affinity.
    """

    def __init__(
        self,
        gangs: Mapping[GangKey, GangFact],
        reservations: dict[GangKey, Reservation],
        ledger: Ledger,
        *,
        touched: Callable[..., None],
    ) -> None:
        self._gangs = gangs
        self._touched = touched
        self.reservations = reservations
        self.unseen = UnseenMembers()
        self.coming = Coming(self._held, ledger)
        self.claims = ReservedClaims()
        self.with_anti_affinity: set[GangKey] = set()

    def enter(self, reservation: Reservation, *, is_seen: Callable[[PodKey], bool]) -> None:
        """Enter a reservation; ``is_seen`` says whether a watch has shown the pod of that name."""
        self.reservations[reservation.gang] = reservation
        self.unseen.expect(reservation, is_seen=is_seen)
        self.gang_changed(reservation.gang)

    def gang_changed(self, gang: GangKey) -> None:
        """Update the entries of a gang whose spec may have changed."""
        held = self._held(gang)
        if held is None:
            return
        self.coming.touch(gang)
        self._touched(*self.claims.enter(*held))
        if held.gang.spec and any(role.pod_affinity.apart for role in held.gang.spec.roles):
            self.with_anti_affinity.add(gang)

    def touch(self, gang: GangKey) -> None:
        """Note that a member of that gang has changed, or is gone."""
        if gang in self.reservations:
            self.coming.touch(gang)

    def as_counted(self, pod: PodFact) -> PodFact:
        """The pod, with the request that counts on its node."""
        held = None if pod.member is None else self._held(pod.member.gang)
        return pod if held is None else with_kept_room(pod, held.gang, held.reservation)

    def leave(self, gang: GangKey) -> Reservation | None:
        """Remove the gang's reservation and return it."""
        reservation = self.reservations.pop(gang, None)
        if reservation is not None:
            self.unseen.forget(gang)
            self.coming.forget(gang)
            self.with_anti_affinity.discard(gang)
            self._touched(*self.claims.leave(gang))
        return reservation

    def _held(self, gang: GangKey) -> Holding | None:
        known, reservation = self._gangs.get(gang), self.reservations.get(gang)
        return None if known is None or reservation is None else Holding(known, reservation)
