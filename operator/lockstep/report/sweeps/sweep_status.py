"""The status of a GangSweep, computed from the known state of its runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, assert_never

from lockstep.facts.gang.status import ConditionFact
from lockstep.facts.sweeps.run_ends import RunEnd, RunEnds
from lockstep.facts.sweeps.sweep import (
    RunFailure,
    Sweep,
    SweepCondition,
    SweepEnd,
    SweepReason,
    SweepRefusal,
    SweepState,
    SweepStatus,
)

_MOST_CHARACTERS = 1_024
_MOST_OF_SUMMARY = 1_000
_CUT_OFF = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepNow:
    """The state of a sweep: the ends of runs, the runs in progress, the size of the next runs, and obstacles.

    ``refusal`` says why no run can be created. ``trouble`` is a sentence that says why no run can be created at the
    moment; '' if runs can be created.
    """

    ends: RunEnds
    failures: tuple[RunFailure, ...] = ()
    end: SweepEnd | None = None
    running: int = 0
    waiting: int = 0
    size: int | None = None
    size_reason: str = ""
    refusal: SweepRefusal | None = None
    trouble: str = ""
    requeued: str = ""
    parameters_uid: str = ""
    is_begun: bool = False
    expected_finish: float | None = None


def sweep_status(sweep: Sweep, stands: SweepNow, before: SweepStatus, now: float) -> SweepStatus:
    """The status to write. ``before`` is the last written status."""
    ends = stands.ends
    return SweepStatus(
        observed_generation=sweep.generation,
        state=_state(sweep, stands),
        summary=_shortened(_summary(sweep, stands), _MOST_OF_SUMMARY),
        runs=len(ends) or None,
        running=stands.running,
        waiting=stands.waiting,
        succeeded=ends.count(RunEnd.SUCCEEDED),
        failed=ends.count(RunEnd.FAILED),
        failed_runs=_failed_runs(ends),
        run_ends=ends.packed,
        failures=tuple(one._replace(message=_shortened(one.message, _MOST_OF_SUMMARY)) for one in stands.failures),
        size=stands.size,
        size_reason=_shortened(stands.size_reason, _MOST_OF_SUMMARY),
        requeued=stands.requeued,
        parameters_uid=stands.parameters_uid,
        started_at=before.started_at or (now if stands.is_begun else None),
        expected_finish=None if stands.end is not None else stands.expected_finish,
        finished_at=None if stands.end is None else before.finished_at or now,
        conditions=tuple(_conditions(sweep, stands, before, now)),
    )


def end_sentence(end: SweepEnd, ends: RunEnds) -> str:
    """A sentence with numbers about the end of a sweep."""
    succeeded, failed = ends.count(RunEnd.SUCCEEDED), ends.count(RunEnd.FAILED)
    counts = f"{succeeded} of {len(ends)} runs succeeded, {failed} failed"
    match end.reason:
        case SweepReason.RUNS_ENDED:
            return f"All runs have ended: {counts}."
        case SweepReason.ENOUGH_SUCCEEDED:
            return f"Enough runs have succeeded: {counts}; the others are stopped."
        case SweepReason.TOO_MANY_FAILED:
            return f"More runs failed than maxFailed allows: {counts}; the others are stopped."
        case SweepReason.TOO_FEW_LEFT:
            return f"Too few runs are left for finish.first: {counts}; the others are stopped."
        case (
            SweepReason.SPEC_UNDERSTOOD
            | SweepReason.TEMPLATE_REFUSED
            | SweepReason.PARAMETERS_REFUSED
            | SweepReason.RUN_REFUSED
            | SweepReason.NAME_TAKEN
        ):
            raise AssertionError(f"no sweep ends by {end.reason}")
        case _:
            assert_never(end.reason)


def _state(sweep: Sweep, stands: SweepNow) -> SweepState:
    if stands.end is not None:
        return SweepState(stands.end.condition)
    if stands.refusal is not None:
        return SweepState.REFUSED
    return SweepState.SUSPENDED if sweep.spec.is_suspended else SweepState.RUNNING


def _summary(sweep: Sweep, stands: SweepNow) -> str:
    if stands.end is not None:
        return end_sentence(stands.end, stands.ends)
    if stands.refusal is not None:
        return stands.refusal.message
    if stands.trouble and not sweep.spec.is_suspended:
        return stands.trouble
    left = stands.ends.count(RunEnd.NOT_YET)
    return f"{left} of {len(stands.ends)} runs are left: {stands.running} hold nodes, {stands.waiting} wait."


def _failed_runs(ends: RunEnds) -> str:
    """The numbers of failed runs, as far as there is room. Numbers for which there is no room are not formatted."""
    ranges, characters = list[str](), 0
    for first, last in ends.spans_with(RunEnd.FAILED):
        ranges.append(str(first) if first == last else f"{first}-{last}")
        characters += len(ranges[-1]) + 1
        if characters > _MOST_CHARACTERS:
            whole, _, _ = ",".join(ranges)[: _MOST_CHARACTERS - len(_CUT_OFF) - 1].rpartition(",")
            return f"{whole},{_CUT_OFF}"
    return ",".join(ranges)


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - len(_CUT_OFF)] + _CUT_OFF


def _conditions(sweep: Sweep, stands: SweepNow, before: SweepStatus, now: float) -> Iterator[ConditionFact]:
    """The condition ``Accepted``, and the condition of the sweep's end if it has ended.

    The time of a condition changes only when its status changes.
    """
    is_true = _Condition(
        SweepCondition.ACCEPTED, "True", SweepReason.SPEC_UNDERSTOOD, "Lockstep can do what the spec says."
    )
    refusal, found = stands.refusal, [is_true]
    if refusal is not None:
        found = [_Condition(SweepCondition.ACCEPTED, "False", refusal.reason, refusal.message)]
    if stands.end is not None:
        message = end_sentence(stands.end, stands.ends)
        found.append(_Condition(stands.end.condition, "True", stands.end.reason, message))
    for one in found:
        known = before.condition(one.kind)
        yield ConditionFact(
            type=one.kind,
            status=one.status,
            reason=one.reason,
            message=_shortened(one.message, _MOST_CHARACTERS),
            observed_generation=sweep.generation,
            last_transition=float(int(now)) if known is None or known.status != one.status else known.last_transition,
        )


class _Condition(NamedTuple):
    kind: SweepCondition
    status: str
    reason: SweepReason
    message: str
