"""Forecasts of owners' return, on hours of the clock."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.facts import bid_fact
from coschedule import hazards_of
from lockstep.facts.cluster.node import ExpectedHour, OnReturn
from lockstep.snapshot.nodes import owner_forecasts as module
from lockstep.snapshot.nodes.owner_forecasts import HOURS, OwnerForecasts, owner_forecasts

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


def test_hours_far_ahead_are_not_read():
    assert not returns(bid((HOURS + 9, 0.9))).any()


@pytest.mark.parametrize("on_return", [OnReturn.KEEP, OnReturn.PACE])
def test_nothing_is_forecast_where_no_gang_is_interrupted(on_return):
    assert owner_forecasts([None, bid((0, 0.5), on_return=on_return)], NOW).hours == 0


def test_each_node_has_its_row():
    found = owner_forecasts([None, bid((0, 0.5)), bid((0, 0.0))], NOW + 1800)

    assert found.edges[0] == NOW
    assert found.returns.any(axis=1).tolist() == [False, True, False]


def test_certain_return_is_not_forgotten_in_later_hours():
    found = hazards_of(owner_forecasts([bid((0, 1.0), (1, 0.25))], NOW))

    assert found.loss(np.array([0]), NOW + HOUR, NOW + 2 * HOUR, np.inf).probability == pytest.approx(0.25, abs=1e-3)


hours = st.lists(st.tuples(st.integers(-30, 60).map(lambda half: half / 2), st.floats(0, 1)), max_size=4).map(
    lambda described: sorted(dict(described).items())
)
some_bids = st.lists(st.none() | hours.map(lambda described: bid(*described)), min_size=3, max_size=3)


def one_by_one(one, now):
    """Work out a node's probabilities second by second of half hours, without any other node."""
    found = []
    for hour in range(HOURS):
        halves = [now + HOUR * (hour + half) for half in (0, 0.5)]
        rates = [[it.returns for it in one.forecast if it.begin <= half][-1:] or [0.0] for half in halves]
        found.append(1 - np.prod([np.sqrt(1 - min(rate, 1 - 2**-40)) for [rate] in rates]))
    return found


@given(st.lists(st.tuples(some_bids, st.integers(0, 3)), min_size=1, max_size=4))
def test_what_was_worked_out_before_changes_nothing(lists):
    kept, before = OwnerForecasts(), [None, None, None]
    for bids, later in lists:
        # Some bids stay the same objects.
        mixed = [old if number < later else new for number, (old, new) in enumerate(zip(before, bids, strict=True))]
        now = NOW + HOUR * (later // 2)
        found = kept.of(mixed, now)
        want = owner_forecasts(mixed, now)
        assert np.array_equal(found.edges, want.edges)
        assert np.array_equal(found.returns, want.returns)
        for row, one in zip(found.returns, mixed, strict=False):
            assert row.tolist() == pytest.approx([0.0] * HOURS if one is None else one_by_one(one, now), abs=1e-9)
        before = mixed


def test_thousands_of_nodes_are_worked_out_at_once_and_only_what_has_changed(monkeypatch):
    worked_out = []
    real = module._by_the_clock

    def counted(begins, returns, first):
        worked_out.append(len(returns))
        return real(begins, returns, first)

    monkeypatch.setattr(module, "_by_the_clock", counted)
    kept, bids = OwnerForecasts(), [bid((0, 0.5), (1, 0.1)) for _ in range(5000)]

    first, again = kept.of(bids, NOW), kept.of(list(bids), NOW + 1)
    assert (worked_out, again is first) == ([5000], True)
    kept.of([*bids[:-1], bid((0, 0.25), (1, 0.1))], NOW + 2)
    assert worked_out == [5000, 1]
    kept.of(bids, NOW + HOUR)
    assert worked_out == [5000, 1, 5000]
