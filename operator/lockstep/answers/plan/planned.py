"""Makes one plan of all waiting gangs from the facts in the cache, as the operator would now."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from coschedule import (
    Decision,
    GangKey,
    Placement,
    Plan,
    RunningGang,
    SizeChange,
    SizedRun,
    Snapshot,
    after_changes,
    plan,
    with_smaller_sizes,
)
from lockstep.answers.plan.rules import PlanRules, PriceInForce, contention_now, price_of
from lockstep.answers.reading.errors import AnswerError, QuotaError
from lockstep.api.preemption import gang_name
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.belief.state import State
from lockstep.cycle.planning.decided import ElasticGangs, Unplanned
from lockstep.cycle.planning.memory import PlanMemory
from lockstep.cycle.planning.plan_thread import Evicting, Sized, with_evictions, with_sizes
from lockstep.cycle.planning.recording import in_rank_order, with_pool
from lockstep.cycle.planning.rotation import MOST_IN_FRONT, Rotation
from lockstep.cycle.planning.waiting import by_urgency
from lockstep.cycle.planning.within_quotas import WithinQuotas, within_quotas
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.report.text.refusal_sentences import format_refusal
from lockstep.snapshot.holders.running import gangs_that_hold
from lockstep.snapshot.later_rooms import room_for_later
from lockstep.snapshot.nodes.resource_columns import Columns
from lockstep.snapshot.snapshots import Rescue, SnapshotCutter
from lockstep.snapshot.wanted import SOON_SECONDS, PlanTerms


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AnsweredPlan:
    """A snapshot, the plan ``made`` from it, and ``preempting``: the plan after the choice of gangs to evict.

    ``prices`` has the price of a member for each planned gang. ``running`` are the known gangs that hold nodes.
    ``as_reported`` converts a decision to the form in which the operator would write it to a status. All members select
    nodes by ``selector``, which users can't change. ``runs`` are running gangs that may change their size. With the
    plan, the ``changes`` of sizes begin at once; the snapshot shows the gangs at their next sizes.
    """

    snapshot: Snapshot
    made: Plan
    preempting: Evicting
    prices: Mapping[GangKey, PriceInForce]
    running: tuple[RunningGang, ...]
    runs: Sequence[SizedRun] = ()
    changes: tuple[SizeChange, ...] = ()
    as_reported: Callable[[Decision], Decision] = lambda decision: decision
    selector: tuple[tuple[str, str], ...] = ()


def plan_now(state: State, rules: PlanRules, now: float, *, asked: Collection[GangKey]) -> AnsweredPlan:
    """Plan as many waiting gangs as the operator does in one plan, and always the gangs in ``asked``.

    Raises ``QuotaError`` if a quota keeps a gang in ``asked`` from being planned, and ``AnswerError`` if a bug does.
    """
    state.advance_to(now)
    # For some Gangs, a plan includes pods of only one kind. The time decides which kind, so all Gangs are composed
    # anew.
    for key in state.pod_gangs.objects:
        state.pod_gang_facts.renew(key)
    cutter, errors = SnapshotCutter(state), dict[GangKey, Exception]()
    within = within_quotas(state, waiting_gangs(state, now), errors.__setitem__)
    _check_quotas(within, asked)
    turn = _turn(state, rules, within, asked, nodes=cutter.nodes)
    drawn, elastic = _drawn(state, rules, cutter, turn, now, errors.__setitem__)
    sized = _sized(PlanMemory(rules.promises).remembered_by(drawn), elastic, errors.__setitem__)
    _check(errors, asked)
    return AnsweredPlan(
        snapshot=sized.snapshot,
        made=sized.plan,
        preempting=with_evictions(sized.snapshot, sized.plan, errors.__setitem__),
        prices=turn.prices,
        running=gangs_that_hold(state, sized.snapshot.nodes.index, Columns(sized.snapshot.resources, {}), now),
        runs=elastic.runs,
        changes=sized.changes,
        as_reported=lambda decision: _as_reported(state, decision),
        selector=state.pool.selector,
    )


class _TurnNow(NamedTuple):
    """The gangs that are planned now, the price of a member of each, and which other gangs wait."""

    gangs: Sequence[AcceptedGang]
    prices: Mapping[GangKey, PriceInForce]
    unplanned: Unplanned


def _turn(state: State, rules: PlanRules, within: WithinQuotas, asked: Collection[GangKey], *, nodes: int) -> _TurnNow:
    among = contention_now(state, within.gangs, nodes=nodes)
    chosen = Rotation(MOST_IN_FRONT).choose(within.gangs, always=asked, has_changed=True)
    # A snapshot may leave out gangs at the end of the list, so the gangs in ``asked`` come first.
    gangs = sorted((gang for gang in within.gangs if gang.key in chosen), key=lambda gang: gang.key not in asked)
    unplanned = Unplanned(any=len(gangs) < len(within.gangs), short_of_quota=within.short_namespaces)
    return _TurnNow(gangs, {gang.key: price_of(rules.sizing, gang, among) for gang in gangs}, unplanned)


def _drawn(
    state: State, rules: PlanRules, cutter: SnapshotCutter, turn: _TurnNow, now: float, rescue: Rescue
) -> tuple[Snapshot, ElasticGangs]:
    """The snapshot with the gangs of ``turn``, and the running gangs that may change their size."""
    found = _Found()
    drawn = cutter.cut(
        now,
        turn.gangs,
        terms={gang.key: _terms(state, gang, now, turn.prices[gang.key]) for gang in turn.gangs},
        most_holding=rules.holds.most_holding,
        rescue=rescue,
        watch=found,
    )
    unplanned = turn.unplanned._replace(any=turn.unplanned.any or bool(found.left_out))
    sizing = rules.sizing.of_runs(state.gangs, [run.key for run in found.runs])
    return drawn, ElasticGangs.of(found.runs, state.change_times.terms_of_waiting(turn.gangs), unplanned, sizing)


def _sized(snapshot: Snapshot, elastic: ElasticGangs, rescue: Rescue) -> Sized:
    """Choose sizes of running gangs, and plan all gangs, including those that start because of these sizes."""
    sized = with_sizes(snapshot, elastic, rescue)
    if len(sized.snapshot.gangs) == len(snapshot.gangs):
        return sized
    after = with_smaller_sizes(after_changes(snapshot, elastic.runs, sized.changes), elastic.runs)
    return sized._replace(snapshot=after, plan=plan(after, rescue=rescue))


class _Found:
    """Keeps the running gangs whose size may change, and the gangs that the snapshot leaves out."""

    runs: Sequence[SizedRun] = ()

    left_out: Collection[GangKey] = ()

    def froze_amounts(self, left_out: Collection[GangKey]) -> None:
        """Keep the gangs that the snapshot leaves out."""
        self.left_out = left_out

    def found_elastic(self, runs: Sequence[SizedRun]) -> None:
        self.runs = runs


def waiting_gangs(state: State, now: float) -> list[AcceptedGang]:
    """The gangs that wait for a plan, and gangs that reserve room for Gangs' later pods, in queue order."""
    accepted = [gang for gang in state.gangs.values() if isinstance(gang, AcceptedGang)]
    waiting = (gang for gang in accepted if state.phase_of(gang).is_planned)
    rooms = (room_for_later(state, gang, now) for gang in accepted)
    return by_urgency(state, (*waiting, *filter(None, rooms)), now)


def start_times(decisions: Sequence[Decision]) -> Mapping[GangKey, float]:
    """When each gang starts, in seconds since 1970; inf if it has no placement."""
    return {one.gang: start_of(one) for one in decisions}


def start_of(decision: Decision) -> float:
    """When a gang starts, in seconds since 1970; inf if it has no placement."""
    return decision.start if isinstance(decision, Placement) else math.inf


def _terms(state: State, gang: AcceptedGang, now: float, price: PriceInForce) -> PlanTerms:
    if gang.spec.is_room:
        return PlanTerms(not_before=now + SOON_SECONDS, may_hold=False)
    restarts_at = gang.restarts_at(now)
    return PlanTerms(
        not_before=-math.inf if restarts_at is None else restarts_at,
        may_preempt=state.priorities.preempts(gang),
        member_price=price.seconds,
        wants_fewest=price.policy is not None and price.policy.wants_fewest,
    )


def _check_quotas(within: WithinQuotas, asked: Collection[GangKey]) -> None:
    for one in within.refused:
        if one.gang in asked:
            raise QuotaError(f"{gang_name(one.gang)} is not planned now: {format_refusal(one.refusal)}.")


def _check(errors: Mapping[GangKey, Exception], asked: Collection[GangKey]) -> None:
    for gang in asked:
        if gang in errors:
            error = errors[gang]
            raise AnswerError(
                f"Planning {gang_name(gang)} failed by an error in Lockstep: {describe(error)}."
            ) from error


def _as_reported(state: State, decision: Decision) -> Decision:
    gang = state.gangs.get(decision.gang)
    decision = with_pool(state, decision)
    return decision if gang is None else in_rank_order(state, gang, decision)
