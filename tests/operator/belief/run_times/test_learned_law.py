"""The law that runs show, beside what their spec states."""

import math

import pytest

from coschedule import NoFit
from lockstep.belief.run_times.learned_law import judge, thousandths_of_law
from lockstep.facts.past_runs import MOST_RUNS, run_of

OFF = (0.97, 1.02, 1.0, 1.03, 0.99)


def runs(sizes, *, serial, stated, slowdown=1.5):
    """Runs that took serial/P with a little noise, of a spec that states so many seconds with P members."""
    some = []
    for number, size in enumerate(sizes):
        idle = serial / size * OFF[number % len(OFF)]
        some.append(run_of(idle / stated(size), members=size, slowdown=slowdown, seconds=idle * slowdown))
    return tuple(some)


def test_law_is_better_where_another_shape_was_stated():
    judged = judge(runs([1, 2, 4, 8] * 3, serial=600, stated=lambda size: 100.0))

    assert judged.better is judged.fit
    assert judged.better.coefficients[0] == pytest.approx(600, rel=0.05)
    assert judged.better.error < 0.05 < judged.stated_error


@pytest.mark.parametrize("times", [0.1, 1.0, 30.0])
def test_law_is_not_better_than_the_shape_that_was_stated_whatever_the_factor(times):
    judged = judge(runs([1, 2, 4, 8] * 3, serial=600, stated=lambda size: times * 600 / size))

    assert judged.stated_error == pytest.approx(judged.fit.error, rel=0.1)
    assert judged.better is None


def test_runs_whose_size_is_not_known_show_nothing():
    judged = judge((run_of(2),) * 20)

    assert judged.fit == NoFit(shortage="TooFewRuns", runs=0, sizes=())
    assert (judged.stated_error, judged.better) == (math.inf, None)


def test_no_run_shows_nothing():
    assert judge(()).better is None


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(
            [run_of(1e300, members=10_000, slowdown=1, seconds=1e9)], id="endless, with all members there are"
        ),
        pytest.param([run_of(0, members=16, slowdown=1, seconds=1e-9)], id="over before it began"),
        pytest.param([run_of(0, members=16, slowdown=1e9, seconds=0)] * 5, id="on nodes that stand still"),
        pytest.param(
            [run_of(1, members=size, slowdown=1, seconds=1e9 if size % 2 else 1e-3) for size in range(1, 40)],
            id="endless and over in turn",
        ),
    ],
)
def test_runs_out_of_this_world_give_an_answer_that_makes_sense(odd):
    judged = judge((*runs([1, 2, 4, 8] * 2, serial=600, stated=lambda size: 600 / size), *odd)[:MOST_RUNS])

    assert judged.fit.error >= 0
    assert (judged.fit.work.float_times(100) > 0).all()
    assert all(map(math.isfinite, judged.fit.work.float_times(100)))


def test_factors_of_a_law_are_those_of_its_times():
    some = runs([1, 2, 4, 8] * 3, serial=600, stated=lambda size: 100.0)
    law = judge(some).better

    factors = thousandths_of_law((run_of(7), *some), law)

    assert len(factors) == len(some)
    assert min(factors) == pytest.approx(970, abs=20)
    assert max(factors) == pytest.approx(1030, abs=20)
