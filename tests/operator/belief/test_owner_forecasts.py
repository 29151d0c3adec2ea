"""Forecasts of owners' return, on hours of the clock."""

import numpy as np
import pytest

from builders.facts import bid_fact
from coschedule import hazards_of
from lockstep.belief.owner_forecasts import HOURS, owner_forecasts
from lockstep.facts.node import ExpectedHour, OnReturn

HOUR = 3600.0
NOW = 500_000 * HOUR


def bid(*hours, on_return=OnReturn.EVICT):
    """Describe a bid whose hours are (hours from now, probability)."""
    forecast = tuple(ExpectedHour(NOW + HOUR * begin, returns) for begin, returns in hours)
    return bid_fact("n1", on_return=on_return, forecast=forecast)


def returns(one, now=NOW):
    return owner_forecasts([one], now).returns[0]


def test_hours_of_the_clock_come_as_they_are_written():
    found = returns(bid((0, 0.1), (1, 0.0), (2, 0.5)))

    assert found[:3].tolist() == pytest.approx([0.1, 0.0, 0.5])
    assert found[3:].tolist() == pytest.approx([0.5] * (HOURS - 3))


def test_hours_between_those_of_the_clock_are_divided_by_their_hazard():
    found = returns(bid((0.5, 0.19), (1.5, 0.0)))

    assert found[:3].tolist() == pytest.approx([0.1, 0.1, 0.0])


def test_hours_that_are_past_do_not_count_and_the_last_one_goes_on():
    assert returns(bid((-30, 0.9), (-2, 0.25))).tolist() == pytest.approx([0.25] * HOURS)


def test_hours_far_ahead_are_not_looked_at():
    assert not returns(bid((HOURS + 9, 0.9))).any()


@pytest.mark.parametrize("on_return", [OnReturn.KEEP, OnReturn.PACE])
def test_nothing_is_forecast_where_nobody_is_interrupted(on_return):
    assert owner_forecasts([None, bid((0, 0.5), on_return=on_return)], NOW).hours == 0


def test_each_node_has_its_row():
    found = owner_forecasts([None, bid((0, 0.5)), bid((0, 0.0))], NOW + 1800)

    assert found.edges[0] == NOW
    assert found.returns.any(axis=1).tolist() == [False, True, False]


def test_certain_return_is_not_forgotten_in_later_hours():
    found = hazards_of(owner_forecasts([bid((0, 1.0), (1, 0.25))], NOW))

    assert found.loss(np.array([0]), NOW + HOUR, NOW + 2 * HOUR, np.inf).probability == pytest.approx(0.25, abs=1e-3)
