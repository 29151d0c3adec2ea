"""The state machine of a sweep, step by step."""

from dataclasses import replace

from coschedule import RunTimeLaw
from lockstep.cycle.sweeps.deciding import SweepView, end_of, next_steps
from lockstep.cycle.sweeps.run_phases import RunGang, RunPhase
from lockstep.facts.document import Document
from lockstep.facts.ranks import ranks_from
from lockstep.facts.sweeps.run_ends import RunEnd, RunEnds
from lockstep.facts.sweeps.sweep import (
    RequeueRequest,
    RunFailure,
    SweepCondition,
    SweepEnd,
    SweepReason,
    SweepSpec,
)

SPEC = SweepSpec(
    runs=10,
    parameters="",
    max_parallel=None,
    first=None,
    max_failed=None,
    law=RunTimeLaw.EQUAL,
    is_suspended=False,
    template=Document.of({}),
)
FAILED = RunFailure(3, "MemberFailed", "It failed.")


def ends(**by_run):
    """Ten runs, of which these have ended: ``r3=RunEnd.FAILED``."""
    return RunEnds.none(10).having({int(name.removeprefix("r")): end for name, end in by_run.items()})


def gangs(**phases):
    """GangJobs of runs: ``r3=RunPhase.FAILED``."""
    return {int(name[1:]): RunGang(uid=name, version="1", phase=phase) for name, phase in phases.items()}


def view(**fields):
    """A sweep of ten runs of which three may wait."""
    return SweepView(**{"spec": SPEC, "recorded": ends(), "near": 3, **fields})


def test_as_many_runs_are_made_as_may_wait():
    """Those that are there or coming count, and running ones do not."""
    assert next_steps(view()).make == (0, 1, 2)
    there = gangs(r0=RunPhase.RUNNING, r1=RunPhase.WAITING)
    assert next_steps(view(gangs=there, coming={2})).make == (3,)


def test_max_parallel_counts_all_that_have_not_ended():
    """Also those that run."""
    there = gangs(r0=RunPhase.RUNNING, r1=RunPhase.RUNNING, r2=RunPhase.SUCCEEDED)
    assert next_steps(view(spec=replace(SPEC, max_parallel=3), gangs=there, seen={2: None})).make == (3,)


def test_stuck_runs_hold_up_no_others():
    """Sixteen of them at most."""
    there = gangs(r0=RunPhase.STUCK, r1=RunPhase.STUCK)
    assert next_steps(view(gangs=there)).make == (2, 3, 4)


def test_gang_job_is_deleted_only_once_its_end_is_recorded():
    """Before that, it is the record."""
    there = gangs(r0=RunPhase.SUCCEEDED)
    before = next_steps(view(gangs=there, seen={0: None}))
    assert (before.delete, before.ends.of(0)) == ((), RunEnd.SUCCEEDED)
    assert 0 not in before.make
    assert next_steps(view(gangs=there, recorded=ends(r0=RunEnd.SUCCEEDED))).delete == (0,)


def test_failed_run_stays_while_its_sentence_stands():
    """Beyond the first ten, it is deleted."""
    there = gangs(r3=RunPhase.FAILED)
    steps = next_steps(view(gangs=there, recorded=ends(r3=RunEnd.FAILED), failures=(FAILED,)))
    assert (steps.delete, steps.failures) == ((), (FAILED,))
    assert next_steps(view(gangs=there, recorded=ends(r3=RunEnd.FAILED))).delete == (3,)


def test_nothing_is_stopped_before_the_end_of_the_sweep_is_recorded():
    """Then all that goes on is deleted, and no run is made."""
    spec, there = replace(SPEC, first=1), gangs(r0=RunPhase.SUCCEEDED, r1=RunPhase.RUNNING)
    before = next_steps(view(spec=spec, gangs=there, seen={0: None}))
    assert (before.delete, before.make) == ((), ())
    assert before.end == SweepEnd(SweepCondition.COMPLETE, SweepReason.ENOUGH_SUCCEEDED)
    after = next_steps(view(spec=spec, gangs=there, recorded=ends(r0=RunEnd.SUCCEEDED), end=before.end))
    assert (set(after.delete), after.make) == ({0, 1}, ())


def test_ends_after_the_end_of_the_sweep_do_not_count():
    """The first that ended are those of the status."""
    end = SweepEnd(SweepCondition.COMPLETE, SweepReason.ENOUGH_SUCCEEDED)
    recorded = ends(r0=RunEnd.SUCCEEDED)
    assert next_steps(view(recorded=recorded, seen={1: None}, end=end)).ends == recorded


def test_wish_is_obeyed_once_the_old_gang_job_is_gone():
    """First it is deleted, then the run counts as not ended, and only then it is made."""
    requeue, recorded = RequeueRequest("1", ranks_from([3, 5])), ends(r3=RunEnd.FAILED, r5=RunEnd.SUCCEEDED)
    asked = view(requeue=requeue, recorded=recorded, failures=(FAILED,), gangs=gangs(r3=RunPhase.FAILED))
    first = next_steps(asked)
    assert (first.delete, first.is_request_obeyed, first.ends) == ((3,), False, recorded)
    second = next_steps(replace(asked, gangs={}))
    assert (second.is_request_obeyed, second.ends, second.failures) == (True, ends(r5=RunEnd.SUCCEEDED), ())
    assert 3 not in second.make


def test_wish_lets_a_failed_sweep_go_on():
    """No run is made before that is written."""
    end = SweepEnd(SweepCondition.FAILED, SweepReason.TOO_MANY_FAILED)
    asked = view(spec=replace(SPEC, max_failed=0), recorded=ends(r3=RunEnd.FAILED), end=end)
    steps = next_steps(replace(asked, requeue=RequeueRequest("1", ranks_from([3]))))
    assert (steps.end, steps.make, steps.ends) == (None, (), ends())


def test_suspended_sweep_deletes_what_waits_as_it_was_seen():
    """What has begun meanwhile has another version."""
    there = gangs(r0=RunPhase.RUNNING, r1=RunPhase.WAITING)
    steps = next_steps(view(spec=replace(SPEC, is_suspended=True), gangs=there))
    assert (steps.make, steps.delete, steps.fresh) == ((), (1,), frozenset({1}))


def test_end_of_a_sweep_does_not_depend_on_the_order_of_its_runs_ends():
    """Enough successes count before too many failures, and too few runs that are left fail it."""
    both = ends(r0=RunEnd.SUCCEEDED, r1=RunEnd.FAILED)
    assert end_of(replace(SPEC, first=1, max_failed=0), both).condition is SweepCondition.COMPLETE
    assert end_of(replace(SPEC, max_failed=0), both).reason is SweepReason.TOO_MANY_FAILED
    assert end_of(replace(SPEC, first=10), both).reason is SweepReason.TOO_FEW_LEFT
    assert end_of(SPEC, both) is None


def test_large_sweep_has_few_objects():
    """However many GangJobs have ended that no status has counted yet."""
    many = {run: RunGang(uid="u", version="1", phase=RunPhase.SUCCEEDED) for run in range(1_000)}
    large = SweepView(spec=SPEC, recorded=RunEnds.none(10_000), gangs=many, seen=dict.fromkeys(many), near=32)
    assert next_steps(large).make == ()
    assert len(next_steps(replace(large, gangs={})).make) == 32
