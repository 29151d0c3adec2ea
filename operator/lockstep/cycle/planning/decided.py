"""What a plan has decided, and on which facts."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from coschedule import (
    ChangeTerms,
    Decision,
    ElasticRun,
    GangKey,
    Placement,
    Plan,
    Preemption,
    SizeChange,
    Snapshot,
)
from lockstep.belief.holding.reservation import Reservation
from lockstep.cycle.planning.offers import NO_OFFERS, Offers
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.role import Needs
from lockstep.snapshot.quotas.quota_bounds import Narrowed


class DecisionBasis(NamedTuple):
    """The facts of a gang that its decision depends on; the decision holds only while they are unchanged."""

    uid: str
    generation: int
    needs: tuple[Needs, ...]
    priority: int | None


class ElasticGangs(NamedTuple):
    """The gangs that run and may change their size, and the terms of those that wait and may change it later."""

    runs: Sequence[ElasticRun] = ()
    waiting: Mapping[GangKey, ChangeTerms] = MappingProxyType({})

    @classmethod
    def of(cls, runs: Sequence[ElasticRun], planned: Iterable[GangFact]) -> "ElasticGangs":
        """These runs, and of the gangs that are planned those that may change their size after their start."""
        elastic = ((gang.key, gang.spec.elastic) for gang in planned if isinstance(gang, AcceptedGang))
        return cls(runs, {key: one.terms for key, one in elastic if one is not None})


NO_ELASTIC_GANGS = ElasticGangs()


class Seen(NamedTuple):
    """The facts that a plan is made on.

    ``held`` has the reservations of gangs that may be evicted or change their size, ``offers`` the state of nodes and
    bids. ``left_out`` has the gangs that the snapshot left out until their turn comes.
    """

    snapshot: Snapshot
    held: Mapping[GangKey, Reservation]
    offers: Offers = NO_OFFERS
    left_out: Collection[GangKey] = ()
    elastic: ElasticGangs = NO_ELASTIC_GANGS


@dataclass(frozen=True, slots=True, kw_only=True)
class LastPlan:
    """The last plan and its facts; ``asked`` has the basis of each decision, ``narrowed`` the gangs limited by quotas.

    ``preemptions`` are not carried out yet; the plan assumes that their victims end. ``against_budgets`` says that
    they violate PodDisruptionBudgets. ``changes`` are the changes of size that the plan assumes.
    """

    seen: Seen
    plan: Plan
    asked: Mapping[GangKey, DecisionBasis]
    preemptions: tuple[Preemption, ...]
    narrowed: Mapping[GangKey, Narrowed] = field(default_factory=dict)
    against_budgets: bool = False
    changes: tuple[SizeChange, ...] = ()

    @property
    def snapshot(self) -> Snapshot:
        """The facts on which gangs were planned."""
        return self.seen.snapshot

    def narrowing(self, decision: Decision) -> Narrowed | None:
        """The quota that keeps the gang from more members, if the gang gets as many as it allows."""
        narrowed = self.narrowed.get(decision.gang)
        if narrowed is None or not isinstance(decision, Placement) or decision.size < narrowed.most:
            return None
        return narrowed

    def is_due(self, decision: Decision) -> bool:
        """Whether the decision is a placement that starts now."""
        return isinstance(decision, Placement) and decision.start <= self.snapshot.now
