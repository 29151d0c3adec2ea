"""Gauges of what nodes offer."""

from collections import deque

import pytest
from prometheus_client import CollectorRegistry

from builders.facts import bid_fact, bid_report, node_fact
from builders.served import bid as served_bid
from lockstep.api.bid import parse_bid
from lockstep.belief.state import State
from lockstep.report.bid_metrics import BID_STATES
from lockstep.report.gauges import refreshing
from lockstep.report.metrics import Metrics

NOW = 7200.0
NONE = dict.fromkeys(BID_STATES, 0)


def gauges(*bids):
    """All gauges of these bids: how many by state, and the others by name and label."""
    state = State(lambda: None)
    state.nodes.apply(node_fact("n1"))
    state.nodes.apply(node_fact("n2"))
    for bid in bids:
        state.bids.apply(bid)
    metrics = Metrics(CollectorRegistry())
    deque(refreshing(metrics, state, NOW, ()))
    value = metrics.registry.get_sample_value
    return (
        {name: value("lockstep_bids", {"state": name}) for name in BID_STATES},
        tuple(value("lockstep_bid_duty_cycle", {"source": source}) for source in ("measured", "foretold")),
        value("lockstep_bid_forecast_error"),
        value("lockstep_oldest_bid_report_seconds"),
    )


def test_without_bids_all_are_zero():
    assert gauges() == (NONE, (0, 0), 0, 0)


def test_bids_are_counted_by_what_members_find_and_those_of_people_apart():
    counts, *_ = gauges(
        bid_fact("n1", report=bid_report()),
        bid_fact("n2", report=bid_report(), since=NOW + 1),
        bid_fact("n3", report=bid_report()),
        bid_fact("n4", report=bid_report(), expires=NOW),
        bid_fact("n5"),
    )

    assert counts == {"offered": 1, "later": 1, "closed": 1, "expired": 1, "by_hand": 1}


def test_what_is_measured_is_compared_with_what_was_foretold_of_this_hour():
    hours = ((3600.0, 9.0), (7200.0, 0.25), (10800.0, 9.0))
    _, means, error, _ = gauges(
        bid_fact("n1", report=bid_report(duty_cycle=0.5, foretold=hours)),
        bid_fact("n2", report=bid_report(duty_cycle=0.0, foretold=hours)),
        bid_fact("n3", report=bid_report(duty_cycle=5.0)),
        bid_fact("n4", report=bid_report(duty_cycle=None, foretold=hours)),
        bid_fact("n5", report=bid_report(duty_cycle=7.0, foretold=hours), expires=NOW),
    )

    assert means == (0.25, 0.25)
    assert error == 0.25


@pytest.mark.parametrize(("written", "want"), [(NOW - 60, 60), (NOW + 60, 0), (None, 0)])
def test_oldest_report_is_told_of_bids_that_count(written, want):
    *_, oldest = gauges(
        bid_fact("n1", report=bid_report(written=written)),
        bid_fact("n2", report=bid_report(written=0.0), expires=NOW),
    )

    assert oldest == want


def test_agent_that_measures_what_cannot_be_leaves_the_means_of_the_others():
    hours = [{"from": "1970-01-01T02:00:00Z", "dutyCycle": "250m"}]
    measured = {"n1": "0.5", "n2": "1e999", "n3": "-1e999", "n4": "1e308", "n5": "1e308", "n6": "-1"}
    bids = (
        parse_bid({**served_bid(node, forecast=hours), "status": {"measured": {"dutyCycle": duty_cycle}}})
        for node, duty_cycle in measured.items()
    )

    _, means, error, _ = gauges(*bids)

    assert (means, error) == ((0.5, 0.25), 0.25)
