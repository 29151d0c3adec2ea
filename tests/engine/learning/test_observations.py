"""Which runs count."""

import numpy as np
import pytest

from coschedule import FinishedRuns, InvalidValueError
from coschedule.learning.observations import medians_of_sizes, unlike_their_size


def runs(sizes, seconds, slowdowns=None):
    return FinishedRuns(
        sizes=np.array(sizes, dtype=np.int64),
        seconds=np.array(seconds, dtype=float),
        slowdowns=np.ones(len(sizes)) if slowdowns is None else np.array(slowdowns, dtype=float),
    )


def test_time_on_idle_nodes_is_without_the_slow_down():
    assert runs([4, 2], [30, 60], [1.5, 2]).idle_seconds.tolist() == [20, 30]


@pytest.mark.parametrize(
    ("size", "seconds", "slowdown"),
    [
        (0, 10, 1), (-1, 10, 1), (4, 0, 1), (4, -1, 1), (4, 1e-9, 1), (4, 1e15, 1), (4, np.inf, 1), (4, np.nan, 1),
        (4, 10, 0), (4, 10, -1), (4, 10, np.inf), (4, 10, np.nan), (4, 1e300, 1e-300), (4, 1e-300, 1e300),
    ],
)  # fmt: skip
def test_run_whose_numbers_make_no_sense_has_no_time(size, seconds, slowdown):
    assert runs([size], [seconds], [slowdown]).idle_seconds.tolist() == [0]


def test_arrays_of_different_lengths_are_a_mistake():
    with pytest.raises(InvalidValueError, match="seconds must have one entry for each of the 2 runs"):
        runs([1, 2], [1.0], [1, 1])


def test_median_is_that_of_the_runs_of_the_size():
    found = medians_of_sizes(np.array([2, 4, 2, 2, 4]), np.array([1.0, 5.0, 3.0, 9.0, 7.0]))

    assert found.tolist() == [3, 6, 3, 3, 6]


@pytest.mark.parametrize(
    ("sizes", "seconds", "want"),
    [
        pytest.param([4] * 5, [100, 101, 99, 100, 900], [4], id="much longer"),
        pytest.param([4] * 5, [100, 101, 99, 100, 1], [4], id="much shorter"),
        pytest.param([4] * 5, [100, 101, 99, 100, 120], [], id="a little longer where the others are alike"),
        pytest.param([4] * 5, [100, 50, 150, 70, 190], [], id="runs that differ much"),
        pytest.param([4, 4, 8, 8], [100, 900, 50, 450], [], id="two of each size, so that none stands out"),
        pytest.param([4, 4, 4, 8], [100, 100, 100, 1e6], [], id="the only one of its size"),
        pytest.param([], [], [], id="no run"),
    ],
)
def test_runs_unlike_their_size(sizes, seconds, want):
    found = unlike_their_size(np.array(sizes, dtype=np.int64), np.array(seconds, dtype=float))

    assert np.flatnonzero(found).tolist() == want
