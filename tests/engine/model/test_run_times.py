"""Run times: one is the same, to the last digit, as in the table of all; those of a profile are as written down."""

import math
from fractions import Fraction

import pytest

from coschedule.model.errors import InvalidValueError
from coschedule.model.run_times import ProfileWork, SerialWork, TimedSize, TimesWork
from engine.builders import seeded

LARGEST = 200


def random_profile(rnd):
    sizes = sorted(rnd.sample(range(1, LARGEST), rnd.randint(1, 5)))
    law = rnd.choice([None, SerialWork(serial=1e4 * rnd.random() + 1e-3, per_log_member=rnd.random())])
    return ProfileWork(points=tuple(TimedSize(size, 1e-3 + 1e3 * rnd.random()) for size in sizes), law=law)


def one_time(work, size):
    """The run time of a profile, point by point and in fractions."""
    if not work.points[0].members <= size <= work.points[-1].members:
        return math.inf
    if work.law is not None:
        return work.law.float_time(size)
    before = max(point for point in work.points if point.members <= size)
    after = min(point for point in work.points if point.members >= size)
    share = Fraction(size - before.members, max(after.members - before.members, 1))
    low, high = (point.members * Fraction(point.seconds) for point in (before, after))
    return float((low + share * (high - low)) / size)


def random_work(rnd):
    return rnd.choice(
        [
            SerialWork(serial=1e4 * rnd.random() + 1e-3),
            SerialWork(serial=10**400 // 10**100, fixed=Fraction(1, 3), per_member=rnd.random()),
            SerialWork(serial=rnd.randint(1, 10**6), fixed=rnd.random(), per_log_member=rnd.random()),
            TimesWork(times=(*(rnd.choice([math.inf, 1 + rnd.random()]) for _ in range(30)), Fraction(7, 3))),
            random_profile(rnd),
        ]
    )


@pytest.mark.parametrize("seed", range(20))
def test_one_time_is_that_of_the_table(seed):
    work = random_work(seeded(seed))

    assert [work.float_time(size) for size in range(1, LARGEST + 1)] == work.float_times(LARGEST).tolist()


@pytest.mark.parametrize("seed", range(20))
def test_times_of_a_profile_are_those_of_each_size_by_itself(seed):
    work = random_profile(seeded(seed))

    assert work.float_times(LARGEST) == pytest.approx([one_time(work, size) for size in range(1, LARGEST + 1)])


@pytest.mark.parametrize(
    "points",
    [
        pytest.param((), id="no size"),
        pytest.param(((0, 5.0),), id="no member"),
        pytest.param(((2, 5.0), (2, 4.0)), id="a size twice"),
        pytest.param(((3, 5.0), (2, 6.0)), id="falling sizes"),
        pytest.param(((2, 0.0),), id="no time"),
        pytest.param(((2, math.inf),), id="endless"),
    ],
)
def test_profile_without_sense_is_refused(points):
    with pytest.raises(InvalidValueError):
        ProfileWork(points=tuple(TimedSize(*point) for point in points))
