"""The events of a GangSweep, computed from the changes between two of its statuses.

A status is written at most every five seconds, the size is decided again every 30 s, and a status has at most ten
failures. So a sweep posts few events, even if it has thousands of runs.
"""

from collections.abc import Iterator
from typing import assert_never

from lockstep.api.cluster.event import Event, EventSubject
from lockstep.api.names import API_VERSION, SWEEP_KIND
from lockstep.facts.runs.sweep_keys import sweep_name
from lockstep.facts.sweeps.sweep import Sweep, SweepCondition, SweepEnd, SweepStatus
from lockstep.report.status.events import (
    sweep_complete,
    sweep_failed,
    sweep_refused,
    sweep_run_failed,
    sweep_size_changed,
    sweep_started,
)


def sweep_subject(sweep: Sweep) -> EventSubject:
    """The GangSweep as the subject of events."""
    namespace, name = sweep.key.namespace, sweep_name(sweep.key)
    return EventSubject(API_VERSION, SWEEP_KIND, namespace, name, sweep.uid, sweep.resource_version)


def sweep_events(before: SweepStatus, now: SweepStatus) -> Iterator[Event]:
    """The events about the change from one status to the next."""
    if before.started_at is None and now.started_at is not None:
        yield sweep_started(now.runs or 0, now.size_reason)
    elif before.size is not None and now.size is not None and before.size != now.size:
        yield sweep_size_changed(before.size, now.size, now.size_reason)
    known = {one.run for one in before.failures}
    yield from (sweep_run_failed(one) for one in now.failures if one.run not in known)
    if _is_refused(now) and not _is_refused(before):
        yield sweep_refused(now.summary)
    if now.end is not None and now.end != before.end:
        yield _ended(now.end, now.summary)


def _ended(end: SweepEnd, summary: str) -> Event:
    match end.condition:
        case SweepCondition.COMPLETE:
            return sweep_complete(summary)
        case SweepCondition.FAILED:
            return sweep_failed(summary)
        case SweepCondition.ACCEPTED:
            raise AssertionError("no sweep ends by its acceptance")
        case _:
            assert_never(end.condition)


def _is_refused(status: SweepStatus) -> bool:
    accepted = status.condition(SweepCondition.ACCEPTED)
    return accepted is not None and accepted.status == "False"
