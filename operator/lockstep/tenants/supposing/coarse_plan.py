"""Plans with a supposed GangJob. The answer is coarse, since a user can ask again with other GangJobs."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from coschedule import (
    Change,
    DeadlineCannotBeMet,
    Decision,
    GangKey,
    OfRole,
    Placement,
    Refusal,
    WindowTooShort,
)
from lockstep.answers.plan.planned import AnsweredPlan, plan_now, start_times
from lockstep.answers.plan.rules import PlanRules
from lockstep.answers.plan.text import room_sentences
from lockstep.answers.plan.waiting import WaitingAnswer, answer_about
from lockstep.answers.reading.errors import QuotaError
from lockstep.answers.supposing.predecessors import record_predecessors
from lockstep.answers.supposing.supposed_gangs import as_created
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.start_estimate import SAME_TIME_SECONDS
from lockstep.tenants.others import STEP_MINUTES, Ahead, ahead_of, minutes_until
from lockstep.tenants.supposing.questions import Question
from lockstep.tenants.unnamed import unnamed_refusal


class UnplannedError(Exception):
    """The GangJob or GangSweep can't be planned because of its own spec or namespace; the message is a sentence."""


class CoarseRun(NamedTuple):
    """A size, and the minutes within which a run with this size starts and ends.

    A number of minutes is None if the time is unknown, or never comes.
    """

    size: int
    starts: int | None
    ends: int | None


class Delayed(NamedTuple):
    """A GangJob of the namespace that would start later, by at most ``minutes``; None if it would never start."""

    name: str
    minutes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CoarsePlan:
    """The plan with the supposed GangJob, without nodes and exact times.

    ``why_not`` is a sentence if the GangJob has no placement, and otherwise ''.
    """

    gang: GangKey
    reason: str
    why_not: str
    run: CoarseRun | None
    sizes: tuple[CoarseRun, ...]
    not_now: tuple[str, ...]
    evicts: int
    shrinks: int
    ahead: Ahead
    delays: tuple[Delayed, ...]


def suppose_gang_job(state: State, question: Question, now: float) -> AcceptedGang:
    """The GangJob, parsed as the operator would parse it now. Raises ``UnplannedError`` if it would not be planned."""
    namespace, name, spec = question
    key = GangKey(namespace, name)
    if key in state.gangs:
        raise UnplannedError(f"GangJob {key} exists already: ask for its explanation.")
    try:
        metadata = {"namespace": namespace, "name": name, **as_created(now)}
        fact = parse_gang({"metadata": metadata, "spec": spec}, None, state.pool, state.gate_image)
    except (KeyError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        raise UnplannedError(f"GangJob {key} is invalid: {describe(error)}.") from error
    if not isinstance(fact, AcceptedGang):
        raise UnplannedError(f"GangJob {key} would be refused: {fact.refusal.message if fact.refusal else ''}")
    return fact


def plan_with(state: State, rules: PlanRules, before: AnsweredPlan, gang: AcceptedGang, now: float) -> CoarsePlan:
    """Plan with the supposed gang and all others. Afterwards the cache is as before. This takes as long as a plan.

    Raises ``UnplannedError``, or ``AnswerError`` if a bug keeps the gang from being planned.
    """
    try:
        state.apply_gang(gang)
        record_predecessors(state, gang.key)
        if not state.phase_of(state.gangs[gang.key]).is_planned:
            raise UnplannedError(f"GangJob {gang.key} waits for other gangs, or is suspended, so it has no plan yet.")
        after = plan_asked(state, rules, now, [gang.key])
        return _coarse(before, after, answer_about(after, gang.key, progress=_none), now)
    finally:
        state.remove_gang(gang.key, gang.uid)


def plan_asked(state: State, rules: PlanRules, now: float, asked: Sequence[GangKey]) -> AnsweredPlan:
    """The plan with the ``asked`` gangs. Raises ``UnplannedError``, or ``AnswerError`` for a bug."""
    try:
        return plan_now(state, rules, now, asked=asked)
    except QuotaError as error:
        raise UnplannedError(str(error)) from error


def _none(_: Sequence[Change]) -> Iterator[Change]:
    """No change, since each change that is tried needs a plan of its own."""
    return iter(())


def _coarse(before: AnsweredPlan, after: AnsweredPlan, answer: WaitingAnswer, now: float) -> CoarsePlan:
    decision = answer.decision
    placed = decision if isinstance(decision, Placement) else None
    return CoarsePlan(
        gang=answer.gang,
        reason=_reason(decision, now),
        why_not="" if isinstance(decision, Placement) else unnamed_refusal(_coarsely(decision.refusal)),
        run=None if placed is None else _run(placed.size, placed.start, placed.finish, now),
        sizes=tuple(
            CoarseRun(row.size, None, None) if row.run is None else _run(row.size, row.run.start, row.run.finish, now)
            for row in answer.sizes
        ),
        not_now=() if answer.starts_now else tuple(room_sentences(answer.room)),
        evicts=len(answer.victims),
        shrinks=len(answer.shrinks),
        ahead=ahead_of(after.made.decisions, answer.gang),
        delays=tuple(delays(before, after, answer.gang.namespace, {answer.gang})),
    )


def _coarsely(refusal: Refusal) -> Refusal:
    """The refusal with rounded times. Otherwise a user could find exact times by asking with many deadlines."""
    if isinstance(refusal, OfRole):
        return replace(refusal, refusal=_coarsely(refusal.refusal))
    if isinstance(refusal, DeadlineCannotBeMet):
        return replace(refusal, seconds=_step(refusal.seconds), late_seconds=_step(refusal.late_seconds))
    if isinstance(refusal, WindowTooShort) and refusal.longest_seconds is not None:
        return replace(refusal, longest_seconds=_step(refusal.longest_seconds))
    return refusal


def _reason(decision: Decision, now: float) -> str:
    if isinstance(decision, Placement):
        return "StartsNow" if decision.start <= now else "StartsLater"
    return str(decision.reason)


def _run(size: int, start: float, finish: float, now: float) -> CoarseRun:
    return CoarseRun(size, *coarse_times(start, finish, now))


def coarse_times(start: float | None, finish: float | None, now: float) -> tuple[int | None, int | None]:
    """The minutes within which a run starts and ends; None if the time is unknown, or never comes.

    The end is computed from the rounded start. Otherwise a user could find the exact start by asking with many lengths.
    """
    if start is None:
        return None, None
    starts = minutes_until(start, now)
    lasts = None if finish is None else _coarse_minutes(finish - max(start, now))
    return starts, None if lasts is None else starts + lasts


def delays(
    before: AnsweredPlan, after: AnsweredPlan, namespace: str, supposed: Collection[GangKey]
) -> Iterator[Delayed]:
    """The GangJobs of the namespace that would start later; the ``supposed`` ones are left out."""
    now, then = (start_times(one.preempting.plan.decisions) for one in (before, after))
    for key, start in now.items():
        is_own = key.namespace == namespace and not is_pod_gang(key) and key not in supposed
        if is_own and then.get(key, start) > start + SAME_TIME_SECONDS:
            yield Delayed(key.name, _coarse_minutes(then[key] - start))


def _coarse_minutes(seconds: float) -> int | None:
    """The minutes, rounded up to whole steps: 0 for a negative number of seconds, and None for infinity."""
    return round(max(0.0, _step(seconds)) / 60) if math.isfinite(seconds) else None


def _step(seconds: float) -> float:
    """The seconds, rounded up to whole steps; infinity stays infinity."""
    step = 60.0 * STEP_MINUTES
    return step * math.ceil(seconds / step) if math.isfinite(seconds) else seconds
