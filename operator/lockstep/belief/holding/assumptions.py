"""What the cache assumes beyond its facts: members of attempts and next sizes of gangs count on their nodes.

Life of a reservation here::

    hold ──► every member: assumed ──a watch shows it bound──► confirmed ──it ends, or is gone──► released
      │                       │
      │                       ╰── it ends, or is gone, before that ──► released
      ╰── forget: the attempt is over, and whatever is still assumed is no longer counted

A caller of ``hold`` must call ``forget`` or ``let_go`` on every path. A confirmed member counts until its pod ends or
is gone.
"""

from coschedule import GangKey
from lockstep.belief.common.changed_keys import ChangedKeys
from lockstep.belief.gangs.giving_way import GivingWay
from lockstep.belief.holding.counts import Counts
from lockstep.belief.holding.leftovers import Leftover, Leftovers
from lockstep.belief.holding.pods import Pods
from lockstep.belief.holding.reservation import Reservation, next_in_status, reserved_in_status
from lockstep.belief.holding.unowned_reservations import UnownedReservations
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.ranks import has_rank


class Assumptions:
    """What gangs hold by their statuses or by decisions of this process, whether or not the pods exist.

    A process that does not lead decides nothing and requests nothing.
    """

    def __init__(self, counts: Counts, pods: Pods, giving_way: GivingWay, changes: ChangedKeys) -> None:
        self._ledger = counts.ledger
        self._roster = counts.roster
        self._holders = counts.holders
        self._next_sizes = counts.next_sizes
        self._seats = counts.seats
        self._pods = pods
        self._giving_way = giving_way
        self._changes = changes
        self._unowned = UnownedReservations()
        self.leftovers = Leftovers(self._ledger)
        self.leads = True

    def hold(self, reservation: Reservation) -> None:
        """Count an attempt's members on their nodes from now on, except ended ones, whether or not their pods exist."""
        departed = self._roster.departed(reservation.gang_uid)
        self._next_sizes.forget(reservation.gang)
        self._holders.enter(reservation, is_seen=lambda pod: pod in self._pods or pod in departed)
        for rank, role, node, pod in reservation.by_rank():
            known, member = self._pods.get(pod), reservation.membership(rank)
            if has_rank(reservation.succeeded_ranks, rank):
                continue
            if known is None or known.member != member or not known.has_ended:
                self._ledger.assume(member, node, reservation.requests[role])
            if known is not None:  # in a new process pods may come before their gang
                self._pods.count_again(known)
        self._changes.record_own_change()

    def read_status(self, before: GangFact | None, gang: GangFact) -> None:
        """Hold what a new status says. Without the lead, only statuses say what gangs hold."""
        held = self._holders.reservations.get(gang.key)
        if self.leads:
            self._unowned.compare(before, gang, held)
        elif held is not None and held != reserved_in_status(gang):
            self.forget(gang.key)
        self.hold_what_is_reserved(gang)

    def remove_gang(self, gang: GangFact) -> None:
        """Forget a gang that is gone.

        Its members may still exist. They count until a read of the API server shows which of them exist.
        """
        self._unowned.forget(gang.key)
        self.let_go(gang)
        self._next_sizes.forget(gang.key)
        self._roster.forget_departed(gang.uid)

    def has_unowned(self, gang: GangFact) -> bool:
        """Whether the status says that the gang holds nodes, though no process of Lockstep has reserved them."""
        return gang.key in self._unowned

    def hold_what_is_reserved(self, gang: GangFact) -> None:
        """Hold the reservation and the next size in the gang's status; after a restart, they are not held yet."""
        if gang.status.end is not None:
            self.let_go(gang)
            self._next_sizes.forget(gang.key)
            return
        reservation = reserved_in_status(gang)
        held = self._holders.reservations.get(gang.key)
        if reservation is not None and held is None:
            self.hold(reservation)
        elif reservation is not None and held is not None and _has_other_members(held, reservation):
            self._change_members(gang, held, reservation)
        held = self._holders.reservations.get(gang.key)
        if held is None or held.attempt == gang.status.attempt:
            self._next_sizes.read_status(gang.key, next_in_status(gang))

    def hold_what_pods_request(self, gang: GangFact) -> None:
        """Hold a Gang's seats with the requests of its pods: in a new process, pods may come after their Gang."""
        held, reserved = self._holders.reservations.get(gang.key), reserved_in_status(gang)
        if held is None or reserved is None:
            return
        if not gang.status.is_being_undone:
            # The requests are unknown while no pod waits, for example before a sized Job has its pods.
            reserved = reserved.with_known_requests(held)
        if held.requests != reserved.requests:
            self.forget(gang.key)
            self.hold(reserved)
            self._seats.take(reserved)

    def keep_room(self, following: Reservation) -> None:
        """Count the members of a gang's next size from now on, beside the members that are being ended."""
        self._next_sizes.decide(following)
        self._changes.record_change_for_plan()

    def forget(self, gang: GangKey) -> None:
        """End a reservation whose members do not exist: members that no watch has confirmed no longer count."""
        reservation = self._leave(gang)
        if reservation is not None:
            self._stop_counting(reservation)

    def let_go(self, gang: GangFact) -> None:
        """End a reservation whose members may exist: they count until a read of the API server shows which exist."""
        reservation = self._leave(gang.key)
        if reservation is not None:
            self._leave_behind(gang, reservation)
            self._changes.record_change_for_plan()

    def stop_counting_leftover(self, one: Leftover) -> None:
        """Stop counting a leftover of an attempt, once the cache has all of its members that exist."""
        self._stop_counting(one.reservation, keep=self._holders.reservations.get(one.gang.key))

    def _change_members(self, gang: GangFact, before: Reservation, after: Reservation) -> None:
        """Hold the members in the new status of the same attempt: some have come or gone, or are to join.

        A member that leaves is counted while its pod exists. If no watch has shown its pod, it is counted until a read
        of the API server shows whether the pod exists.
        """
        self._next_sizes.forget(after.gang)
        self._roster.forget_departed(after.gang_uid, keep={*before.pod_keys()} & {*after.pod_keys()})
        departed = self._roster.departed(after.gang_uid)
        self._holders.enter(after, is_seen=lambda pod: pod in self._pods or pod in departed)
        for rank, role, node, _ in after.by_rank():
            if not before.has_rank(rank):
                self._ledger.assume(after.membership(rank), node, after.requests[role])
        if not all(after.has_rank(rank) for rank in before.ranks):
            self._leave_behind(gang, before, keep=after)
        self._changes.record_change_for_plan()

    def _leave(self, gang: GangKey) -> Reservation | None:
        if gang in self._holders.reservations:  # a placed Gang has no reservation, and may still give way
            self._giving_way.finalize(gang)
        self._next_sizes.forget_decided(gang)
        reservation = self._holders.leave(gang)
        if reservation is not None:
            self._roster.forget_departed(reservation.gang_uid)
        return reservation

    def _leave_behind(self, gang: GangFact, reservation: Reservation, keep: Reservation | None = None) -> None:
        if self.leads:
            self.leftovers.add(Leftover(gang, reservation))
        else:
            self._stop_counting(reservation, keep=keep)

    def _stop_counting(self, reservation: Reservation, keep: Reservation | None = None) -> None:
        """Stop counting a reservation's members that are only assumed, except those that ``keep`` has too."""
        for member in reservation.memberships():
            if keep is None or not keep.is_for(member):
                self._ledger.forget(member)
        self._changes.record_change_for_plan()


def _has_other_members(held: Reservation, written: Reservation) -> bool:
    """Whether the same attempt has other members now, or other members that join."""
    same = (held.gang_uid, held.attempt) == (written.gang_uid, written.attempt)
    return same and (held.gapped, held.joining, held.size) != (written.gapped, written.joining, written.size)
