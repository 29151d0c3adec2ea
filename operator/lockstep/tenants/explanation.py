"""Explains to users of a namespace why one of its gangs has its size, nodes and start.

No field can hold the name of a gang of another namespace.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from coschedule import Change, Decision, GangEnds, GangKey, GangLeaves, Placement
from lockstep.answers.plan.clauses import format_change
from lockstep.answers.plan.planned import AnsweredPlan
from lockstep.answers.plan.text import room_sentences
from lockstep.answers.plan.waiting import Helped, SizeRow, WaitingAnswer, answer_about
from lockstep.api.names import GANGS, POD_GANGS
from lockstep.belief.gangs.phases import Phase
from lockstep.belief.state import State
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.report.text.placement_sentences import chosen
from lockstep.report.text.sentences import as_sentence
from lockstep.report.text.share_sentences import use_of_own_group
from lockstep.tenants.others import Ahead, OtherGangs, ahead_of
from lockstep.tenants.unnamed import own_changes, unnamed_refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibleSize:
    """A size, and when a run with this size would start and end; None if that is unknown or never happens."""

    size: int
    start: float | None
    finish: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnHelp:
    """A change that users of the namespace could make, with the gang's size and start in whole minutes from now.

    If the change names a gang, ``names`` is the resource of that gang; otherwise it is ''.
    """

    change: str
    names: str
    size: int
    within_minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPlan:
    """The part of the plan about a waiting gang.

    ``why`` is a sentence that names nodes, but no other gang. ``not_now`` has a sentence for each role. ``tried``
    changes were tried, and the gang would start sooner with those in ``helps``. ``evicts`` gangs are evicted for the
    gang, and ``shrinks`` gangs shrink for it.
    """

    reason: str
    why: str
    size: int | None
    start: float | None
    finish: float | None
    promised: float | None
    sizes: tuple[PossibleSize, ...]
    not_now: tuple[str, ...]
    tried: int
    helps: tuple[OwnHelp, ...]
    evicts: int
    shrinks: int
    ahead: Ahead


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The state of a gang at ``now``. If the gang holds nodes, size, start and finish are those of its status.

    ``plan`` is given if the gang waits and is in the plan, which has the first 1,000 gangs. ``use_of_group`` is a
    sentence about the share that its group has used; it is '' without groups.
    """

    gang: GangKey
    now: float
    phase: Phase
    size: int | None
    start: float | None
    finish: float | None
    others: OtherGangs
    plan: OwnPlan | None
    use_of_group: str = ""


def explain(state: State, planned: AnsweredPlan, others: OtherGangs, gang: GangFact, now: float) -> Explanation:
    """Explain a gang of the cache by the plan. This takes as long as several plans."""
    phase, status = state.phase_of(gang), gang.status
    is_planned = phase.is_planned and gang.key in {one.gang for one in planned.made.decisions}
    return Explanation(
        gang=gang.key,
        now=now,
        phase=phase,
        size=status.size if phase.holds_nodes else None,
        start=status.start if phase.holds_nodes else None,
        finish=status.expected_finish if phase.holds_nodes else None,
        others=others,
        plan=_own_plan(planned, gang.key) if is_planned else None,
        use_of_group=use_of_own_group(state.shares, gang.key.namespace, now),
    )


def _own_plan(planned: AnsweredPlan, gang: GangKey) -> OwnPlan:
    tried: list[Change] = []
    answer = answer_about(planned, gang, progress=partial(_trying, tried, gang.namespace))
    decision = answer.decision
    placed = decision if isinstance(decision, Placement) else None
    return OwnPlan(
        reason=_reason(answer),
        why=_why(decision, answer.now),
        size=placed.size if placed else None,
        start=placed.start if placed else None,
        finish=_finite(placed.finish) if placed else None,
        promised=placed.promised if placed else None,
        sizes=tuple(_possible(row) for row in answer.sizes),
        not_now=() if answer.starts_now else tuple(room_sentences(answer.room)),
        tried=len(tried),
        helps=tuple(_own_help(one, answer.now) for one in answer.helps),
        evicts=len(answer.victims),
        shrinks=len(answer.shrinks),
        ahead=ahead_of(planned.made.decisions, gang),
    )


def _trying(tried: list[Change], namespace: str, changes: Sequence[Change]) -> Iterator[Change]:
    """Yield the changes that the namespace's users could make, and add each to ``tried``."""
    for one in own_changes(namespace, changes):
        tried.append(one)
        yield one


def _reason(answer: WaitingAnswer) -> str:
    if isinstance(answer.decision, Placement):
        return "StartsNow" if answer.starts_now else "StartsLater"
    return str(answer.decision.reason)


def _why(decision: Decision, now: float) -> str:
    if isinstance(decision, Placement):
        return as_sentence(chosen(decision, now=now))
    return unnamed_refusal(decision.refusal)


def _possible(row: SizeRow) -> PossibleSize:
    run = row.run
    start, finish = (None, None) if run is None else (run.start, _finite(run.finish))
    return PossibleSize(size=row.size, start=start, finish=finish)


def _own_help(helped: Helped, now: float) -> OwnHelp:
    then = helped.placement
    minutes = max(0, math.ceil((then.start - now) / 60))
    return OwnHelp(
        change=format_change(helped.change), names=_named(helped.change), size=then.size, within_minutes=minutes
    )


def _named(change: Change) -> str:
    if not isinstance(change, GangEnds | GangLeaves):
        return ""
    gang = change.gang.key if isinstance(change, GangEnds) else change.gang
    return POD_GANGS if is_pod_gang(gang) else GANGS


def _finite(time: float) -> float | None:
    return time if math.isfinite(time) else None
