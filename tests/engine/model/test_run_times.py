"""One run time is the same, to the last digit, as in the table of all."""

import math
from fractions import Fraction

import pytest

from coschedule.model.run_times import SerialWork, TimesWork
from engine.builders import seeded

LARGEST = 200


def random_work(rnd):
    return rnd.choice(
        [
            SerialWork(serial=1e4 * rnd.random() + 1e-3),
            SerialWork(serial=10**400 // 10**100, fixed=Fraction(1, 3), per_member=rnd.random()),
            SerialWork(serial=rnd.randint(1, 10**6), fixed=rnd.random(), per_log_member=rnd.random()),
            TimesWork(times=(*(rnd.choice([math.inf, 1 + rnd.random()]) for _ in range(30)), Fraction(7, 3))),
        ]
    )


@pytest.mark.parametrize("seed", range(20))
def test_one_time_is_that_of_the_table(seed):
    work = random_work(seeded(seed))

    assert [work.float_time(size) for size in range(1, LARGEST + 1)] == work.float_times(LARGEST).tolist()
