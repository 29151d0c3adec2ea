"""What there is to say of a gang that is not to be planned: its status knows, or its spec."""

from dataclasses import dataclass

from coschedule import GangKey, Members
from lockstep.belief.phases import Phase
from lockstep.belief.state import State
from lockstep.facts.gang import GangFact, WorkUsed
from lockstep.facts.reasons import Condition

# Of each phase, the condition that says most, and what is said where it has not been written.
_SAYS = {
    Phase.DELETED: (Condition.PLACED, "It is being deleted, and holds nothing."),
    Phase.SUSPENDED: (Condition.SUSPENDED, "Its owner has suspended it: it is planned again when it is resumed."),
    Phase.RESERVED: (Condition.PLACED, "Its members are being created."),
    Phase.PLACED: (Condition.PLACED, "All of its members are bound."),
    Phase.COMPLETE: (Condition.COMPLETE, "It has ended."),
}


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
    status, (condition, otherwise) = gang.status, _SAYS[phase]
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
