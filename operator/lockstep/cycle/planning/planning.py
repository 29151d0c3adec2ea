"""The plan of all gangs that wait: who they are, the facts they are planned on, and what became of it.

One gang that makes the snapshot or the planner raise costs no other its plan: it is set aside (``set_aside.py``).
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
    Unplaceable,
    failed,
)
from lockstep.act.admission.dry_runs import DryRuns
from lockstep.act.attempts import Attempts
from lockstep.act.requests.services import Services
from lockstep.belief.state import State
from lockstep.cycle.clockwork.turns import in_turns
from lockstep.cycle.planning.by_rank import in_rank_order
from lockstep.cycle.planning.decided import DecisionBasis, LastPlan, Seen
from lockstep.cycle.planning.estimates import estimates
from lockstep.cycle.planning.eviction_turns import EvictionTurns
from lockstep.cycle.planning.holds import HoldPolicy, Holds
from lockstep.cycle.planning.memory import PlanMemory
from lockstep.cycle.planning.offers import NO_OFFERS, Offers
from lockstep.cycle.planning.plan_thread import Made, make_plan
from lockstep.cycle.planning.quarantine import SetAside
from lockstep.cycle.planning.rotation import MOST_IN_FRONT, Chosen, Rotation
from lockstep.cycle.planning.sizing import Contention, SizingPolicy
from lockstep.cycle.planning.waiting import told_of_pool, urgency_of
from lockstep.cycle.planning.within_quotas import WithinQuotas, keeping_within_quotas
from lockstep.facts.gang.gang import GangFact
from lockstep.logs.fields import about
from lockstep.report.metrics.metrics import Metrics
from lockstep.snapshot.wanted import PlanTerms

if TYPE_CHECKING:
    from lockstep.belief.holding.reservation import Reservation

# Where some have not had their turn since facts changed, the next plan follows without news.
_NEXT_TURNS_SECONDS = 1.0
# When a gang that is being undone may start again, as far as others are concerned.
_SOON_SECONDS = 1.0

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


class _Watch:
    """Keeps what a drawing is made on, of the step in which that is frozen."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.reservations: Mapping[GangKey, Reservation] = {}
        self.offers = NO_OFFERS
        self.left_out: Collection[GangKey] = ()

    def frozen(self, left_out: Collection[GangKey]) -> None:
        self.reservations, self.offers = dict(self._state.reservations), Offers.of(self._state)
        self.left_out = left_out


class Planning:
    """Plans what waits. Belief may change while a plan is made."""

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
        self._aside = SetAside()
        self._holds = Holds(options.holds)
        self._sizing = options.sizing
        self._memory = PlanMemory(options.promises)
        self._contention = Contention(0, 0, 0)
        self._rotation = Rotation(options.most_in_front)
        self._evicting = EvictionTurns()
        self._turns_left = False

    def forget(self, gang: GangKey) -> None:
        """The gang is gone."""
        self._aside.forget(gang)
        self._holds.forget(gang)
        self._rotation.forget(gang)

    def next_look(self) -> float:
        """In how many seconds a plan is due although nothing changes; infinity where none is.

        For a gang that is set aside, holds nodes or rests, or for those whose turn has not come yet.
        """
        if self._turns_left:
            return _NEXT_TURNS_SECONDS
        now = self._monotonic()
        return min(self._aside.next_look(now), self._holds.next_change(now)) - now

    async def plan(self, now: float, *, has_changed: bool, asked_about: Collection[GangKey] = ()) -> LastPlan | None:
        """Decide about all gangs that wait; None where there is none. Belief may change meanwhile.

        Gangs that are ``asked_about`` may evict others if they did so in the last plan.
        """
        await self._settle_what_was_learnt()
        waiting = await in_turns(self._finding_who_waits())
        self._turns_left = False
        if not waiting:
            self._memory.forget()
            self._metrics.planned_gangs.set(0)
            return None
        quotas = await self._within_quotas([gang for gang in waiting if not self._is_set_aside(gang)])
        sound = quotas.gangs
        self._set_price(sound)
        chosen = self._rotation.choose(sound, always=self._holding(sound), has_changed=has_changed)
        planned = {gang.key: gang for gang in sound if gang.key in chosen}
        self._metrics.planned_gangs.set(len(planned))
        asked = {gang.key: self._asked(gang) for gang in planned.values()}
        may_evict = [key for key, gang in planned.items() if key in chosen.front and self.may_preempt(gang)]
        evicting = self._evicting.choose(may_evict, always=asked_about, has_changed=has_changed)
        # A thousand may wait, and the event loop has other things to do. What is asked for now is compared again before
        # anything is carried out.
        await asyncio.sleep(0)
        seen, (_, made, preemptions, against_budgets) = await self._plan_exactly(planned, evicting, now)
        noted = await in_turns(self._noting(planned, made, now))
        decisions = [one for one in noted if self._is_firm(one, chosen, now)]
        decisions += quotas.refused
        in_front = [decision for decision in made.decisions if decision.gang in chosen.front]
        others = await self._undecided(waiting, {decision.gang for decision in decisions}, in_front, now)
        self._turns_left = self._rotation.are_left(sound) or self._evicting.are_left() or bool(seen.left_out)
        return LastPlan(
            seen=seen,
            plan=replace(made, decisions=(*decisions, *others)),
            asked=asked,
            preemptions=preemptions,
            narrowed=quotas.narrowed,
            against_budgets=against_budgets,
        )

    async def _undecided(
        self, waiting: Sequence[GangFact], decided: Container[GangKey], in_front: Sequence[Decision], now: float
    ) -> Sequence[Decision]:
        """What is decided about gangs that were not planned: they are behind those ``in_front``, or set aside.

        A gang that was refused keeps the words it was refused with, until its turn comes again.
        """
        left = [gang for gang in waiting if gang.key not in decided]
        aside = [self._aside.decision(gang.key) for gang in left if self._is_set_aside(gang)]
        rest = [gang for gang in left if not (self._is_set_aside(gang) or self._rotation.was_refused(gang))]
        if not rest:
            return aside
        behind = await self._run(partial(estimates, waiting, rest, in_front, now, self._state.past_runs.in_force))
        return [*behind, *aside]

    def _finding_who_waits(self) -> Generator[None, None, list[GangFact]]:
        """The gangs that wait, the most urgent first; there may be thousands, so that some may go meanwhile."""
        waiting = []
        for gang in list(self._state.gangs.values()):
            if self._waits_guarded(gang):
                waiting.append(gang)
            yield
        there = (gang for gang in waiting if gang.key in self._state.gangs)
        return sorted(there, key=partial(urgency_of, self._state))

    async def _within_quotas(self, gangs: Collection[GangFact]) -> WithinQuotas:
        """The gangs as quotas let them be planned; some may go meanwhile."""
        errors: dict[GangKey, Exception] = {}
        found = await in_turns(keeping_within_quotas(self._state, gangs, errors.__setitem__))
        for gang in (gang for gang in gangs if gang.key in errors):
            log.error("what quotas allow it can't be determined", exc_info=errors[gang.key], extra=about(gang.key))
            self.set_aside(gang, errors[gang.key])
        return found

    async def _settle_what_was_learnt(self) -> None:
        """Put what runs have taught in force; laws are found where plans are made, since many may be new at once."""
        past_runs = self._state.past_runs
        past_runs.put_in_force()
        judging = past_runs.judging(gang for gang in self._state.gangs.values() if gang.status.finished_at is None)
        if judging is not None:
            await self._run(judging)

    def _set_price(self, gangs: Collection[GangFact]) -> None:
        """Find what a member-second costs others; a gang that fits nowhere waits for nobody's nodes."""
        waiting = sum(not self._rotation.was_refused(gang) for gang in gangs)
        self._contention = Contention(waiting, len(self._state.reservations), self._cutter.nodes)
        self._metrics.member_price.set(self._sizing.member_price(self._contention))

    async def _plan_exactly(
        self, planned: dict[GangKey, GangFact], evicting: frozenset[GangKey], now: float
    ) -> tuple[Seen, Made]:
        """Plan these gangs, and choose whom to evict for some: all in front of these are planned."""
        errors: dict[GangKey, Exception] = {}
        seen = await self._see(planned, evicting, now, errors)
        with self._timed("plan"):
            made = await self._run(partial(make_plan, seen.snapshot, self._memory, errors.__setitem__))
        for key, gang in planned.items():
            if key in errors:
                log.error("planning it failed", exc_info=errors[key], extra=about(key))
                self.set_aside(gang, errors[key])
            else:
                self._aside.forget(key)
        return seen._replace(snapshot=made.snapshot), made

    def _noting(
        self, planned: dict[GangKey, GangFact], made: Plan, now: float
    ) -> Generator[None, None, list[Decision]]:
        """Remember what was decided, in steps. The decision of a gang that holds nodes, or rests, says so."""
        noted: list[Decision] = []
        for one in made.decisions:
            yield
            gang = planned[one.gang]
            decision = told_of_pool(self._state, one)
            if gang.key not in self._state.gangs:
                # It went while the plan was made: nobody would forget again what is remembered of it now.
                noted.append(decision)
                continue
            try:
                decision = in_rank_order(self._state, gang, decision)
                self._rotation.note(gang, decision)
                noted.append(self._holds.note(gang, decision, self._monotonic(), of_day=now))
            except Exception as error:
                log.exception("where its members go, or what it holds, can't be told", extra=about(gang.key))
                self.set_aside(gang, error)
        return noted

    def _is_firm(self, decision: Decision, chosen: Chosen, now: float) -> bool:
        """Whether a decision is to be carried out or told; a later start is, if the gang is planned in every plan."""
        return decision.gang in chosen.front or isinstance(decision, Unplaceable) or decision.start <= now

    def _is_set_aside(self, gang: GangFact) -> bool:
        return self._aside.holds(gang, self._monotonic())

    def _holding(self, gangs: list[GangFact]) -> set[GangKey]:
        return {gang.key for gang in gangs if self._holds.held(gang, self._monotonic())}

    def set_aside(self, gang: GangFact, error: Exception) -> None:
        """Leave a gang out of the next plans: something that was done for it alone has raised."""
        self._metrics.gang_errors.labels("plan").inc()
        self._aside.put(gang, failed(gang.key, error), self._monotonic())

    def still_asks(self, gang: GangFact, decided: LastPlan) -> bool:
        """Whether the gang waits for what was decided of it, and for nothing else."""
        if not self.waits(gang):
            return False
        asked = self._asked(gang)
        return decided.asked.get(gang.key, asked) == asked

    def waits(self, gang: GangFact) -> bool:
        """Whether the gang is to be planned, and may start."""
        attempts = self._attempts
        if attempts.is_under_way(gang.key) or attempts.has_lost_its_place(gang.key):
            return False
        return self._state.phase_of(gang, is_resting=attempts.is_resting(gang.key)).is_planned

    def retry_at(self, gang: GangFact) -> float:
        """The time of day at which the gang may be tried again; in the past, or 0, where it may be now."""
        return max(self._attempts.retry_at(gang.key), gang.status.restart_at or 0.0)

    def _keeps_its_place(self, gang: GangFact) -> bool:
        """Whether the gang is planned only so that nobody behind it takes what it gives back while it is undone."""
        is_wanted = not (gang.is_deleting or gang.policies.is_suspended)
        return is_wanted and self._attempts.keeps_its_place(gang.key) and self._state.refusal_of(gang) is None

    def _asked(self, gang: GangFact) -> DecisionBasis:
        needs = () if gang.spec is None else gang.spec.needs
        return DecisionBasis(gang.uid, gang.generation, needs, self._state.priorities.of(gang))

    def _all_terms(
        self, planned: Mapping[GangKey, GangFact], evicting: frozenset[GangKey], now: float
    ) -> dict[GangKey, PlanTerms]:
        remembered = self._memory.gangs
        return {
            key: replace(self._terms(gang, now, may_preempt=key in evicting), is_remembered=key in remembered)
            for key, gang in planned.items()
        }

    def _terms(self, gang: GangFact, now: float, *, may_preempt: bool) -> PlanTerms:
        """When it may be tried again after it was undone, what it may hold, and whether others may make way for it."""
        monotonic, retry_at = self._monotonic(), self.retry_at(gang)
        comes_back, sizing = self._keeps_its_place(gang), self._sizing.asked_for(gang)
        if comes_back:
            retry_at = max(retry_at, now + _SOON_SECONDS)
        return PlanTerms(
            not_before=retry_at if retry_at > now else -math.inf,
            may_hold=self._holds.may_hold(gang, monotonic),
            held=self._holds.held(gang, monotonic),
            may_preempt=may_preempt,
            member_price=sizing.member_price(self._contention),
            wants_fewest=sizing.wants_fewest,
        )

    def may_preempt(self, gang: GangFact) -> bool:
        """Whether others may be evicted for the gang, as far as it and what is known of its members go."""
        is_trusted = self._dry_runs.admits(gang) and not self._attempts.keeps_failing(gang.key)
        return is_trusted and not self._keeps_its_place(gang) and self._state.priorities.preempts(gang)

    async def _see(
        self,
        planned: dict[GangKey, GangFact],
        evicting: frozenset[GangKey],
        now: float,
        errors: dict[GangKey, Exception],
    ) -> Seen:
        terms = self._all_terms(planned, evicting, now)
        # A thousand may wait, and the event loop has other things to do.
        await asyncio.sleep(0)
        watch = _Watch(self._state)
        drawing = self._cutter.drawn(
            now,
            list(planned.values()),
            terms=terms,
            most_holding=self._holds.policy.most_holding,
            rescue=errors.__setitem__,
            watch=watch,
        )
        snapshot = await in_turns(drawing, self._metrics.cycle_duration.labels("snapshot").observe)
        self._metrics.snapshot_nodes.set(len(snapshot.nodes.names))
        held = {one.key: watch.reservations[one.key] for one in snapshot.running}
        return Seen(snapshot, held, watch.offers, watch.left_out)

    def _waits_guarded(self, gang: GangFact) -> bool:
        try:
            return self.waits(gang) or self._keeps_its_place(gang)
        except Exception as error:
            if not self._is_set_aside(gang):
                log.exception("nobody can tell whether it waits", extra=about(gang.key))
                self.set_aside(gang, error)
            return False

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        started = perf_counter()
        yield
        self._metrics.cycle_duration.labels(stage).observe(perf_counter() - started)
