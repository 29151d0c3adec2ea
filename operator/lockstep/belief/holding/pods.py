"""The existing pods. Each change of a pod updates all counts of pods."""

from collections.abc import Callable
from dataclasses import replace

from lockstep.belief.common.changed_keys import ChangedKeys
from lockstep.belief.holding.counts import Counts
from lockstep.belief.pods.pod_effects import is_nominated
from lockstep.facts.gang.pod_gang import GroupedPod
from lockstep.facts.pods.pod import Membership, PodFact, PodKey
from lockstep.facts.pods.pod_outcome import PodOutcome


class Pods(dict[PodKey, PodFact]):
    """The newest fact of each pod; changed only by :meth:`apply` and :meth:`remove`.

    ``released`` is called with a pod that takes nothing from its node any more.
    """

    def __init__(self, counts: Counts, changes: ChangedKeys, *, released: Callable[[PodFact], None]) -> None:
        super().__init__()
        self._ledger = counts.ledger
        self._roster = counts.roster
        self._holders = counts.holders
        self._pods_nearby = counts.pods_nearby
        self._pod_gangs = counts.pod_gangs
        self._released = released
        self._changes = changes

    def apply(self, fact: PodFact) -> None:
        """Add or update a pod."""
        before = self.get(fact.key)
        if before == fact:
            return
        if before is not None and before.uid != fact.uid:
            self.remove(before.key, before.uid)
            before = None
        fact = self[fact.key] = _as_first_asked(before, fact)
        if before is None:
            self._pods_nearby.enter(fact)
        else:
            self._pods_nearby.change(before, fact)
            self._roster.leave(before)
            self._pod_gangs.leave(before)
            self._member_changed(before.member)
        may_change_placement = self._pods_nearby.may_change_placement(before, fact)
        self._roster.enter(fact)
        self._enter_group(fact)
        self._holders.unseen.see(fact.key)
        self._member_changed(fact.member)
        self._changes.record_change(needs_plan=self._recount(fact) or may_change_placement)

    def count_again(self, pod: PodFact) -> None:
        """Count the pod anew, since its gang may keep another amount of room for it now."""
        if self._recount(pod):
            self._changes.record_change(needs_plan=True)

    def remove(self, key: PodKey, uid: str) -> None:
        """Remove a pod, unless another pod has its name by now."""
        before = self.get(key)
        if before is None or before.uid != uid:
            return
        del self[key]
        self._pods_nearby.leave(before)
        self._roster.leave(before)
        self._pod_gangs.leave(before)
        if before.member is not None:
            self._remember_departed(before.member, before)
        self._member_changed(before.member)
        was_waited_for = is_nominated(before) or self._has_left(before.member)
        self._changes.record_change(needs_plan=self._release(before) or was_waited_for)

    def _enter_group(self, pod: PodFact) -> None:
        """Enter a pod of a Gang in the place of its seat, so that the two never count twice.

        A pod on another node did not get that seat from Lockstep: any user can write Lockstep's annotations to a pod.
        """
        self._pod_gangs.enter(pod)
        seat = pod.group.seat if isinstance(pod, GroupedPod) else None
        charge = None if seat is None else self._ledger.charge(seat)
        if seat is not None and charge is not None and charge.node == pod.node:
            self._ledger.forget(seat)

    def _has_left(self, member: Membership | None) -> bool:
        """Whether the member's attempt goes on without it. Plans keep the gang's size until such a member is gone."""
        if member is None:
            return False
        held = self._holders.reservations.get(member.gang)
        return held is not None and held.attempt == member.attempt and not held.is_for(member)

    def _member_changed(self, member: Membership | None) -> None:
        if member is not None:
            self._holders.touch(member.gang)
            self._changes.reconcile(member.gang)

    def _recount(self, pod: PodFact) -> bool:
        if pod.has_ended:
            was_assumed = pod.member is not None and self._ledger.forget(pod.member)
            return self._release(pod) or was_assumed
        return bool(pod.node) and self._ledger.confirm(self._holders.as_counted(pod))

    def _release(self, pod: PodFact) -> bool:
        """Stop counting the pod on its node. Returns whether it was counted."""
        if not self._ledger.release(pod.uid):
            return False
        self._released(pod)
        return True

    def _remember_departed(self, member: Membership, pod: PodFact) -> None:
        """Remember a member that is gone, if it was a pod of the attempt: any user can write Lockstep's labels."""
        self._roster.report_gone(pod)
        reservation = self._holders.reservations.get(member.gang)
        if reservation is not None and reservation.is_for(member):
            self._roster.keep_departed(member.gang_uid, pod)


def _as_first_asked(before: PodFact | None, fact: PodFact) -> PodFact:
    """The pod with the outcome that follows from the first request to delete it.

    When a pod has ended, its kubelet deletes it once more, without a grace period. The API server then replaces the
    time of the first request by the time of this one. So a member that was asked to end would seem to have ended by
    itself.
    """
    if before is None or before.outcome is not PodOutcome.DELETED or fact.gone_by == before.gone_by:
        return fact
    return replace(fact, outcome=PodOutcome.DELETED, ended_because=before.ended_because, end=before.end)
