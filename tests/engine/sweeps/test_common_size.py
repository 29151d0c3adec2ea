"""The common size of a sweep equals the best of all sizes by the definition, and ties are decided."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coschedule import CommonSize, InvalidValueError, NoCommonSize, RunTimeLaw, common_size
from engine.brute.replication import mean_turnaround

profiles = st.dictionaries(st.integers(1, 12), st.integers(1, 20), min_size=1, max_size=6)


def turns_one_by_one(runs, groups):
    """Deal equal runs out, each to the group that is free first, and count the turns of the busiest group."""
    ends = [0] * groups
    for _ in range(runs):
        first = min(range(groups), key=ends.__getitem__)
        ends[first] += 1
    return max(ends)


def finish_by_definition(groups, time, runs, law):
    if law is RunTimeLaw.EQUAL:
        return turns_one_by_one(runs, groups) * Fraction(time)
    return mean_turnaround(runs, groups, Fraction(1)) * time


@given(
    profiles,
    st.integers(0, 16),
    st.integers(1, 14),
    st.sampled_from(RunTimeLaw),
    st.one_of(st.none(), st.integers(1, 6)),
)
def test_no_other_size_ends_sooner_or_as_soon_with_fewer_members(times, places, runs, law, most):
    got = common_size(times, places, runs, law, most_groups=most)

    groups = {size: min(places // size, runs, most or runs) for size in times if size <= places}
    if not groups:
        assert got == NoCommonSize(least=min(times), places=places)
        return
    finishes = {size: finish_by_definition(groups[size], times[size], runs, law) for size in groups}
    finish, members, size = min((finishes[size], groups[size] * size, size) for size in groups)
    assert got == CommonSize(size=size, groups=members // size, finish=float(finish))


def amdahl(serial, fixed, sizes):
    return {size: serial / size + fixed for size in sizes}


@pytest.mark.parametrize(
    ("runs", "law", "want"),
    [
        pytest.param(96, RunTimeLaw.EQUAL, CommonSize(size=1, groups=48, finish=2 * 630.0), id="many runs: size 1"),
        pytest.param(100, RunTimeLaw.EQUAL, CommonSize(size=4, groups=12, finish=9 * 180.0), id="fuller last turns"),
        pytest.param(1, RunTimeLaw.EQUAL, CommonSize(size=48, groups=1, finish=600 / 48 + 30), id="one run: all nodes"),
        pytest.param(20, RunTimeLaw.EQUAL, CommonSize(size=2, groups=20, finish=330.0), id="as many groups as runs"),
        pytest.param(
            3, RunTimeLaw.EXPONENTIAL, CommonSize(size=16, groups=3, finish=67.5 * 11 / 6), id="the end effect counts"
        ),
    ],
)
def test_size_follows_the_number_of_runs(runs, law, want):
    got = common_size(amdahl(600, 30, (1, 2, 4, 8, 16, 48)), places=48, runs=runs, law=law)

    assert (got.size, got.groups) == (want.size, want.groups)
    assert got.finish == pytest.approx(want.finish)


def test_law_of_the_run_times_can_change_the_size():
    """Four equal runs fill two turns of two groups; of exponential ones the last are long, so one group is better."""
    times = {1: 10.0, 2: 5.2}

    assert common_size(times, places=2, runs=4, law=RunTimeLaw.EQUAL).size == 1
    assert common_size(times, places=2, runs=4, law=RunTimeLaw.EXPONENTIAL).size == 2


def test_equal_finishes_go_to_fewer_members_then_to_the_smaller_size():
    """8 places: 2 groups of 3 have 6 members, and 4 groups of 2 or 2 of 4 have 8."""
    assert common_size({2: 6, 3: 3, 4: 3}, places=8, runs=4).size == 3
    assert common_size({2: 6, 4: 3}, places=8, runs=4).size == 2


@pytest.mark.parametrize(
    ("changes", "want_field"),
    [
        pytest.param({"runs": 0}, "runs", id="no runs"),
        pytest.param({"most_groups": 0}, "most_groups", id="no group"),
        pytest.param({"places": -1}, "places", id="fewer than no places"),
        pytest.param({"times": {}}, "times", id="no size"),
        pytest.param({"times": {0: 5.0}}, "times", id="no members"),
        pytest.param({"times": {1: 5.0, 2: 0.0}}, "times[2]", id="no time"),
        pytest.param({"times": {1: float("inf")}}, "times[1]", id="endless time"),
        pytest.param({"times": {1: float("nan")}}, "times[1]", id="no number"),
    ],
)
def test_values_that_make_no_sense_are_refused_by_field(changes, want_field):
    with pytest.raises(InvalidValueError) as refusal:
        common_size(**{"times": {1: 5.0}, "places": 3, "runs": 2} | changes)

    assert refusal.value.field == want_field
