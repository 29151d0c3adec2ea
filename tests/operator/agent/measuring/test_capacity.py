"""How fast processors are: the best of five runs a day, the median of seven days."""

from itertools import pairwise

import pytest

from builders.usage import usage
from lockstep.agent.history.history_file import Learnt, load, save
from lockstep.agent.measuring import capacity as measuring
from lockstep.agent.measuring.capacity import DAY, REFERENCE, MeasuredCapacity, is_idle
from lockstep.api.nodebid.speeds import FASTEST


def clock(*speeds):
    """A processor clock by which runs have these speeds, relative to the reference."""
    spent = [0.0, *(measuring.ROUNDS / REFERENCE / speed for speed in speeds)]
    ticks = [sum(spent[: count + 1]) for count in range(len(spent))]
    readings = [reading for pair in pairwise(ticks) for reading in pair]
    return iter(readings).__next__


def measured_on_days(*bests):
    capacity = MeasuredCapacity()
    for day, best in enumerate(bests):
        ticking = clock(*[best] * 5)
        for _ in range(5):
            capacity.run(day * DAY, ticking)
    return capacity


def test_capacity_is_the_best_of_five_runs():
    capacity, ticking = MeasuredCapacity(), clock(0.7, 0.9, 1.25, 0.8, 0.6)
    for run in range(5):
        assert capacity.relative() is None
        capacity.run(float(run), ticking)

    assert capacity.relative() == pytest.approx(1.25)
    assert capacity.measured_at() == 4


def test_capacity_is_the_median_of_the_last_seven_days():
    assert measured_on_days(1, 1.1, 3).relative() == pytest.approx(1.1)
    assert measured_on_days(9, 9, 9, 9, 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6).relative() == pytest.approx(1.3)


def test_capacity_is_due_once_a_day_and_when_the_clock_was_set_back():
    capacity = measured_on_days(1, 1)

    assert MeasuredCapacity().is_due(0)
    assert not capacity.is_due(DAY + 1)
    assert capacity.is_due(2 * DAY)
    assert capacity.is_due(-DAY)


@pytest.mark.parametrize(
    ("used", "want"),
    [
        pytest.param(usage(host=1), True, id="half of the processors are free"),
        pytest.param(usage(host=5), False, id="local work needs them"),
        pytest.param(usage(gang=0.5), False, id="members run"),
    ],
)
def test_runs_are_for_idle_moments(used, want):
    assert is_idle(used) is want


def test_clock_that_stands_still_gives_no_infinite_speed():
    capacity = MeasuredCapacity()
    for _ in range(5):
        capacity.run(0, lambda: 0.0)

    assert capacity.relative() == pytest.approx(FASTEST)


@pytest.mark.parametrize("speed", [1e-9, 0.1, 10.0, 1e9])
def test_every_speed_that_is_measured_can_be_read_again(tmp_path, speed):
    measured = measured_on_days(speed)
    save(tmp_path / "history.json", Learnt(capacity=measured), "a processor")

    assert load(tmp_path / "history.json", today=0, measured_on="a processor").capacity == measured
