"""Decides about a sweep: a pure function from the known state of its runs to the next steps.

In the status, a run has one of three ends: not yet, succeeded, or failed. A run is created if it has not ended and has
no GangJob. So a creation needs no record. An end counts after it is in a written status, and only then the GangJob is
deleted. Until then the GangJob is the record. So the operator may be killed at any request: no run is made twice, and
none is lost.
"""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from lockstep.cycle.sweeps.run_phases import RunGang, RunPhase
from lockstep.facts.ranks import has_rank
from lockstep.facts.sweeps.run_ends import RunEnd, RunEnds
from lockstep.facts.sweeps.sweep import RequeueRequest, RunFailure, SweepCondition, SweepEnd, SweepReason, SweepSpec

MOST_KEPT = 10
"""The most failed runs whose GangJobs stay, and whose messages are in the status."""
MOST_OBJECTS = 1_000
"""The most GangJobs of a sweep at a time.

Those that have ended stay until the next status, so short runs accumulate.
"""
_MOST_MADE_AT_ONCE = 32
# Runs that fit nowhere do not delay other runs: this number of them does not count as waiting.
_MOST_STUCK = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepView:
    """The known state of a sweep.

    ``recorded`` has the ends in the last written status, and ``failures`` the first failed runs there. ``seen`` has
    ends that were observed since then, also of runs whose GangJob is gone. ``coming`` has runs whose GangJob was
    created and is not observed yet. ``near`` is the number of runs that may wait. ``requeue`` asks for runs
    to be requeued, and is not carried out yet.
    """

    spec: SweepSpec
    recorded: RunEnds
    failures: tuple[RunFailure, ...] = ()
    seen: Mapping[int, RunFailure | None] = field(default_factory=dict)
    gangs: Mapping[int, RunGang] = field(default_factory=dict)
    coming: AbstractSet[int] = frozenset()
    near: int = 1
    end: SweepEnd | None = None
    requeue: RequeueRequest | None = None
    may_make: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepSteps:
    """The next steps: the runs to create, the runs whose GangJobs to delete, and what the status must say.

    The GangJobs in ``fresh`` may only be deleted at the observed version.
    """

    make: tuple[int, ...] = ()
    delete: tuple[int, ...] = ()
    fresh: frozenset[int] = frozenset()
    ends: RunEnds
    failures: tuple[RunFailure, ...]
    end: SweepEnd | None
    is_request_obeyed: bool = False


def next_steps(view: SweepView) -> SweepSteps:
    """Decide the next steps of a sweep."""
    again = _wanted_again(view)
    is_obeyed = view.requeue is not None and not any(run in view.gangs or run in view.coming for run in again)
    ended = view.recorded if view.end is not None else view.recorded.having(_new_ends(view))
    failures, ends = _with_new_failures(view, ended), ended
    if is_obeyed:
        ends = ended.having(dict.fromkeys(again, RunEnd.NOT_YET))
        failures = tuple(one for one in failures if one.run not in again)
    end = view.end if view.end is not None and not (is_obeyed and again) else end_of(view.spec, ends)
    fresh = frozenset(_waiting(view) if view.spec.is_suspended and view.end is None else ())
    # Requeued runs are created after a status has recorded that the request was obeyed.
    goes_on = view.may_make and not view.spec.is_suspended and view.end is None and end is None
    return SweepSteps(
        make=_to_make(view, ended) if goes_on else (),
        delete=(*_to_delete(view, again), *fresh),
        fresh=fresh,
        ends=ends,
        failures=failures,
        end=end,
        is_request_obeyed=is_obeyed,
    )


def end_of(spec: SweepSpec, ends: RunEnds) -> SweepEnd | None:
    """The end of the sweep if its runs have these ends; None if it has not ended.

    The order of their ends does not matter.
    """
    succeeded, failed = ends.count(RunEnd.SUCCEEDED), ends.count(RunEnd.FAILED)
    if spec.first is not None and succeeded >= spec.first:
        return SweepEnd(SweepCondition.COMPLETE, SweepReason.ENOUGH_SUCCEEDED)
    if spec.max_failed is not None and failed > spec.max_failed:
        return SweepEnd(SweepCondition.FAILED, SweepReason.TOO_MANY_FAILED)
    if spec.first is not None and len(ends) - failed < spec.first:
        return SweepEnd(SweepCondition.FAILED, SweepReason.TOO_FEW_LEFT)
    if succeeded + failed == len(ends):
        return SweepEnd(SweepCondition.COMPLETE, SweepReason.RUNS_ENDED)
    return None


def _wanted_again(view: SweepView) -> frozenset[int]:
    """The failed runs that must be created again."""
    requeue = view.requeue
    if requeue is None:
        return frozenset()
    return frozenset(run for run in view.recorded.runs_with(RunEnd.FAILED) if has_rank(requeue.runs, run))


def _new_ends(view: SweepView) -> dict[int, RunEnd]:
    ends = {run: RunEnd.SUCCEEDED if failure is None else RunEnd.FAILED for run, failure in view.seen.items()}
    return {run: end for run, end in ends.items() if view.recorded.of(run) is RunEnd.NOT_YET}


def _with_new_failures(view: SweepView, ends: RunEnds) -> tuple[RunFailure, ...]:
    """The failures in the status, and new ones as far as there is room."""
    known = {one.run for one in view.failures}
    new = (one for _, one in sorted(view.seen.items()) if one is not None and one.run not in known)
    return (*view.failures, *(one for one in new if ends.of(one.run) is RunEnd.FAILED))[:MOST_KEPT]


def _to_delete(view: SweepView, again: frozenset[int]) -> Iterator[int]:
    """The runs whose GangJobs to delete.

    These are runs with a recorded end, except runs kept for their logs. After the end of the sweep, all unfinished runs
    are among them, too.
    """
    kept = {one.run for one in view.failures} - again
    for run, gang in view.gangs.items():
        is_recorded = view.recorded.of(run) is not RunEnd.NOT_YET
        is_stopped = view.end is not None and not is_recorded
        if not gang.is_deleting and (is_stopped or (is_recorded and run not in kept)):
            yield run


def _waiting(view: SweepView) -> Iterator[int]:
    """Waiting runs. A suspended sweep deletes their GangJobs."""
    for run, gang in view.gangs.items():
        if gang.phase.may_start and not gang.is_deleting:
            yield run


def _to_make(view: SweepView, ends: RunEnds) -> tuple[int, ...]:
    """The next runs, in the order of their numbers. Bounds limit the number that waits, and the number of GangJobs."""
    there = view.gangs.keys() | view.coming
    phases = [gang.phase for gang in view.gangs.values()]
    coming = len(view.coming - view.gangs.keys())
    stuck, live = phases.count(RunPhase.STUCK), sum(phase.end is RunEnd.NOT_YET for phase in phases) + coming
    waiting = phases.count(RunPhase.WAITING) + coming + max(0, stuck - _MOST_STUCK)
    room = min(view.near - waiting, MOST_OBJECTS - len(there), _MOST_MADE_AT_ONCE)
    if view.spec.max_parallel is not None:
        room = min(room, view.spec.max_parallel - live)
    if room <= 0:
        return ()
    # Runs that have a GangJob or have just ended are also among the first runs without an end in the status.
    candidates = ends.first_with(RunEnd.NOT_YET, len(there) + room)
    return tuple(run for run in candidates if run not in there)[:room]
