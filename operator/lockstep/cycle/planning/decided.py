"""What a plan has decided, and what that stands on."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from coschedule import Decision, GangKey, Placement, Plan, Preemption, Snapshot
from lockstep.belief.holding.reservation import Reservation
from lockstep.cycle.planning.offers import NO_OFFERS, Offers
from lockstep.facts.gang.role import Needs
from lockstep.snapshot.quotas.quota_bounds import Narrowed


class DecisionBasis(NamedTuple):
    """What a placement stands on: which gang asked, by which spec, for which members, how urgently."""

    uid: str
    generation: int
    needs: tuple[Needs, ...]
    priority: int | None


class Seen(NamedTuple):
    """What a plan is made on.

    ``held`` is what gangs hold that may be evicted, ``offers`` what nodes offer, ``left_out`` who waits for a turn.
    """

    snapshot: Snapshot
    held: Mapping[GangKey, Reservation]
    offers: Offers = NO_OFFERS
    left_out: Collection[GangKey] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LastPlan:
    """What the last plan saw and decided; ``asked`` says for whom, ``narrowed`` whom quotas keep from more members.

    ``preemptions`` are still to be carried out: in the plan their victims end by themselves. They may be
    ``against_budgets``.
    """

    seen: Seen
    plan: Plan
    asked: Mapping[GangKey, DecisionBasis]
    preemptions: tuple[Preemption, ...]
    narrowed: Mapping[GangKey, Narrowed] = field(default_factory=dict)
    against_budgets: bool = False

    @property
    def snapshot(self) -> Snapshot:
        """The facts on which gangs were planned."""
        return self.seen.snapshot

    def narrowing(self, decision: Decision) -> Narrowed | None:
        """What keeps the gang from more members, where it gets all that a quota allows."""
        narrowed = self.narrowed.get(decision.gang)
        if narrowed is None or not isinstance(decision, Placement) or decision.size < narrowed.most:
            return None
        return narrowed

    def is_due(self, decision: Decision) -> bool:
        """Whether that is a placement that starts now."""
        return isinstance(decision, Placement) and decision.start <= self.snapshot.now
