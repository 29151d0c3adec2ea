"""Plans all waiting gangs: finds them, draws the snapshot, runs the planner and records its decisions.

A gang that makes the snapshot or the planner raise is quarantined (``quarantine.py``); the others are planned.
"""

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Collection, Container, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Protocol, TypeVar

from coschedule import (
    Decision,
    GangKey,
    Plan,
    Promises,
    SizedRun,
    Unplaceable,
    failed,
)
from lockstep.act.admission.dry_runs import DryRuns
from lockstep.act.attempts import Attempts
from lockstep.act.requests.services import Services
from lockstep.belief.gangs.phases import Phase
from lockstep.belief.state import State
from lockstep.cycle.awaiting.ahead import AheadGang, choosing_ahead, queued_ahead
from lockstep.cycle.clockwork.turns import in_turns
from lockstep.cycle.planning.by_rank import in_rank_order
from lockstep.cycle.planning.decided import ElasticGangs, LastPlan, Seen, Unplanned
from lockstep.cycle.planning.estimates import estimates
from lockstep.cycle.planning.eviction_turns import EvictionTurns
from lockstep.cycle.planning.holds import HoldPolicy, Holds
from lockstep.cycle.planning.memory import PlanMemory
from lockstep.cycle.planning.offers import NO_OFFERS, Offers
from lockstep.cycle.planning.plan_thread import Made, make_plan
from lockstep.cycle.planning.quarantine import Quarantine
from lockstep.cycle.planning.rotation import MOST_IN_FRONT, Chosen, Rotation
from lockstep.cycle.planning.size_times import SizeTimes
from lockstep.cycle.planning.sizing import Contention, SizingPolicy, number_waiting
from lockstep.cycle.planning.standing import Standing
from lockstep.cycle.planning.waiting import by_urgency, with_pool
from lockstep.cycle.planning.within_quotas import WithinQuotas, keeping_within_quotas
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.keys import gang_of_room, room_key
from lockstep.logs.fields import about
from lockstep.report.metrics.metrics import Metrics
from lockstep.snapshot.holders.elastic_runs import any_elastic_run
from lockstep.snapshot.later_rooms import kept_until, room_for_later, with_still_age
from lockstep.snapshot.wanted import SOON_SECONDS, PlanTerms

if TYPE_CHECKING:
    from lockstep.belief.holding.reservation import Reservation

# The time to the next plan if some gangs have not had their turn since facts changed.
_NEXT_TURNS_SECONDS = 1.0

T = TypeVar("T")

log = logging.getLogger(__name__)


class Runner(Protocol):
    """Carries out a computation on frozen facts, beside the event loop where that is worth it."""

    def __call__(self, work: Callable[[], T], /) -> Awaitable[T]:
        """Compute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """How plans are made; the first ``most_in_front`` gangs are planned exactly in every plan."""

    run: Runner = asyncio.to_thread
    holds: HoldPolicy = field(default_factory=HoldPolicy)
    sizing: SizingPolicy = field(default_factory=SizingPolicy)
    promises: Promises = Promises.SLACK
    most_in_front: int = MOST_IN_FRONT


class _FrozenFacts:
    """Copies reservations and offers in the step that freezes the facts of a snapshot."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.reservations: Mapping[GangKey, Reservation] = {}
        self.offers = NO_OFFERS
        self.left_out: Collection[GangKey] = ()
        self.runs: Sequence[SizedRun] = ()

    def frozen(self, left_out: Collection[GangKey]) -> None:
        self.reservations, self.offers = dict(self._state.reservations), Offers.of(self._state)
        self.left_out = left_out

    def found_elastic(self, runs: Sequence[SizedRun]) -> None:
        self.runs = runs


class Planning:
    """Plans waiting gangs. The cache may change while a plan is made."""

    def __init__(
        self, services: Services, attempts: Attempts, dry_runs: DryRuns, metrics: Metrics, options: PlanOptions
    ) -> None:
        self._state = services.state
        self._attempts = attempts
        self.standing = Standing(services.state, attempts)
        self._dry_runs = dry_runs
        self._cutter = services.cutter
        self._metrics = metrics
        self._monotonic = services.monotonic
        self._run = options.run
        self._quarantine = Quarantine()
        self._holds = Holds(options.holds)
        self._sizing = options.sizing
        self._memory = PlanMemory(options.promises)
        self._contention = Contention(0, 0, 0)
        self._rotation = Rotation(options.most_in_front)
        self._evicting = EvictionTurns()
        self._turns_left = False
        self._size_times = SizeTimes(services.monotonic)
        self._room_ends = math.inf
        self._awaiting: list[AcceptedGang] = []

    def forget(self, gang: GangKey) -> None:
        """Drop the gang: it was deleted."""
        self._quarantine.forget(gang)
        self._holds.forget(gang)
        self._rotation.forget(gang)
        self._rotation.forget(room_key(gang))

    def seconds_to_next_plan(self) -> float:
        """Seconds until a plan is due although nothing changes; infinity if none is.

        It is due when a quarantine, a node hold or a rest from one ends, or if gangs still wait for their turn. It is
        also due when a gang may change its size again, or when room is not kept for later pods any more.
        """
        if self._turns_left:
            return _NEXT_TURNS_SECONDS
        now = self._monotonic()
        ends = (self._quarantine.next_end(now), self._holds.next_change(now), self._size_times.next, self._room_ends)
        return min(ends) - now

    async def plan(self, now: float, *, has_changed: bool, asked_about: Collection[GangKey] = ()) -> LastPlan | None:
        """Decide about all waiting gangs; None if there are none. The cache may change meanwhile.

        Gangs in ``asked_about`` are first in turn to evict others: their last preemption waits for a dry run.
        """
        await self._apply_learned_runs()
        waiting = await in_turns(self._finding_waiting(now))
        self._turns_left = False
        self._size_times.next = math.inf
        if all(gang.spec.is_room for gang in waiting) and not (any_elastic_run(self._state) or self._any_ahead):
            self._memory.forget()
            self._metrics.planned_gangs.set(0)
            return None
        quotas = await self._within_quotas([gang for gang in waiting if not self._is_quarantined(gang)])
        sound = quotas.gangs
        self._set_price(sound)
        chosen = self._rotation.choose(sound, always=self._holding(sound), has_changed=has_changed)
        planned = {gang.key: gang for gang in sound if gang.key in chosen}
        self._metrics.planned_gangs.set(len(planned))
        asked = {gang.key: self.standing.basis_of(gang) for gang in planned.values()}
        may_evict = [key for key, gang in planned.items() if key in chosen.front and self.may_preempt(gang)]
        evicting = self._evicting.choose(may_evict, always=asked_about, has_changed=has_changed)
        # A thousand gangs may wait: let other tasks of the event loop run. ``asked`` is checked again before a decision
        # is carried out.
        await asyncio.sleep(0)
        unplanned = Unplanned(any=len(planned) < len(sound), short_of_quota=quotas.short_namespaces)
        ahead = {
            **await in_turns(choosing_ahead(self._state, self._awaiting, planned, now)),
            **queued_ahead(self._state, now),
        }
        seen, made = await self._plan_exactly(planned, evicting, unplanned, ahead, now)
        self._size_times.record(made, now, may_give=seen.elastic.may_give)
        recorded = await in_turns(self._recording(planned, made.plan, now))
        decisions = [one for one in recorded if self._is_firm(one, chosen, now)]
        decisions += quotas.refused
        in_front = [decision for decision in made.plan.decisions if decision.gang in chosen.front]
        others = await self._undecided(waiting, {decision.gang for decision in decisions}, in_front, now)
        self._turns_left = self._rotation.any_unplanned(sound) or self._evicting.any_untried() or bool(seen.left_out)
        self._turns_left |= self._state.pod_gangs.queued_owners.any_untried
        return LastPlan(
            seen=seen,
            plan=replace(made.plan, decisions=(*decisions, *others)),
            asked=asked,
            preemptions=made.preemptions,
            narrowed=quotas.narrowed,
            against_budgets=made.against_budgets,
            changes=made.changes,
            ahead=made.ahead,
        )

    @property
    def _any_ahead(self) -> bool:
        """Whether gangs are planned behind all that may run."""
        return bool(self._awaiting) or self._state.pod_gangs.queued_owners.any_known

    async def _undecided(
        self, waiting: Sequence[AcceptedGang], decided: Container[GangKey], in_front: Sequence[Decision], now: float
    ) -> Sequence[Decision]:
        """The decisions about gangs that were not planned: they are behind those ``in_front``, or quarantined.

        There is none about a gang that was refused: it keeps its refusal until its turn comes again.
        """
        left = [gang for gang in waiting if gang.key not in decided]
        quarantined = [self._quarantine.decision(gang.key) for gang in left if self._is_quarantined(gang)]
        rest = [gang for gang in left if not (self._is_quarantined(gang) or self._rotation.was_refused(gang))]
        if not rest:
            return quarantined
        behind = await self._run(partial(estimates, waiting, rest, in_front, now, self._state.past_runs.in_force))
        return [*behind, *quarantined]

    def _finding_waiting(self, now: float) -> Generator[None, None, list[AcceptedGang]]:
        """The waiting gangs, the most urgent first, found in steps; gangs that are deleted meanwhile are left out."""
        waiting, self._room_ends = list[AcceptedGang](), math.inf
        self._awaiting = []
        for gang in list(self._state.gangs.values()):
            if isinstance(gang, AcceptedGang):
                waiting += self._planned_for(gang, now)
            yield
        there = (gang for gang in waiting if gang.key in self._state.gangs or gang.spec.is_room)
        return by_urgency(self._state, there, now)

    def _planned_for(self, gang: AcceptedGang, now: float) -> Iterator[AcceptedGang]:
        """What is planned for the gang: itself if it waits, and room for pods of it that come later."""
        try:
            if self.standing.waits(gang) or self.standing.keeps_its_place(gang):
                yield gang
            elif gang.unmet and self._state.phase_of(gang) is Phase.AWAITS_OTHERS:
                self._awaiting.append(gang)
            room = room_for_later(self._state, gang, now)
            if room is not None:
                self._room_ends = min(self._room_ends, self._monotonic() + kept_until(self._state, gang) - now)
                # Like a gang that fits nowhere, such room keeps no elastic gang from growing.
                yield with_still_age(room) if self._rotation.was_refused(room) else room
        except Exception as error:
            if not self._is_quarantined(gang):
                log.exception("it is not known whether the gang waits", extra=about(gang.key))
                self.quarantine(gang, error)

    async def _within_quotas(self, gangs: Collection[AcceptedGang]) -> WithinQuotas:
        """Apply quotas to the gangs, in steps; a gang that raises is quarantined."""
        errors: dict[GangKey, Exception] = {}
        found = await in_turns(keeping_within_quotas(self._state, gangs, errors.__setitem__))
        for gang in (gang for gang in gangs if gang.key in errors):
            log.error(
                "the quotas that apply to the gang can't be determined",
                exc_info=errors[gang.key],
                extra=about(gang.key),
            )
            self.quarantine(gang, errors[gang.key])
        return found

    async def _apply_learned_runs(self) -> None:
        """Put learned run times in force. Laws are fitted in the plan's thread, since many may be new at once."""
        past_runs = self._state.past_runs
        past_runs.put_in_force()
        judging = past_runs.judging(gang for gang in self._state.gangs.values() if gang.status.finished_at is None)
        if judging is not None:
            await self._run(judging)

    def _set_price(self, gangs: Collection[AcceptedGang]) -> None:
        """Set the price of a member-second; refused gangs and room do not count as waiting: they wait for no node."""
        counted = (gang for gang in gangs if not (gang.spec.is_room or self._rotation.was_refused(gang)))
        self._contention = Contention(number_waiting(counted), len(self._state.reservations), self._cutter.nodes)
        self._metrics.member_price.set(self._sizing.member_price(self._contention))

    async def _plan_exactly(
        self,
        planned: dict[GangKey, AcceptedGang],
        evicting: frozenset[GangKey],
        unplanned: Unplanned,
        ahead: Mapping[GangKey, AheadGang],
        now: float,
    ) -> tuple[Seen, Made]:
        """Plan these gangs, and choose which gangs to evict for those in ``evicting``."""
        errors: dict[GangKey, Exception] = {}
        seen = await self._see(planned, evicting, unplanned, ahead, now, errors)
        with self._timed("plan"):
            making = partial(make_plan, seen.snapshot, self._memory, errors.__setitem__, seen.elastic, seen.behind)
            made = await self._run(making)
        for key, gang in planned.items():
            if key in errors:
                log.error("planning the gang failed", exc_info=errors[key], extra=about(key))
                self.quarantine(gang, errors[key])
            else:
                self._quarantine.forget(key)
        for key in errors.keys() - planned.keys():
            log.error("the gang's size or its start estimate can't be computed", exc_info=errors[key], extra=about(key))
        return seen._replace(snapshot=made.snapshot), made

    def _recording(
        self, planned: dict[GangKey, AcceptedGang], made: Plan, now: float
    ) -> Generator[None, None, list[Decision]]:
        """Record the decisions, in steps; returns them with ranks in order and with mentions of pools and holds."""
        recorded: list[Decision] = []
        for one in made.decisions:
            yield
            gang = planned[one.gang]
            decision = with_pool(self._state, one)
            if gang.spec.is_room and gang_of_room(gang.key) in self._state.gangs:
                self._rotation.record(gang, decision)
            if gang.key not in self._state.gangs:
                # It was deleted while the plan was made; what is recorded of it now would never be dropped.
                recorded.append(decision)
                continue
            try:
                decision = in_rank_order(self._state, gang, decision)
                self._rotation.record(gang, decision)
                recorded.append(self._holds.record(gang, decision, self._monotonic(), of_day=now))
            except Exception as error:
                log.exception("the gang's part of the snapshot can't be computed", extra=about(gang.key))
                self.quarantine(gang, error)
        return recorded

    def _is_firm(self, decision: Decision, chosen: Chosen, now: float) -> bool:
        """Whether a decision counts; a later start counts only for gangs in front, which are in every plan."""
        return decision.gang in chosen.front or isinstance(decision, Unplaceable) or decision.start <= now

    def _is_quarantined(self, gang: GangFact) -> bool:
        return self._quarantine.contains(gang, self._monotonic())

    def _holding(self, gangs: list[AcceptedGang]) -> set[GangKey]:
        return {gang.key for gang in gangs if self._holds.held(gang, self._monotonic())}

    def quarantine(self, gang: GangFact, error: Exception) -> None:
        """Leave the gang out of the next plans, since work for it alone has raised."""
        self._metrics.gang_errors.labels("plan").inc()
        self._quarantine.put(gang, failed(gang.key, error), self._monotonic())

    def _all_terms(
        self, planned: Mapping[GangKey, AcceptedGang], evicting: frozenset[GangKey], now: float
    ) -> dict[GangKey, PlanTerms]:
        remembered = self._memory.gangs
        return {
            key: replace(self._terms(gang, now, may_preempt=key in evicting), is_remembered=key in remembered)
            for key, gang in planned.items()
        }

    def _terms(self, gang: GangFact, now: float, *, may_preempt: bool) -> PlanTerms:
        """The terms of the gang's plan; room, and a gang that is being undone, start in one second at the earliest."""
        if isinstance(gang, AcceptedGang) and gang.spec.is_room:
            return PlanTerms(not_before=now + SOON_SECONDS, may_hold=False)
        monotonic, retry_at = self._monotonic(), self.standing.retry_at(gang)
        comes_back, sizing = self.standing.keeps_its_place(gang), self._sizing.asked_for(gang)
        if comes_back:
            retry_at = max(retry_at, now + SOON_SECONDS)
        return PlanTerms(
            not_before=retry_at if retry_at > now else -math.inf,
            may_hold=self._holds.may_hold(gang, monotonic),
            held=self._holds.held(gang, monotonic),
            may_preempt=may_preempt,
            member_price=sizing.member_price(self._contention),
            wants_fewest=sizing.wants_fewest,
        )

    def may_preempt(self, gang: GangFact) -> bool:
        """Whether others may be evicted for the gang, by its priority, its dry run and its recent failures."""
        if not isinstance(gang, AcceptedGang) or gang.spec.is_room:
            return False
        is_trusted = self._dry_runs.admits(gang) and not self._attempts.keeps_failing(gang.key)
        return is_trusted and not self.standing.keeps_its_place(gang) and self._state.priorities.preempts(gang)

    async def _see(
        self,
        planned: dict[GangKey, AcceptedGang],
        evicting: frozenset[GangKey],
        unplanned: Unplanned,
        ahead: Mapping[GangKey, AheadGang],
        now: float,
        errors: dict[GangKey, Exception],
    ) -> Seen:
        terms = self._all_terms(planned, evicting, now) | {
            key: replace(self._terms(one.gang, now, may_preempt=False), may_hold=False, not_before=one.not_before)
            for key, one in ahead.items()
        }
        # A thousand gangs may wait: let other tasks of the event loop run.
        await asyncio.sleep(0)
        watch = _FrozenFacts(self._state)
        drawing = self._cutter.drawn(
            now,
            [*planned.values(), *(one.gang for one in ahead.values())],
            terms=terms,
            most_holding=self._holds.policy.most_holding,
            rescue=errors.__setitem__,
            watch=watch,
        )
        snapshot = await in_turns(drawing, self._metrics.cycle_duration.labels("snapshot").observe)
        behind = [ahead[gang.key].behind(gang) for gang in snapshot.gangs if gang.key in ahead]
        snapshot = replace(snapshot, gangs=tuple(gang for gang in snapshot.gangs if gang.key not in ahead))
        self._metrics.snapshot_nodes.set(len(snapshot.nodes.names))
        holding = (*(one.key for one in snapshot.running), *(run.key for run in watch.runs))
        # Gangs that were placed hold nodes by their pods.
        held = {key: watch.reservations[key] for key in holding if key in watch.reservations}
        left_out = [key for key in watch.left_out if key not in ahead]
        unplanned = unplanned._replace(any=unplanned.any or bool(left_out))
        fewest = self._sizing.wanting_fewest(self._state.gangs, [run.key for run in watch.runs])
        elastic = ElasticGangs.of(watch.runs, planned.values(), unplanned, fewest)
        elastic = elastic._replace(may_give=self._size_times.may_give)
        return Seen(snapshot, held, watch.offers, left_out, elastic, behind)

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        started = perf_counter()
        yield
        self._metrics.cycle_duration.labels(stage).observe(perf_counter() - started)
