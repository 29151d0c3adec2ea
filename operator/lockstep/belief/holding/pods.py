"""The pods that are there, and all that is counted by them: whatever is entered somewhere leaves there again."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from coschedule import GangKey
from lockstep.belief.holding.holders import Holders
from lockstep.belief.holding.ledger import Ledger
from lockstep.belief.pods.pod_effects import Neighbours, is_nominated
from lockstep.belief.pods.roster import Roster
from lockstep.facts.pods.pod import Membership, PodFact, PodKey


class PodChanged(Protocol):
    """Hears of each change of a pod."""

    def __call__(self, *, needs_plan: bool) -> None:
        """A pod has changed, so that another plan is due, or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedBy:
    """Where pods are counted."""

    ledger: Ledger
    roster: Roster
    holders: Holders
    neighbours: Neighbours


class Pods(dict[PodKey, PodFact]):
    """The newest fact of each; changed by :meth:`apply` and :meth:`remove` only.

    ``look_at`` is called with the gang of a member that has changed, and ``changed`` after each change. ``released`` is
    called with a pod that no longer takes anything from its node.
    """

    def __init__(
        self,
        counted: CountedBy,
        *,
        look_at: Callable[[GangKey], None],
        released: Callable[[PodFact], None],
        changed: PodChanged,
    ) -> None:
        super().__init__()
        self._ledger = counted.ledger
        self._roster = counted.roster
        self._holders = counted.holders
        self._neighbours = counted.neighbours
        self._look_at = look_at
        self._released = released
        self._changed = changed

    def apply(self, fact: PodFact) -> None:
        """A pod is there, or has changed."""
        before = self.get(fact.key)
        if before == fact:
            return
        if before is not None and before.uid != fact.uid:
            self.remove(before.key, before.uid)
            before = None
        self[fact.key] = fact
        if before is None:
            self._neighbours.enter(fact)
        else:
            self._neighbours.change(before, fact)
            self._roster.leave(before)
            self._note_member(before.member)
        is_news = self._neighbours.is_news(before, fact)
        self._roster.enter(fact)
        self._holders.unseen.see(fact.key)
        self._note_member(fact.member)
        self._changed(needs_plan=self._recount(fact) or is_news)

    def remove(self, key: PodKey, uid: str) -> None:
        """A pod is gone; another one of its name is not."""
        before = self.get(key)
        if before is None or before.uid != uid:
            return
        del self[key]
        self._neighbours.leave(before)
        self._roster.leave(before)
        if before.member is not None:
            self._remember_departed(before.member, before)
        self._note_member(before.member)
        self._changed(needs_plan=self._release(before) or is_nominated(before))

    def _note_member(self, member: Membership | None) -> None:
        if member is not None:
            self._holders.touch(member.gang)
            self._look_at(member.gang)

    def _recount(self, pod: PodFact) -> bool:
        if pod.has_ended:
            was_assumed = pod.member is not None and self._ledger.forget(pod.member)
            return self._release(pod) or was_assumed
        return bool(pod.node) and self._ledger.confirm(pod)

    def _release(self, pod: PodFact) -> bool:
        """The pod takes nothing from its node any more. Returns whether it did."""
        if not self._ledger.release(pod.uid):
            return False
        self._released(pod)
        return True

    def _remember_departed(self, member: Membership, pod: PodFact) -> None:
        """Remember what only the attempt itself can have made: anybody may write our labels."""
        self._roster.note_gone(pod)
        reservation = self._holders.reservations.get(member.gang)
        if reservation is not None and reservation.is_for(member):
            self._roster.note_departed(member.gang_uid, pod)
