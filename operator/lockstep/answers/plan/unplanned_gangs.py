"""Answers about gangs that do not wait for a plan, made from their statuses or specs."""

from dataclasses import dataclass
from typing import assert_never

from coschedule import GangKey, Members
from lockstep.belief.gangs.phases import Phase
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.start_estimate import StartEstimate
from lockstep.facts.gang.status import WorkUsed
from lockstep.facts.reasons import Condition
from lockstep.report.text.awaiting_sentences import waits_for_others


@dataclass(frozen=True, slots=True, kw_only=True)
class UnplannedAnswer:
    """The state of a gang that does not wait for a plan.

    ``message`` is from its refusal or its conditions. ``why`` is the message of its last plan; None if it holds no
    nodes. ``why_this_size`` says why an elastic gang keeps its size, or to which size it changes. ``likely`` is the
    start estimate of a gang that waits for other gangs. The remaining fields are those of its status, if set.
    """

    gang: GangKey
    phase: Phase
    message: str
    why: str | None = None
    size: int | None = None
    start: float | None = None
    finish: float | None = None
    member_price: str | None = None
    members: tuple[Members, ...] = ()
    work_used: WorkUsed | None = None
    why_this_size: str | None = None
    likely: StartEstimate | None = None


def answer_unplanned(state: State, gang: GangFact) -> UnplannedAnswer:
    """The answer about a gang that does not wait for a plan: its state, and the message of its last plan."""
    phase = state.phase_of(gang)
    refusal = state.refusal_of(gang)
    if phase is Phase.REFUSED and refusal is not None:
        return UnplannedAnswer(gang=gang.key, phase=phase, message=refusal.message)
    status, message = gang.status, _message(phase, gang)
    if not phase.holds_nodes:
        likely = status.plan if gang.unmet else None
        return UnplannedAnswer(gang=gang.key, phase=phase, message=message, likely=likely)
    planned = status.condition(Condition.PLANNED)
    return UnplannedAnswer(
        gang=gang.key,
        phase=phase,
        message=message,
        why=None if planned is None else planned.message,
        size=status.size,
        start=status.start,
        finish=status.expected_finish,
        member_price=status.member_price,
        members=status.members,
        work_used=status.work_used,
    )


def _message(phase: Phase, gang: GangFact) -> str:
    """The message of the status for that phase, or a sentence of our own.

    It is our own for a Gang that awaits pods, since the status may not know all of these pods.
    """
    condition, otherwise = _condition_of(phase, gang)
    written = gang.status.end or gang.status.condition(condition)
    if phase is Phase.AWAITS_PODS or written is None or not written.message:
        return otherwise
    return written.message


def _condition_of(phase: Phase, gang: GangFact) -> tuple[Condition, str]:  # noqa: PLR0911 - one answer for each phase
    """The condition that describes a gang in that phase, and a sentence for a gang without it."""
    match phase:
        case Phase.DELETED:
            return Condition.PLACED, "It is being deleted, and holds nothing."
        case Phase.SUSPENDED:
            return Condition.SUSPENDED, "It is suspended: it is planned again when it is resumed."
        case Phase.AWAITS_PODS:
            return Condition.PLANNED, gang.spec.awaits_pods if isinstance(gang, AcceptedGang) else ""
        case Phase.AWAITS_OTHERS:
            return Condition.PLANNED, waits_for_others(gang.unmet, gang.status.recorded)
        case Phase.RESERVED:
            return Condition.PLACED, "Its members are being created."
        case Phase.PLACED:
            return Condition.PLACED, "All of its members are bound."
        case Phase.COMPLETE:
            return Condition.COMPLETE, "It has ended."
        case Phase.REFUSED | Phase.WAITING | Phase.BACKING_OFF:
            raise ValueError(f"a gang that is {phase} is refused, or to be planned")
        case _:
            assert_never(phase)
