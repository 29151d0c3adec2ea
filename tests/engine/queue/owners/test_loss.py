"""What owners who come back cost a run: closed forms against sums over small steps, and what is known without them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coschedule.queue.owners.hazards import hazards_of
from coschedule.queue.problem.owner_forecasts import Forecasts, no_forecasts
from engine.brute.owners import lost_by_steps

HOUR = 3600.0


def hazards(*rows, edges=None):
    edges = [HOUR * hour for hour in range(len(rows[0]) + 1)] if edges is None else edges
    return hazards_of(Forecasts(edges=np.array(edges), returns=np.array(rows)))


def loss(rows, start, finish, interval=math.inf, nodes=None):
    nodes = range(len(rows)) if nodes is None else nodes
    return hazards(*rows).loss(np.array(list(nodes)), start, finish, interval)


PROBABILITIES = st.sampled_from([0.0, 0.0, 0.01, 0.2, 0.5, 0.9])


@given(
    rows=st.integers(1, 3).flatmap(
        lambda hours: st.lists(st.lists(PROBABILITIES, min_size=hours, max_size=hours), min_size=1, max_size=3)
    ),
    start=st.sampled_from([-500.0, 0.0, 1234.0, 3600.0, 9000.0]),
    seconds=st.sampled_from([60.0, 1800.0, 7200.0, 30000.0]),
    interval=st.sampled_from([math.inf, 300.0, 1000.0, 3600.0, 10000.0]),
)
def test_loss_is_that_of_small_steps(rows, start, seconds, interval):
    forecasts = Forecasts(edges=np.array([HOUR * hour for hour in range(len(rows[0]) + 1)]), returns=np.array(rows))
    want_probability, want_seconds = lost_by_steps(forecasts, range(len(rows)), start, start + seconds, interval)

    found = hazards_of(forecasts)
    got = found.loss(np.arange(len(rows)), start, start + seconds, interval) if found else (0.0, 0.0)

    assert got[0] == pytest.approx(want_probability, abs=1e-3)
    assert got[1] == pytest.approx(want_seconds, rel=5e-3, abs=0.5)


def test_probability_of_one_hour_is_that_of_the_forecast():
    assert loss([[0.3]], 0, HOUR).probability == pytest.approx(0.3)


def test_owners_come_back_independently():
    assert loss([[0.3], [0.5]], 0, HOUR).probability == pytest.approx(1 - 0.7 * 0.5)


def test_half_an_hour_has_the_square_root_of_the_chance_to_go_well():
    assert loss([[0.19]], 0, HOUR / 2).probability == pytest.approx(0.1)


def test_hazard_of_the_last_hour_goes_on():
    assert loss([[0.0, 0.1]], 0, 4 * HOUR).probability == pytest.approx(1 - 0.9**3)


def test_no_owner_comes_back_before_the_first_hour():
    assert loss([[0.5]], -3 * HOUR, 0) == (0.0, 0.0)


def test_only_its_own_nodes_count():
    assert loss([[0.5], [0.0]], 0, HOUR, nodes=[1]) == (0.0, 0.0)


def test_checkpoints_bound_what_is_lost():
    rare, often = loss([[0.2] * 9], 0, 9 * HOUR, 1800.0), loss([[0.2] * 9], 0, 9 * HOUR, 60.0)

    assert often.probability == rare.probability
    assert often.seconds < 60 * often.probability
    assert often.seconds == pytest.approx(30 * often.probability, rel=0.01)
    assert rare.seconds < loss([[0.2] * 9], 0, 9 * HOUR).seconds


def test_checkpoints_after_the_run_change_nothing():
    assert loss([[0.2]], 0, HOUR, 2 * HOUR) == loss([[0.2]], 0, HOUR)


def test_a_year_with_a_checkpoint_a_second_is_summed_up_at_once():
    year = 365 * 24 * HOUR

    assert loss([[1e-4]], 0, year, 1.0).seconds == pytest.approx(0.5 * (1 - 0.9999 ** (365 * 24)), rel=1e-6)


def test_run_without_an_end_loses_without_end_where_an_owner_may_come_back():
    assert loss([[0.0, 0.1]], 0, math.inf) == (1.0, math.inf)
    assert loss([[0.1, 0.0]], 0, math.inf) == (pytest.approx(0.1), math.inf)
    assert loss([[0.1, 0.0]], 2 * HOUR, math.inf) == (0.0, 0.0)


def test_certain_return_counts_as_one_at_the_begin_of_its_hour():
    found = loss([[0.0, 1.0]], 0, 2 * HOUR)

    assert found.probability == pytest.approx(1.0)
    assert HOUR < found.seconds < 1.1 * HOUR


def test_next_to_impossible_returns_do_not_happen():
    assert hazards([1e-300]) is None
    assert hazards_of(no_forecasts()) is None


def test_likeliest_owner_is_named():
    node, probability = hazards([0.1], [0.4], [0.4]).likeliest(np.array([0, 1, 2]), 0, HOUR)

    assert (node, probability) == (1, pytest.approx(0.4))


@pytest.mark.parametrize(
    ("edges", "returns", "match"),
    [
        ([0.0], [[]], "edges"),
        ([0.0, 0.0], [[0.1]], "ascending order"),
        ([0.0, math.inf], [[0.1]], "finite"),
        ([0.0, 1.0], [[0.1, 0.2]], "column"),
        ([0.0, 1.0], [[1.1]], "from 0 to 1"),
        ([0.0, 1.0], [[math.nan]], "from 0 to 1"),
    ],
)
def test_forecasts_that_make_no_sense_are_refused(edges, returns, match):
    with pytest.raises(ValueError, match=match):
        Forecasts(edges=np.array(edges), returns=np.array(returns))
