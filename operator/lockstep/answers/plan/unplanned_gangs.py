"""What there is to say of a gang that is not to be planned: its status knows, or its spec."""

from dataclasses import dataclass
from typing import assert_never

from coschedule import GangKey, Members
from lockstep.belief.gangs.phases import Phase
from lockstep.belief.state import State
from lockstep.facts.gang.gang import GangFact, WorkUsed
from lockstep.facts.reasons import Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledAnswer:
    """How far a gang is that is not to be planned, and in whose words.

    ``why`` is what its last plan said, None where it holds nothing; the other fields are its status's, as far as it has
    them.
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


def answer_settled(state: State, gang: GangFact) -> SettledAnswer:
    """Say of a gang that is not to be planned how far it is, and why it has what it has, as its status says it."""
    phase = state.phase_of(gang)
    refusal = state.refusal_of(gang)
    if phase is Phase.REFUSED and refusal is not None:
        return SettledAnswer(gang=gang.key, phase=phase, message=refusal.message)
    status, (condition, otherwise) = gang.status, _said_of(phase)
    written = status.end or status.condition(condition)
    message = otherwise if written is None or not written.message else written.message
    if not phase.holds_nodes:
        return SettledAnswer(gang=gang.key, phase=phase, message=message)
    planned = status.condition(Condition.PLANNED)
    return SettledAnswer(
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


def _said_of(phase: Phase) -> tuple[Condition, str]:
    """The condition that says most of a gang in that phase, and what is said where it has not been written."""
    match phase:
        case Phase.DELETED:
            return Condition.PLACED, "It is being deleted, and holds nothing."
        case Phase.SUSPENDED:
            return Condition.SUSPENDED, "Its owner has suspended it: it is planned again when it is resumed."
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
