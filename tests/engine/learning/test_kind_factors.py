"""Kinds of nodes that make runs longer or shorter, found from runs, and whether that foretells runs better."""

import math
import statistics

import numpy as np
import pytest

from coschedule.learning.kind_factors import MOST_TIMES, fit_kinds
from coschedule.model.errors import InvalidValueError
from coschedule.model.kinds import NO_KIND
from engine.builders import seeded


def fit(*runs):
    """Runs are (kind, ratio)."""
    return fit_kinds(np.array([ratio for _, ratio in runs], dtype=float), np.array([kind for kind, _ in runs]))


def runs_of(kind, *ratios):
    return [(kind, ratio) for ratio in ratios]


def test_factors_are_beside_what_is_usual():
    found = fit(*runs_of(0, 1, 1, 1, 1), *runs_of(7, 2, 2, 2))

    assert (found.kinds.tolist(), found.runs.tolist()) == ([0, 7], [4, 3])
    assert found.times.tolist() == pytest.approx([1, 2])
    assert found.error == 0
    assert found.is_better


@pytest.mark.parametrize(
    "runs",
    [
        pytest.param([], id="no run"),
        pytest.param(runs_of(0, *[1] * 50), id="one kind"),
        pytest.param([*runs_of(0, *[1] * 50), *runs_of(1, 2, 2)], id="two runs of the other"),
        pytest.param([*runs_of(0, *[1] * 50), *runs_of(NO_KIND, 2, 2, 2)], id="the others are of no kind"),
        pytest.param([(number, 1.0) for number in range(5000)], id="thousands of kinds"),
    ],
)
def test_too_little_is_known(runs):
    assert fit(*runs) is None


def test_kinds_that_do_not_matter_are_hardly_ever_better():
    rnd = seeded(1)
    better = [fit(*((number % 2, math.exp(rnd.gauss(0, 0.1))) for number in range(20))).is_better for _ in range(200)]

    assert sum(better) <= 10


def test_kinds_that_matter_are_found_through_noise():
    rnd = seeded(2)
    for _ in range(50):
        found = fit(*((number % 2, math.exp(rnd.gauss(0, 0.05)) * (1 + number % 2)) for number in range(20)))

        assert found.is_better
        assert found.times[1] / found.times[0] == pytest.approx(2, rel=0.15)


def test_absurd_run_moves_no_kind():
    found = fit(*runs_of(0, 1, 1, 1, 1e6), *runs_of(1, 2, 2, 2))

    assert found.times[1] / found.times[0] == pytest.approx(2)


def test_no_factor_is_absurd():
    found = fit(*runs_of(0, 1e-12, 1e-12, 1e-12), *runs_of(1, 1, 1, 1, 1), *runs_of(2, 1e12, 1e12, 1e12))

    assert found.times.tolist() == pytest.approx([1 / MOST_TIMES, 1, MOST_TIMES])


@pytest.mark.parametrize("seed", range(30))
def test_errors_are_those_of_leaving_out_each_run(seed):
    rnd = seeded(seed)
    runs = [(rnd.choice([NO_KIND, 0, 1, 2]), math.exp(rnd.gauss(0, 1))) for _ in range(rnd.randint(25, 40))]
    found = fit(*runs)
    counting = [(kind, ratio) for kind, ratio in runs if kind in found.kinds.tolist()]

    def missed(is_alike):
        off = []
        for index, (kind, ratio) in enumerate(counting):
            others = [math.log(r) for i, (k, r) in enumerate(counting) if i != index and (is_alike or k == kind)]
            off.append(abs(math.log(ratio) - statistics.median(others)))
        return math.exp(statistics.mean(off)) - 1

    assert (found.error, found.error_alike) == pytest.approx((missed(is_alike=False), missed(is_alike=True)))


@pytest.mark.parametrize("ratio", [0.0, -1.0, float("inf"), float("nan")])
def test_ratio_that_no_run_has_is_refused(ratio):
    with pytest.raises(InvalidValueError):
        fit((0, ratio))
