"""What becomes of a sweep: a pure function from what is known of its runs to the next steps.

A run has one of three ends in the status: not yet, succeeded, failed. It is made if it has not ended and has no
GangJob. So a creation needs no record. An end counts once it stands in a written status; only then its GangJob is
deleted. Until then the GangJob is the record. So whichever request the operator is killed at, no run is made twice and
none is lost.
"""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from lockstep.cycle.sweeps.run_phases import RunGang, RunPhase
from lockstep.facts.ranks import has_rank
from lockstep.facts.sweeps.run_ends import RunEnd, RunEnds
from lockstep.facts.sweeps.sweep import RequeueWish, RunFailure, SweepCondition, SweepEnd, SweepReason, SweepSpec

MOST_KEPT = 10
"""The most failed runs whose GangJobs stay and whose sentences stand in the status."""
MOST_OBJECTS = 1_000
"""The most GangJobs of a sweep at a time. Those that have ended stay until the next status, so short runs pile up."""
_MOST_MADE_AT_ONCE = 32
# Runs that fit nowhere hold up no others, but not any number of them is made.
_MOST_STUCK = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepView:
    """What is known of a sweep.

    ``recorded`` are the ends in the last written status, and ``failures`` the first failed runs there. ``seen`` are
    ends that were observed since, also of runs whose GangJob is gone. ``coming`` are runs whose GangJob was created and
    is not seen yet. ``near`` is how many runs may wait. ``wish`` is a wish of requeue that is not obeyed yet.
    """

    spec: SweepSpec
    recorded: RunEnds
    failures: tuple[RunFailure, ...] = ()
    seen: Mapping[int, RunFailure | None] = field(default_factory=dict)
    gangs: Mapping[int, RunGang] = field(default_factory=dict)
    coming: AbstractSet[int] = frozenset()
    near: int = 1
    end: SweepEnd | None = None
    wish: RequeueWish | None = None
    may_make: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepSteps:
    """What is next: runs to make and GangJobs to delete, by their runs; and what the status is to say.

    ``fresh`` are those of ``delete`` that may only be deleted at the version that was seen.
    """

    make: tuple[int, ...] = ()
    delete: tuple[int, ...] = ()
    fresh: frozenset[int] = frozenset()
    ends: RunEnds
    failures: tuple[RunFailure, ...]
    end: SweepEnd | None
    is_wish_obeyed: bool = False


def next_steps(view: SweepView) -> SweepSteps:
    """Decide what is next for a sweep."""
    again = _wanted_again(view)
    is_obeyed = view.wish is not None and not any(run in view.gangs or run in view.coming for run in again)
    ended = view.recorded if view.end is not None else view.recorded.having(_new_ends(view))
    failures, ends = _with_new_failures(view, ended), ended
    if is_obeyed:
        ends = ended.having(dict.fromkeys(again, RunEnd.NOT_YET))
        failures = tuple(one for one in failures if one.run not in again)
    end = view.end if view.end is not None and not (is_obeyed and again) else end_of(view.spec, ends)
    fresh = frozenset(_waiting(view) if view.spec.is_suspended and view.end is None else ())
    # What a wish changes is made once it is written.
    goes_on = view.may_make and not view.spec.is_suspended and view.end is None and end is None
    return SweepSteps(
        make=_to_make(view, ended) if goes_on else (),
        delete=(*_to_delete(view, again), *fresh),
        fresh=fresh,
        ends=ends,
        failures=failures,
        end=end,
        is_wish_obeyed=is_obeyed,
    )


def end_of(spec: SweepSpec, ends: RunEnds) -> SweepEnd | None:
    """How the sweep has ended if its runs have ended so; the order of their ends does not matter."""
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
    """The failed runs that are to be made again."""
    wish = view.wish
    if wish is None:
        return frozenset()
    return frozenset(run for run in view.recorded.runs_with(RunEnd.FAILED) if has_rank(wish.runs, run))


def _new_ends(view: SweepView) -> dict[int, RunEnd]:
    ends = {run: RunEnd.SUCCEEDED if failure is None else RunEnd.FAILED for run, failure in view.seen.items()}
    return {run: end for run, end in ends.items() if view.recorded.of(run) is RunEnd.NOT_YET}


def _with_new_failures(view: SweepView, ends: RunEnds) -> tuple[RunFailure, ...]:
    """The failures in the status, and new ones where there is room."""
    known = {one.run for one in view.failures}
    new = (one for _, one in sorted(view.seen.items()) if one is not None and one.run not in known)
    return (*view.failures, *(one for one in new if ends.of(one.run) is RunEnd.FAILED))[:MOST_KEPT]


def _to_delete(view: SweepView, again: frozenset[int]) -> Iterator[int]:
    """GangJobs whose end is recorded, but for those kept for their logs; and all that go on after the sweep's end."""
    kept = {one.run for one in view.failures} - again
    for run, gang in view.gangs.items():
        is_recorded = view.recorded.of(run) is not RunEnd.NOT_YET
        is_stopped = view.end is not None and not is_recorded
        if not gang.is_deleting and (is_stopped or (is_recorded and run not in kept)):
            yield run


def _waiting(view: SweepView) -> Iterator[int]:
    """Runs that wait, whose GangJobs a suspended sweep takes back."""
    for run, gang in view.gangs.items():
        if gang.phase.may_start and not gang.is_deleting:
            yield run


def _to_make(view: SweepView, ends: RunEnds) -> tuple[int, ...]:
    """The next runs, in the order of their numbers: as many as may wait, and as may be there at a time."""
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
    # Runs that are there or have just ended come among the first that have not ended in the status.
    candidates = ends.first_with(RunEnd.NOT_YET, len(there) + room)
    return tuple(run for run in candidates if run not in there)[:room]
