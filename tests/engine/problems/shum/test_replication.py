"""The mean time of replicated runs [C 7.4], where (7.1) is wrong, and what a coalition does not promise."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coschedule.model.errors import InvalidValueError
from coschedule.problems.shum.replication import mean_turnaround
from engine.brute.replication import mean_longest
from engine.brute.replication import mean_turnaround as mean_by_definition


def printed(runs, replicas, speedup):
    """(7.1): N/(S_p * R) + H_R."""
    return Fraction(runs) / (speedup * replicas) + sum(Fraction(1, rank) for rank in range(1, replicas + 1))


def test_one_run_takes_one_run_where_the_printed_formula_counts_two():
    """Erratum 8: (7.1) [C 7.4.2, pages 106-107] counts the last runs twice: one run on one replica would take 2."""
    assert printed(1, 1, 1) == 2
    assert mean_turnaround(runs=1, replicas=1, speedup=1) == 1


def test_parallelism_shortens_the_end_too():
    """Erratum 8: the end effect of (7.1) [C 7.4.2, pages 106-107] does not become shorter with faster replicas."""
    assert printed(4, 4, 10**9) > mean_longest(4)
    assert mean_turnaround(runs=4, replicas=4, speedup=2) == mean_longest(4) / 2


def test_turnaround_equals_the_definition():
    speedups = [Fraction(1, 2), 1, Fraction(7, 3), 4, 10]
    cases = [
        (runs, replicas, speedup) for runs in range(1, 31) for replicas in range(1, runs + 1) for speedup in speedups
    ]

    assert len(cases) > 2000
    for runs, replicas, speedup in cases:
        got = mean_turnaround(runs=runs, replicas=replicas, speedup=speedup)
        assert got == mean_by_definition(runs, replicas, Fraction(speedup))


many_runs = st.integers(2, 200)
speedups = st.sampled_from([Fraction(1, 5), Fraction(6, 7), Fraction(1), Fraction(5, 2), Fraction(50)])


@given(many_runs, st.integers(1, 199))
def test_another_replica_never_hurts(runs, replicas):
    replicas = min(replicas, runs - 1)

    fewer = mean_turnaround(runs=runs, replicas=replicas, speedup=1)

    assert mean_turnaround(runs=runs, replicas=replicas + 1, speedup=1) <= fewer


@given(many_runs, st.integers(1, 200), speedups)
def test_another_run_never_ends_sooner(runs, replicas, speedup):
    replicas = min(replicas, runs)

    one_more = mean_turnaround(runs=runs + 1, replicas=replicas, speedup=speedup)

    assert one_more == mean_turnaround(runs=runs, replicas=replicas, speedup=speedup) + 1 / (replicas * speedup)


@given(many_runs, speedups)
def test_faster_replicas_scale_the_time(runs, speedup):
    one = mean_turnaround(runs=runs, replicas=runs, speedup=1)

    assert mean_turnaround(runs=runs, replicas=runs, speedup=speedup) * speedup == one
    assert mean_turnaround(runs=runs, replicas=runs, speedup=float(speedup)) == pytest.approx(
        float(one / speedup), rel=1e-9
    )


@pytest.mark.parametrize(
    ("changes", "want_field"),
    [
        pytest.param({"runs": 0}, "runs", id="no runs"),
        pytest.param({"replicas": 0}, "replicas", id="no replicas"),
        pytest.param({"replicas": 4}, "replicas", id="more replicas than runs"),
        pytest.param({"speedup": 0}, "speedup", id="no speed"),
        pytest.param({"speedup": float("inf")}, "speedup", id="endless speed"),
    ],
)
def test_values_that_make_no_sense_are_refused_by_field(changes, want_field):
    with pytest.raises(InvalidValueError) as refusal:
        mean_turnaround(**{"runs": 3, "replicas": 2, "speedup": 1} | changes)

    assert refusal.value.field == want_field


def last_end(runs, *, coalition):
    """End all runs, of 1 each, on a place of speed 2 and one of speed 1; the earliest begun moves up in a coalition."""
    speeds, now, waiting = [Fraction(2), Fraction(1)], Fraction(0), runs
    left = [None, None]
    while waiting or any(left):
        for place, work in enumerate(left):
            if not work and waiting:
                waiting -= 1
                left[place] = Fraction(1)
        step = min(work / speed for work, speed in zip(left, speeds, strict=True) if work)
        left = [work and work - speed * step for work, speed in zip(left, speeds, strict=True)]
        now += step
        if coalition and not left[0] and left[1]:
            left = [left[1], None]
    return now


def test_coalition_can_end_later_than_plain_dynamic_assignment():
    """Erratum 8: three runs, a fast and a slow place: moving the earliest to the fast one [C 7.4.4] ends at 9/8."""
    assert last_end(3, coalition=False) == 1
    assert last_end(3, coalition=True) == Fraction(9, 8)
    assert last_end(2, coalition=True) < last_end(2, coalition=False)
