"""The summary of a gang in one line for `kubectl get gj`. It is computed for every status that is written.

It stays until the next status, so it has points in time, and no durations that would become wrong.
"""

from typing import assert_never

from lockstep.api.quantities import rfc3339
from lockstep.facts.gang.gang import AcceptedGang, GangFact, GangSpec
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.gang.summary import GangState, Summary
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.text.sentences import REMEDY_BEGINS, duration
from lockstep.report.text.size_sentences import change_ahead, to_join

# In characters: roughly the space on a line beside the other columns. The condition has the whole sentence.
LONGEST = 120


def summary_of(gang: GangFact, status: GangStatus) -> Summary:
    """The summary of the gang with that status."""
    state = state_of(status)
    size = _size(gang.spec, status) if isinstance(gang, AcceptedGang) else ""
    if is_pod_gang(gang.key) and (status.next_size is not None or _has_bound_pods(gang)):
        # The spec has only the pods that must still be bound.
        size = _chosen(status)
    return Summary(state, size, _shortened(_says(state, status)))


def _has_bound_pods(gang: GangFact) -> bool:
    return isinstance(gang, AcceptedGang) and gang.spec.has_bound_pods


def state_of(status: GangStatus) -> GangState:
    """The state of a gang with that status, in one word."""
    if status.end is not None:
        return GangState.SUCCEEDED if status.end.type == Condition.COMPLETE else GangState.FAILED
    if status.is_being_undone:
        return GangState.STOPPING
    if status.reserved_at is not None:
        is_running = status.is_true(Condition.PLACED) and status.started_at is not None
        return GangState.RUNNING if is_running else GangState.STARTING
    if status.is_true(Condition.PLACED):
        # Only Gangs come here: their pods run on, and nothing is reserved for them any more.
        return GangState.RUNNING
    return _state_without_nodes(status)


def _state_without_nodes(status: GangStatus) -> GangState:
    accepted, planned = status.condition(Condition.ACCEPTED), status.condition(Condition.PLANNED)
    if planned is not None and planned.reason == Reason.GANG_DELETED:
        return GangState.DELETING
    if accepted is not None and accepted.status == "False":
        return GangState.REFUSED
    if status.is_true(Condition.SUSPENDED):
        return GangState.SUSPENDED
    return GangState.PLANNED if status.is_true(Condition.PLANNED) else GangState.WAITING


def _size(spec: GangSpec, status: GangStatus) -> str:
    """``11 (2–12)``; ``4→9 (2–12)`` while it changes; ``2–12`` before a size is chosen; ``4`` if there is no choice."""
    if spec.minimum == spec.maximum:
        return str(spec.minimum)
    span, chosen = f"{spec.minimum}–{spec.maximum}", _chosen(status)
    return f"{chosen} ({span})" if chosen else span


def _chosen(status: GangStatus) -> str:
    """``11``, or ``4→9`` while the size changes; '' before a size is chosen."""
    sizes = (status.size, None if status.next_size is None else status.next_size.size)
    return "→".join(str(size) for size in sizes if size is not None)


def _says(state: GangState, status: GangStatus) -> str:  # noqa: PLR0911 - one answer for each state
    match state:
        case GangState.SUCCEEDED:
            return _ended(status)
        case GangState.PLANNED:
            return _starts(status)
        case GangState.RUNNING:
            return _ends(status) or _why_others_wait(status)
        case GangState.WAITING:
            return _message(status, Condition.PLACED if _was_undone(status) else Condition.PLANNED)
        case GangState.REFUSED:
            return _message(status, Condition.ACCEPTED)
        case GangState.DELETING:
            return _message(status, Condition.PLANNED)
        case GangState.STARTING | GangState.STOPPING:
            return _message(status, Condition.PLACED)
        case GangState.SUSPENDED:
            return _message(status, Condition.SUSPENDED)
        case GangState.FAILED:
            return _message(status, Condition.FAILED)
        case _:
            assert_never(state)


def _starts(status: GangStatus) -> str:
    """The likely start, which may differ from the planned one."""
    return "" if status.plan is None else f"likely to start at {rfc3339(status.plan.likely_start)}"


def _ends(status: GangStatus) -> str:
    if status.noticed_size is not None and status.size is not None:
        return change_ahead(status.size, status.noticed_size)
    if status.joining_size is not None and status.size is not None:
        return to_join(status.joining_size.size - status.size)
    if status.expected_finish is None:
        return ""
    end = rfc3339(status.expected_finish)
    if status.is_true(Condition.OVERRUNNING):
        return f"was expected to end at {end}, and still runs"
    return f"expected to end at {end}"


def _why_others_wait(status: GangStatus) -> str:
    """Why other pods of a running Gang are not planned; '' for gangs with a reservation."""
    return "" if status.reserved_at is not None else _message(status, Condition.PLANNED)


def _ended(status: GangStatus) -> str:
    if status.finished_at is None or status.started_at is None:
        return ""
    # The clock may have been set back meanwhile.
    seconds = max(0.0, status.finished_at - status.started_at)
    return f"ended at {rfc3339(status.finished_at)}, ran {duration(seconds)}"


def _was_undone(status: GangStatus) -> bool:
    planned = status.condition(Condition.PLANNED)
    return planned is not None and planned.reason == Reason.RESERVATION_RELEASED


def _message(status: GangStatus, kind: Condition) -> str:
    condition = status.condition(kind)
    return "" if condition is None else condition.message


def _shortened(text: str) -> str:
    """The text in one line of limited length. If it must be cut off, the remedy comes first."""
    line = " ".join(text.split()).removesuffix(".")
    if len(line) <= LONGEST:
        return line
    line = _remedy_first(line)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _remedy_first(line: str) -> str:
    sentences = line.split(". ")
    return ". ".join(sorted(sentences, key=lambda sentence: not sentence.startswith(REMEDY_BEGINS)))
