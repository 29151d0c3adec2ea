"""Plans all waiting gangs: finds them, has the snapshot drawn, runs the planner and records its decisions.

A gang that makes the snapshot or the planner raise is quarantined (``quarantine.py``); the others are planned.
"""

import asyncio
import logging
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import NamedTuple

from coschedule import Decision, GangKey, Plan, Promises
from lockstep.act.admission.dry_runs import DryRuns
from lockstep.act.attempts import Attempts
from lockstep.act.requests.services import Services
from lockstep.cycle.awaiting.ahead import choosing_ahead, queued_ahead
from lockstep.cycle.clockwork.turns import in_turns
from lockstep.cycle.planning.decided import DecisionBasis, LastPlan, Seen, Unplanned
from lockstep.cycle.planning.eviction_turns import EvictionTurns
from lockstep.cycle.planning.holds import HoldPolicy, Holds
from lockstep.cycle.planning.memory import PlanMemory
from lockstep.cycle.planning.plan_thread import Made, Runner, make_plan
from lockstep.cycle.planning.quarantine import Quarantine
from lockstep.cycle.planning.recording import DecisionRecords
from lockstep.cycle.planning.rotation import MOST_IN_FRONT, Rotation
from lockstep.cycle.planning.size_times import SizeTimes
from lockstep.cycle.planning.sizing import Contention, SizingPolicy, number_waiting
from lockstep.cycle.planning.snapshot_drawing import GangsToPlan, GangTerms, SnapshotDrawing
from lockstep.cycle.planning.standing import Standing
from lockstep.cycle.planning.waiting import Waiting, WaitingSearch
from lockstep.cycle.planning.within_quotas import WithinQuotas, keeping_within_quotas
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.keys import room_key
from lockstep.logs.fields import about
from lockstep.report.metrics.metrics import Metrics
from lockstep.snapshot.holders.elastic_runs import any_elastic_run, next_elastic_turn

# The time to the next plan if some gangs have not had their turn since facts changed.
_NEXT_TURNS_SECONDS = 1.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """How plans are made. Every plan includes the first ``most_in_front`` gangs."""

    run: Runner = asyncio.to_thread
    holds: HoldPolicy = field(default_factory=HoldPolicy)
    sizing: SizingPolicy = field(default_factory=SizingPolicy)
    promises: Promises = Promises.SLACK
    most_in_front: int = MOST_IN_FRONT


class _Turn(NamedTuple):
    """The gangs whose turn it is, those in ``front``, those that may evict others, and the basis of each decision."""

    front: frozenset[GangKey]
    planned: Mapping[GangKey, AcceptedGang]
    asked: Mapping[GangKey, DecisionBasis]
    evicting: frozenset[GangKey]


class Planning:
    """Plans waiting gangs. The cache may change while a plan is made."""

    def __init__(
        self, services: Services, attempts: Attempts, dry_runs: DryRuns, metrics: Metrics, options: PlanOptions
    ) -> None:
        self._state = services.state
        self._attempts = attempts
        self._dry_runs = dry_runs
        self._cutter = services.cutter
        self._metrics = metrics
        self._monotonic = services.monotonic
        self._run = options.run
        self._sizing = options.sizing
        self._turns_left = False
        self._room_ends = math.inf
        self._began = -math.inf
        self._add_what_is_kept(options)
        self._add_steps(services)

    def _add_what_is_kept(self, options: PlanOptions) -> None:
        """Create the parts that are kept from plan to plan."""
        self.standing = Standing(self._state, self._attempts)
        self._quarantine = Quarantine(self._monotonic, self._metrics.gang_errors.labels("plan").inc)
        self._holds = Holds(options.holds)
        self._memory = PlanMemory(options.promises)
        self._rotation = Rotation(options.most_in_front)
        self._evicting = EvictionTurns(self._monotonic)
        self._size_times = SizeTimes(self._monotonic)

    def _add_steps(self, services: Services) -> None:
        """Create the parts that carry out the steps of a plan."""
        holds, monotonic = self._holds, self._monotonic
        self._search = WaitingSearch(self._state, self.standing, self._rotation, self._quarantine, monotonic)
        terms = GangTerms(
            standing=self.standing, holds=holds, sizing=self._sizing, memory=self._memory, monotonic=monotonic
        )
        self._drawing = SnapshotDrawing(services, terms, self._size_times, self._metrics)
        self._records = DecisionRecords(
            self._state, self._rotation, holds, self._quarantine, monotonic=monotonic, run=self._run
        )

    def forget(self, gang: GangKey) -> None:
        """Drop the gang: it was deleted."""
        self._quarantine.forget(gang)
        self._holds.forget(gang)
        self._rotation.forget(gang)
        self._rotation.forget(room_key(gang))

    def quarantine(self, gang: GangFact, error: Exception) -> None:
        """Leave the gang out of the next plans, since work for it alone has raised."""
        self._quarantine.put(gang, error)

    def may_preempt(self, gang: GangFact) -> bool:
        """Whether gangs may be evicted for this one, by its priority, its dry run and its recent failures."""
        if not isinstance(gang, AcceptedGang) or gang.spec.is_room:
            return False
        is_trusted = self._dry_runs.admits(gang) and not self._attempts.keeps_failing(gang.key)
        return is_trusted and not self.standing.keeps_its_place(gang) and self._state.priorities.preempts(gang)

    def seconds_to_next_plan(self) -> float:
        """Seconds until a plan is due although nothing changes; infinity if no plan is.

        A plan is due if gangs still wait for their turn. It is due when a quarantine, a node hold or the rest after a
        node hold ends. It is also due when a gang may change its size again, or room for later pods is given up.
        """
        if self._turns_left:
            return _NEXT_TURNS_SECONDS
        # What has ended while the last plan was made counts, too: that plan does not know it.
        began, holds = self._began, self._holds
        ends = (self._quarantine.next_end(began), holds.next_change(began), self._size_times.next, self._room_ends)
        return min(ends) - self._monotonic()

    async def plan(self, now: float, *, has_changed: bool, asked_about: Collection[GangKey] = ()) -> LastPlan | None:
        """Decide about all waiting gangs; None if there is nothing to plan. The cache may change meanwhile.

        Gangs in ``asked_about`` are first in turn to evict others: their last preemption waits for a dry run.
        """
        self._began = self._monotonic()
        # 1. Put learned run times in force, and find the gangs that wait.
        await self._apply_learned_runs()
        waiting = await self._find_waiting(now)
        if not self._any_to_plan(waiting):
            self._plan_nothing()
            return None
        # 2. Leave out gangs for which there is no quota.
        quotas = await self._within_quotas([gang for gang in waiting.gangs if not self._quarantine.contains(gang)])
        # 3. Choose the gangs whose turn it is, and gangs that are planned ahead.
        turn = self._take_turns(quotas.gangs, has_changed=has_changed, asked_about=asked_about)
        gangs = await self._with_others(turn, waiting, quotas, now)
        # 4. Draw the snapshot, and plan on it, in a thread.
        seen, made = await self._plan_exactly(gangs, now)
        others_at = next_elastic_turn(self._state, now)
        self._size_times.record(made, now, may_give=seen.elastic.may_give, others_at=others_at)
        self._evicting.record_in_vain(made.tried_in_vain)
        # 5. Record the decisions, and estimate the starts of the others.
        decisions = await self._decisions(turn, waiting, quotas, made.plan, now)
        # 6. Find out whether gangs still wait for their turn.
        self._turns_left = self._any_turns_left(quotas.gangs, seen)
        return _last_plan(seen, made, decisions, turn, quotas)

    async def _apply_learned_runs(self) -> None:
        """Put learned run times in force. Laws are fitted in the plan's thread, since many may be new at once."""
        past_runs = self._state.past_runs
        past_runs.put_in_force()
        judging = past_runs.judging(gang for gang in self._state.gangs.values() if gang.status.finished_at is None)
        if judging is not None:
            await self._run(judging)

    async def _find_waiting(self, now: float) -> Waiting:
        waiting = await in_turns(self._search.finding(now))
        self._turns_left, self._size_times.next, self._room_ends = False, math.inf, waiting.room_ends
        return waiting

    def _any_to_plan(self, waiting: Waiting) -> bool:
        """Whether a gang waits, may change its size, or is planned behind the others since it may not start yet."""
        if any(not gang.spec.is_room for gang in waiting.gangs) or any_elastic_run(self._state):
            return True
        return bool(waiting.awaiting) or self._state.pod_gangs.queued_owners.any_known

    def _plan_nothing(self) -> None:
        self._memory.forget()
        self._metrics.planned_gangs.set(0)

    async def _within_quotas(self, gangs: Collection[AcceptedGang]) -> WithinQuotas:
        """Apply quotas to the gangs, in steps. A gang for which this raises is quarantined."""
        errors: dict[GangKey, Exception] = {}
        found = await in_turns(keeping_within_quotas(self._state, gangs, errors.__setitem__))
        for gang in (gang for gang in gangs if gang.key in errors):
            log.error(
                "the quotas that apply to the gang can't be determined",
                exc_info=errors[gang.key],
                extra=about(gang.key),
            )
            self._quarantine.put(gang, errors[gang.key])
        return found

    def _take_turns(
        self, gangs: Sequence[AcceptedGang], *, has_changed: bool, asked_about: Collection[GangKey]
    ) -> _Turn:
        if has_changed:
            self._state.pod_gangs.queued_owners.try_again()
        holding = {gang.key for gang in gangs if self._holds.held(gang, self._monotonic())}
        chosen = self._rotation.choose(gangs, always=holding, has_changed=has_changed)
        planned = {gang.key: gang for gang in gangs if gang.key in chosen}
        self._metrics.planned_gangs.set(len(planned))
        asked = {gang.key: self.standing.basis_of(gang) for gang in planned.values()}
        may_evict = [key for key, gang in planned.items() if key in chosen.front and self.may_preempt(gang)]
        evicting = self._evicting.choose(may_evict, always=asked_about, has_changed=has_changed)
        return _Turn(chosen.front, planned, asked, evicting)

    async def _with_others(self, turn: _Turn, waiting: Waiting, quotas: WithinQuotas, now: float) -> GangsToPlan:
        """The gangs whose turn it is, gangs that are planned ahead, and how many others compete."""
        contention = self._contention(quotas.gangs)
        # A thousand gangs may wait: let other tasks of the event loop run. The basis of each decision is checked again
        # before the decision is carried out.
        await asyncio.sleep(0)
        ahead = await in_turns(choosing_ahead(self._state, waiting.awaiting, turn.planned, now))
        return GangsToPlan(
            planned=turn.planned,
            evicting=turn.evicting,
            ahead={**ahead, **queued_ahead(self._state, now)},
            unplanned=self._unplanned(turn, quotas),
            contention=contention,
        )

    def _unplanned(self, turn: _Turn, quotas: WithinQuotas) -> Unplanned:
        """The gangs that wait for a later plan. Gangs that would fit on no empty nodes want no room."""
        nowhere = frozenset(gang.key for gang in quotas.gangs if self._rotation.fits_nowhere(gang))
        is_any = any(gang.key not in turn.planned and gang.key not in nowhere for gang in quotas.gangs)
        return Unplanned(is_any, quotas.short_namespaces, nowhere)

    def _contention(self, gangs: Collection[AcceptedGang]) -> Contention:
        """How many gangs compete. Refused gangs and room for later pods do not count: they wait for no node."""
        counted = (gang for gang in gangs if not (gang.spec.is_room or self._rotation.was_refused(gang)))
        contention = Contention(number_waiting(counted), len(self._state.reservations), self._cutter.nodes)
        self._metrics.member_price.set(self._sizing.member_price(contention))
        return contention

    async def _plan_exactly(self, gangs: GangsToPlan, now: float) -> tuple[Seen, Made]:
        """Plan these gangs, and choose the gangs to evict. A gang for which this raises is quarantined."""
        errors: dict[GangKey, Exception] = {}
        seen = await self._drawing.draw(gangs, now, errors.__setitem__)
        with self._timed("plan"):
            making = partial(make_plan, seen.snapshot, self._memory, errors.__setitem__, seen.elastic, seen.behind)
            made = await self._run(making)
        self._quarantine_failed(gangs.planned, errors)
        return seen._replace(snapshot=made.snapshot), made

    def _quarantine_failed(self, planned: Mapping[GangKey, AcceptedGang], errors: Mapping[GangKey, Exception]) -> None:
        for key, gang in planned.items():
            if key in errors:
                log.error("planning the gang failed", exc_info=errors[key], extra=about(key))
                self._quarantine.put(gang, errors[key])
            else:
                self._quarantine.forget(key)
        for key in errors.keys() - planned.keys():
            log.error("the gang's size or its start estimate can't be computed", exc_info=errors[key], extra=about(key))

    async def _decisions(
        self, turn: _Turn, waiting: Waiting, quotas: WithinQuotas, made: Plan, now: float
    ) -> tuple[Decision, ...]:
        """The decisions about waiting gangs, planned or not. Gangs that keep an earlier refusal have none."""
        decided = [*await self._records.record(made, turn.planned, turn.front, now), *quotas.refused]
        keys = {one.gang for one in decided}
        left = [gang for gang in waiting.gangs if gang.key not in keys]
        in_front = [one for one in made.decisions if one.gang in turn.front]
        behind = await self._records.estimate_others(waiting.gangs, left, in_front, now)
        return (*decided, *behind)

    def _any_turns_left(self, gangs: Collection[AcceptedGang], seen: Seen) -> bool:
        """Whether gangs have not had their turn since facts changed."""
        return (
            self._rotation.any_unplanned(gangs)
            or self._evicting.any_untried()
            or bool(seen.left_out)
            or self._state.pod_gangs.queued_owners.any_untried
        )

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        started = perf_counter()
        yield
        self._metrics.cycle_duration.labels(stage).observe(perf_counter() - started)


def _last_plan(seen: Seen, made: Made, decisions: tuple[Decision, ...], turn: _Turn, quotas: WithinQuotas) -> LastPlan:
    return LastPlan(
        seen=seen,
        plan=replace(made.plan, decisions=decisions),
        asked=turn.asked,
        preemptions=made.preemptions,
        narrowed=quotas.narrowed,
        against_budgets=made.against_budgets,
        changes=made.changes,
        ahead=made.ahead,
    )
