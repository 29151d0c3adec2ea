"""The estimates of gangs that are too far behind to be planned."""

import math

import pytest

from builders.facts import gang_fact, gang_spec
from coschedule import Placement, Reason, SerialWork
from lockstep.cycle.planning.estimates import coarse_time, coarsely, estimates
from lockstep.facts.past_runs import Learned
from lockstep.report.text.refusal_sentences import format_refusal

NOW = 1_800_000_000.0
TIMES = ("08:00", "08:20", "08:40")


def placement(gang, *, start=0.0, finish=100.0, size=2):
    return Placement(
        gang=gang.key,
        size=size,
        start=NOW + start,
        finish=NOW + finish,
        speedup=None,
        members=(),
        slowest="n1",
        latest=None,
        alternative=None,
    )


def gangs_of(seconds, count):
    spec = gang_spec(size=2, work=None if seconds is None else SerialWork(serial=2 * seconds))
    return [gang_fact(f"g{number}", spec=spec) for number in range(count)]


def nothing(_):
    """Nothing was learnt of any gang's run time."""


def test_work_in_front_is_done_as_fast_as_planned():
    first, *rest = gangs_of(1000.0, 4)
    planned = [placement(first, start=0.0, finish=1000.0)]

    behind = estimates([first, *rest], rest, planned, NOW, nothing)

    assert {one.reason for one in behind} == {Reason.BEHIND_IN_QUEUE}
    assert [format_refusal(one.refusal).rpartition(" ")[2] for one in behind] == [
        f"2027-01-15T{when}:00Z" for when in TIMES
    ]
    assert format_refusal(behind[2].refusal).startswith(
        "2 gangs or more are in front of it; it gets an exact plan when fewer are in front; its rough"
    )


def test_estimates_are_made_with_what_was_learnt():
    first, *rest = gangs_of(500.0, 4)
    learned = Learned(thousandths=2000, runs=3)

    behind = estimates([first, *rest], rest, [placement(first, finish=1000.0)], NOW, lambda _: learned)

    assert [format_refusal(one.refusal).rpartition(" ")[2] for one in behind] == [
        f"2027-01-15T{when}:00Z" for when in TIMES
    ]


def test_unknown_run_times_give_no_estimate():
    first, *rest = gangs_of(None, 4)
    [one, *_] = estimates([first, *rest], rest, [placement(first, finish=math.inf)], NOW, nothing)

    assert (
        format_refusal(one.refusal) == "1 gang or more is in front of it; it gets an exact plan when fewer are in front"
    )


@pytest.mark.parametrize(
    ("count", "want"), [(0, 1), (1, 1), (4, 2), (5, 5), (19, 10), (256, 200), (999, 500), (12_345, 10_000)]
)
def test_numbers_are_rounded_down(count, want):
    assert coarsely(count) == want


@pytest.mark.parametrize(
    ("seconds", "want"),
    [
        pytest.param(10, 60, id="whole minutes at least"),
        pytest.param(3600, 3840, id="a quarter of an hour or less for an hour"),
        pytest.param(86_400, 92_160, id="hours for days"),
    ],
)
def test_times_are_rounded_up(seconds, want):
    midnight = 0.0

    assert coarse_time(midnight + seconds, midnight) == want
    assert seconds <= want <= max(1.3 * seconds, 60)
