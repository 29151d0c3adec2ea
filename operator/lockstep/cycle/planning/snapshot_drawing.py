"""Draws the snapshot of a plan: the terms on which each gang is planned, and the facts that belong to the snapshot."""

import asyncio
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from coschedule import Behind, GangKey, SizedRun, Snapshot
from lockstep.act.requests.services import Services
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.cycle.awaiting.ahead import AheadGang
from lockstep.cycle.clockwork.turns import in_turns
from lockstep.cycle.planning.decided import ElasticGangs, Seen, Unplanned
from lockstep.cycle.planning.holds import Holds
from lockstep.cycle.planning.memory import PlanMemory
from lockstep.cycle.planning.offers import NO_OFFERS, Offers
from lockstep.cycle.planning.size_times import SizeTimes
from lockstep.cycle.planning.sizing import Contention, SizingPolicy
from lockstep.cycle.planning.standing import Standing
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.report.metrics.metrics import Metrics
from lockstep.snapshot.snapshots import Rescue
from lockstep.snapshot.wanted import SOON_SECONDS, PlanTerms


class GangsToPlan(NamedTuple):
    """The gangs of one plan, the most urgent first. Gangs in ``evicting`` may evict others.

    Gangs in ``ahead`` are planned ahead, behind all others. ``unplanned`` is about gangs that wait for a later plan.
    """

    planned: Mapping[GangKey, AcceptedGang]
    evicting: frozenset[GangKey]
    ahead: Mapping[GangKey, AheadGang]
    unplanned: Unplanned
    contention: Contention

    @property
    def gangs(self) -> list[AcceptedGang]:
        """All gangs in the snapshot."""
        return [*self.planned.values(), *(one.gang for one in self.ahead.values())]


@dataclass(frozen=True, slots=True, kw_only=True)
class GangTerms:
    """Computes the terms on which gangs are planned, from the facts of these parts."""

    standing: Standing
    holds: Holds
    sizing: SizingPolicy
    memory: PlanMemory
    monotonic: Callable[[], float]

    def of(self, gangs: GangsToPlan, now: float) -> dict[GangKey, PlanTerms]:
        """The terms of all these gangs. Gangs that are planned ahead take nothing from others."""
        remembered = self.memory.gangs
        planned = {
            key: replace(
                self._terms(gang, gangs.contention, now),
                may_preempt=key in gangs.evicting,
                is_remembered=key in remembered,
            )
            for key, gang in gangs.planned.items()
        }
        ahead = {
            key: replace(self._terms(one.gang, gangs.contention, now), may_hold=False, not_before=one.not_before)
            for key, one in gangs.ahead.items()
        }
        return planned | ahead

    def _terms(self, gang: AcceptedGang, contention: Contention, now: float) -> PlanTerms:
        """The terms of a gang.

        Room for later pods, and a gang that is being torn down, start in one second at the earliest.
        """
        if gang.spec.is_room:
            return PlanTerms(not_before=now + SOON_SECONDS, may_hold=False)
        monotonic, sizing = self.monotonic(), self.sizing.asked_for(gang)
        return PlanTerms(
            not_before=self._not_before(gang, now),
            may_hold=self.holds.may_hold(gang, monotonic),
            held=self.holds.held(gang, monotonic),
            member_price=sizing.member_price(contention),
            wants_fewest=sizing.wants_fewest,
        )

    def _not_before(self, gang: AcceptedGang, now: float) -> float:
        retry_at = self.standing.retry_at(gang, now)
        if self.standing.keeps_its_place(gang):
            return max(retry_at, now + SOON_SECONDS)
        return retry_at if retry_at > now else -math.inf


class SnapshotDrawing:
    """Draws the facts of each plan. The cache may change meanwhile."""

    def __init__(self, services: Services, terms: GangTerms, size_times: SizeTimes, metrics: Metrics) -> None:
        self._state = services.state
        self._cutter = services.cutter
        self._terms = terms
        self._size_times = size_times
        self._metrics = metrics

    async def draw(self, gangs: GangsToPlan, now: float, rescue: Rescue) -> Seen:
        """Draw the facts on which these gangs are planned. ``rescue`` is called with each gang that raises."""
        frozen = _FrozenFacts(self._state)
        drawn = await self._draw_all(gangs, frozen, now, rescue)
        self._metrics.snapshot_nodes.set(len(drawn.nodes.names))
        snapshot, behind = _divided(drawn, gangs.ahead)
        left_out = [key for key in frozen.left_out if key not in gangs.ahead]
        elastic = self._elastic(frozen.runs, gangs.planned, gangs.unplanned.also(left_out))
        return Seen(snapshot, frozen.held_in(snapshot), frozen.offers, left_out, elastic, behind)

    async def _draw_all(self, gangs: GangsToPlan, frozen: "_FrozenFacts", now: float, rescue: Rescue) -> Snapshot:
        terms = self._terms.of(gangs, now)
        # A thousand gangs may wait: let other tasks of the event loop run.
        await asyncio.sleep(0)
        most_holding = self._terms.holds.policy.most_holding
        drawing = self._cutter.drawn(
            now, gangs.gangs, terms=terms, most_holding=most_holding, rescue=rescue, watch=frozen
        )
        return await in_turns(drawing, self._metrics.cycle_duration.labels("snapshot").observe)

    def _elastic(
        self, runs: Sequence[SizedRun], planned: Mapping[GangKey, AcceptedGang], unplanned: Unplanned
    ) -> ElasticGangs:
        sizing = self._terms.sizing.of_runs(self._state.gangs, [run.key for run in runs])
        waiting = self._state.change_times.terms_of_waiting(planned.values())
        elastic = ElasticGangs.of(runs, waiting, unplanned, sizing)
        return elastic._replace(may_give=self._size_times.may_give)


def _divided(drawn: Snapshot, ahead: Mapping[GangKey, AheadGang]) -> tuple[Snapshot, list[Behind]]:
    """The snapshot without the gangs that are planned ahead, and these gangs."""
    behind = [ahead[gang.key].behind(gang) for gang in drawn.gangs if gang.key in ahead]
    return replace(drawn, gangs=tuple(gang for gang in drawn.gangs if gang.key not in ahead)), behind


class _FrozenFacts:
    """Copies reservations and offers in the step that freezes the facts of a snapshot."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._reservations: Mapping[GangKey, Reservation] = {}
        self.offers = NO_OFFERS
        self.left_out: Collection[GangKey] = ()
        self.runs: Sequence[SizedRun] = ()

    def froze_amounts(self, left_out: Collection[GangKey]) -> None:
        self._reservations, self.offers = dict(self._state.reservations), Offers.of(self._state)
        self.left_out = left_out

    def found_elastic(self, runs: Sequence[SizedRun]) -> None:
        self.runs = runs

    def held_in(self, snapshot: Snapshot) -> dict[GangKey, Reservation]:
        """The reservations of gangs that may be evicted or change their size.

        Gangs without a reservation hold nodes by their pods, and are left out.
        """
        holding = (*(one.key for one in snapshot.running), *(run.key for run in self.runs))
        return {key: self._reservations[key] for key in holding if key in self._reservations}
