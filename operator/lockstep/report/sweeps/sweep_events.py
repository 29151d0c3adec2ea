"""The events of a GangSweep: what has changed between two of its statuses.

A status is written once in five seconds at most, the size is decided anew every 30 s, and a status has ten failures at
most. So the events of a sweep are bounded as its statuses are.
"""

from collections.abc import Iterator
from typing import assert_never

from lockstep.api.cluster.event import Event, EventSubject
from lockstep.api.names import API_VERSION, SWEEP_KIND
from lockstep.facts.reasons import EventReason
from lockstep.facts.runs.sweep_keys import sweep_name
from lockstep.facts.sweeps.sweep import RunFailure, Sweep, SweepCondition, SweepEnd, SweepStatus
from lockstep.report.status.events import NORMAL, WARNING
from lockstep.report.text.sentences import as_sentence, n_members


def sweep_subject(sweep: Sweep) -> EventSubject:
    """A GangSweep."""
    namespace, name = sweep.key.namespace, sweep_name(sweep.key)
    return EventSubject(API_VERSION, SWEEP_KIND, namespace, name, sweep.uid, sweep.resource_version)


def sweep_events(before: SweepStatus, now: SweepStatus) -> Iterator[Event]:
    """What a user wants to know of the change from one status to the next."""
    if before.started_at is None and now.started_at is not None:
        yield _started(now)
    elif before.size is not None and now.size is not None and before.size != now.size:
        yield _size_changed(before.size, now.size, now.size_reason)
    known = {one.run for one in before.failures}
    yield from (_run_failed(one) for one in now.failures if one.run not in known)
    if _is_refused(now) and not _is_refused(before):
        yield Event(kind=WARNING, reason=EventReason.SWEEP_REFUSED, action="Validate", note=now.summary)
    if now.end is not None and now.end != before.end:
        yield _ended(now.end, now.summary)


def _started(status: SweepStatus) -> Event:
    """The first run was made."""
    note = as_sentence(f"the first of {status.runs} runs is made. {status.size_reason}".rstrip())
    return Event(kind=NORMAL, reason=EventReason.SWEEP_STARTED, action="Make", note=note)


def _size_changed(before: int, size: int, why: str) -> Event:
    """The runs that are made next have another size."""
    note = f"Runs that are made from now on have {n_members(size)}, and not {before} as before. {why}".rstrip()
    return Event(kind=NORMAL, reason=EventReason.SWEEP_SIZE_CHANGED, action="Resize", note=note)


def _run_failed(failure: RunFailure) -> Event:
    """One of the first runs to fail has failed for good."""
    note = f"Run {failure.run} has failed, {failure.reason}: {failure.message}"
    return Event(kind=WARNING, reason=EventReason.SWEEP_RUN_FAILED, action="Count", note=note)


def _ended(end: SweepEnd, summary: str) -> Event:
    match end.condition:
        case SweepCondition.COMPLETE:
            return Event(kind=NORMAL, reason=EventReason.SWEEP_COMPLETE, action="Count", note=summary)
        case SweepCondition.FAILED:
            return Event(kind=WARNING, reason=EventReason.SWEEP_FAILED, action="Count", note=summary)
        case SweepCondition.ACCEPTED:
            raise AssertionError("no sweep ends by its acceptance")
        case _:
            assert_never(end.condition)


def _is_refused(status: SweepStatus) -> bool:
    accepted = status.condition(SweepCondition.ACCEPTED)
    return accepted is not None and accepted.status == "False"
