"""Least squares on a few columns, and each row forecast from the others without solving again."""

import numpy as np
import pytest

from coschedule.learning.least_squares import solve


def problem(seed, rows=12, terms=3):
    random = np.random.default_rng(seed)
    return random.uniform(0.1, 5.0, (rows, terms)), random.uniform(0.5, 2.0, rows)


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_forecast_as_by_solving_without_each_of_them(seed):
    rows, targets = problem(seed)

    solution = solve(rows, targets)

    for left_out, forecast in enumerate(solution.forecasts):
        others = np.arange(len(rows)) != left_out
        coefficients = np.linalg.lstsq(rows[others], targets[others])[0]
        assert forecast == pytest.approx(rows[left_out] @ coefficients)


@pytest.mark.parametrize("seed", range(20))
def test_no_other_coefficients_are_closer(seed):
    rows, targets = problem(seed)
    random = np.random.default_rng(seed)

    found = solve(rows, targets).coefficients

    least = np.square(rows @ found - targets).sum()
    for _ in range(50):
        other = found + random.normal(0, 10.0 ** random.uniform(-4, 1), len(found))
        assert np.square(rows @ other - targets).sum() >= least


def test_covariance_is_that_of_solutions_of_noisy_targets():
    rows, _ = problem(1, rows=30)
    random = np.random.default_rng(2)
    truth = np.array([1.0, 2.0, 3.0])
    solved = [solve(rows, rows @ truth + random.normal(0, 0.1, 30)) for _ in range(3000)]

    seen = np.cov(np.array([one.coefficients for one in solved]).T)

    assert np.mean([one.covariance for one in solved], axis=0) == pytest.approx(seen, rel=0.15, abs=2e-6)


def test_row_that_alone_says_something_of_a_column_is_not_forecast():
    solution = solve(np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0]]), np.array([1.0, 2.0, 3.0]))

    assert np.isnan(solution.forecasts).tolist() == [False, False, True]


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([[1.0, 2.0]] * 5, id="columns that are multiples"),
        pytest.param([[1.0, 0.0]] * 5, id="column of nothing"),
        pytest.param([[1.0, 2.0], [1.0, 3.0]], id="no more rows than columns"),
    ],
)
def test_columns_that_cannot_be_distinguished_have_no_solution(rows):
    assert solve(np.array(rows), np.ones(len(rows))) is None


def test_columns_of_very_different_units_are_distinguished():
    rows, targets = problem(3)
    units = np.array([1e-9, 1.0, 1e9])

    assert solve(rows * units, targets).coefficients * units == pytest.approx(solve(rows, targets).coefficients)
