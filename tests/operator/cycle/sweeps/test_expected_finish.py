"""When a sweep is likely to end: by its pace, by its run times, and without a new status for each small change."""

import pytest

from lockstep.cycle.sweeps.expected_finish import SweepPace, expected_finish, steady
from lockstep.facts.sweeps.run_ends import RunEnd, RunEnds

START = 1_000.0


def pace(*, runs=100, succeeded=0, failed=0, running=10, first=None, at_best=None):
    each = [RunEnd.SUCCEEDED] * succeeded + [RunEnd.FAILED] * failed
    ends = RunEnds(bytes(each + [RunEnd.NOT_YET] * (runs - len(each))))
    return SweepPace(ends=ends, running=running, first=first, started_at=START, at_best=at_best)


@pytest.mark.parametrize(
    ("given", "want"),
    [
        pytest.param(pace(at_best=5_000.0), 5_000.0, id="run times, before a run has ended"),
        pytest.param(pace(), None, id="nothing is known"),
        pytest.param(pace(succeeded=20, running=0, at_best=5_000.0), None, id="none holds nodes"),
        # 20 of 100 are done in 100 s, with the half of ten that run.
        pytest.param(pace(succeeded=10, failed=5), 1_500.0, id="pace"),
        pytest.param(pace(succeeded=15, at_best=9_000.0), 9_000.0, id="the later one of both"),
        # Of 25 that have to succeed 15 have, and 5 more are half done.
        pytest.param(pace(succeeded=15, first=25, at_best=9_000.0), 1_125.0, id="first successes only"),
        pytest.param(pace(succeeded=98, running=10), 1_100.0, id="never before now"),
    ],
)
def test_end_follows_from_pace_and_run_times(given, want):
    assert expected_finish(given, START + 100) == want


def test_estimate_of_equal_runs_is_right_in_the_middle():
    """100 runs of 60 s, ten side by side: after five turns, five more are expected."""
    found = expected_finish(pace(succeeded=50, running=10), START + 330)

    assert found == pytest.approx(START + 600, rel=0.01)


@pytest.mark.parametrize(
    ("before", "found", "want"),
    [
        pytest.param(None, 2_000.0, 2_000.0, id="the first"),
        pytest.param(2_000.0, None, None, id="not known any more"),
        pytest.param(2_000.0, 2_059.0, 2_000.0, id="less than a minute"),
        pytest.param(2_000.0, 2_099.0, 2_000.0, id="less than a tenth"),
        pytest.param(2_000.0, 2_101.0, 2_101.0, id="more than a tenth"),
        pytest.param(900.0, 1_001.0, 1_001.0, id="the old one has passed"),
    ],
)
def test_small_changes_are_not_written(before, found, want):
    assert steady(before, found, START) == want
