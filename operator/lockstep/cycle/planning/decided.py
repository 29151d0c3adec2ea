"""The decisions of a plan, and the facts on which they are based."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple, Self, assert_never

from coschedule import (
    Behind,
    ChangeTerms,
    Decision,
    ElasticRun,
    GangKey,
    OpenEndedRun,
    Placement,
    Plan,
    Preemption,
    SizeChange,
    SizedRun,
    Snapshot,
)
from lockstep.belief.holding.reservation import Reservation
from lockstep.cycle.planning.offers import NO_OFFERS, Offers
from lockstep.facts.gang.role import Needs
from lockstep.facts.sizing import Sizing
from lockstep.snapshot.quotas.quota_bounds import Narrowed


class DecisionBasis(NamedTuple):
    """The facts of a gang on which its decision depends. The decision is valid only while they are unchanged."""

    uid: str
    generation: int
    needs: tuple[Needs, ...]
    priority: int | None


class Unplanned(NamedTuple):
    """Waiting gangs that are not planned.

    ``any`` says whether there are any that could use nodes. ``short_of_quota`` has the namespaces whose quotas refuse
    some of them. Gangs of ``nowhere``, planned or not, would fit on no empty nodes.
    """

    any: bool = False
    short_of_quota: frozenset[str] = frozenset()
    nowhere: frozenset[GangKey] = frozenset()

    def also(self, left_out: Iterable[GangKey]) -> Self:
        """The same, if the gangs ``left_out`` are not planned either."""
        return self._replace(any=self.any or not self.nowhere.issuperset(left_out))

    def may_want_room_of(self, run: SizedRun) -> bool:
        """Whether one of these gangs could use the nodes or the quota into which a run of unknown end would grow."""
        return isinstance(run, OpenEndedRun) and (self.any or run.key.namespace in self.short_of_quota)


class ElasticGangs(NamedTuple):
    """The running gangs that may change their size, and the terms of waiting gangs that may change it later.

    Gangs of unknown end give room back only if ``may_give`` is true.
    """

    runs: Sequence[SizedRun] = ()
    waiting: Mapping[GangKey, ChangeTerms] = MappingProxyType({})
    may_give: bool = True

    @classmethod
    def of(
        cls,
        runs: Iterable[SizedRun],
        waiting: Mapping[GangKey, ChangeTerms],
        unplanned: Unplanned,
        sizing: Mapping[GangKey, Sizing] = MappingProxyType({}),
    ) -> "ElasticGangs":
        """These runs, and the terms of ``waiting`` gangs that may change their size after their start.

        A run of unknown end does not grow if an unplanned gang may want its room. ``sizing`` has the goal by which the
        size of each run is chosen.
        """
        ruled = [_sized(run, sizing.get(run.key)) for run in runs]
        return cls([_not_growing(run) if unplanned.may_want_room_of(run) else run for run in ruled], waiting)


NO_ELASTIC_GANGS = ElasticGangs()


def _sized(run: SizedRun, sizing: Sizing | None) -> SizedRun:
    match sizing:
        case Sizing.FEWEST:
            return _with_fewest(run)
        case Sizing.FASTEST:
            return _keeping_members(run)
        case Sizing.BALANCED | None:
            return run
        case _:
            assert_never(sizing)


def _keeping_members(run: SizedRun) -> SizedRun:
    """The run, limited so that it shrinks only for more urgent gangs.

    A run of unknown end, or a run for which a user asks for a size, is returned unchanged.
    """
    if not isinstance(run, ElasticRun) or run.asked is not None:
        return run
    fewest = run.sizes.least if run.fewest is None else run.fewest
    return replace(run, sizes=replace(run.sizes, minimum=run.size), fewest=fewest)


def _with_fewest(run: SizedRun) -> SizedRun:
    """The run with a deadline, so that it gets the fewest members that meet the deadline.

    If the run had none, the deadline is infinity.
    """
    return replace(run, deadline=math.inf if run.deadline is None else run.deadline)


def _not_growing(run: SizedRun) -> SizedRun:
    return replace(run, sizes=replace(run.sizes, maximum=run.size))


class Seen(NamedTuple):
    """The facts on which a plan is based.

    ``held`` has the reservations of gangs that may be evicted or change their size. ``offers`` has the state of nodes
    and bids. ``left_out`` has the gangs that the snapshot leaves out until their turn comes. ``behind`` has the gangs
    that are planned ahead.
    """

    snapshot: Snapshot
    held: Mapping[GangKey, Reservation]
    offers: Offers = NO_OFFERS
    left_out: Collection[GangKey] = ()
    elastic: ElasticGangs = NO_ELASTIC_GANGS
    behind: Sequence[Behind] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LastPlan:
    """The last plan and its facts.

    ``asked`` has the basis of each decision, and ``narrowed`` the gangs that quotas limit. ``preemptions`` are not
    carried out yet; the plan assumes that their victims end. ``against_budgets`` says whether they violate
    PodDisruptionBudgets. ``changes`` are the changes of size that the plan assumes. ``ahead`` has the likely placements
    of gangs that are planned ahead.
    """

    seen: Seen
    plan: Plan
    asked: Mapping[GangKey, DecisionBasis]
    preemptions: tuple[Preemption, ...]
    narrowed: Mapping[GangKey, Narrowed] = field(default_factory=dict)
    against_budgets: bool = False
    changes: tuple[SizeChange, ...] = ()
    ahead: tuple[Placement, ...] = ()

    @property
    def snapshot(self) -> Snapshot:
        """The facts on which gangs were planned."""
        return self.seen.snapshot

    def narrowing(self, decision: Decision) -> Narrowed | None:
        """The quota that keeps the gang from having more members.

        None if there is none, if the gang is not placed, or if it gets fewer members than the quota allows.
        """
        narrowed = self.narrowed.get(decision.gang)
        if narrowed is None or not isinstance(decision, Placement) or decision.size < narrowed.most:
            return None
        return narrowed

    def is_due(self, decision: Decision) -> bool:
        """Whether the decision is a placement that starts now."""
        return isinstance(decision, Placement) and decision.start <= self.snapshot.now
