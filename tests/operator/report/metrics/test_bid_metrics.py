"""Gauges of what nodes offer."""

import itertools
from collections import deque
from dataclasses import replace
from typing import NamedTuple

import pytest
from prometheus_client import CollectorRegistry

from builders.facts import bid_fact, bid_report, node_fact
from builders.served import bid as served_bid
from lockstep.api.nodebid.bid import parse_bid
from lockstep.belief.state import State
from lockstep.facts.cluster.node import ExpectedHour
from lockstep.report.metrics.bid_metrics import BID_STATES
from lockstep.report.metrics.gauges import refreshing
from lockstep.report.metrics.metrics import Metrics

NOW = 7200.0
NONE = dict.fromkeys(BID_STATES, 0)


class Read(NamedTuple):
    """All gauges of bids, as a reader gets them; measured and forecast side by side."""

    counts: dict[str, float]
    duty_cycles: tuple[float, float]
    error: float
    owners: tuple[float, float]
    oldest: float


class Reading:
    """Reads the gauges of one operator again and again."""

    def __init__(self):
        self.state = State(lambda: None)
        self.state.nodes.apply(node_fact("n1"))
        self.state.nodes.apply(node_fact("n2"))
        self.metrics = Metrics(CollectorRegistry())
        self.versions = itertools.count(1)

    def read(self, *bids, at=NOW):
        """The gauges once these bids are there, and no others."""
        for node in {*self.state.bids.known()} - {bid.node for bid in bids}:
            self.state.bids.remove(node)
        for bid in bids:
            self.state.bids.apply(replace(bid, resource_version=str(next(self.versions))))
        deque(refreshing(self.metrics, self.state, at, ()))
        return Read(
            counts={name: self._value("lockstep_bids", state=name) for name in BID_STATES},
            duty_cycles=self._both("lockstep_bid_duty_cycle"),
            error=self._value("lockstep_bid_forecast_error"),
            owners=self._both("lockstep_bid_owner_present"),
            oldest=self._value("lockstep_oldest_bid_report_seconds"),
        )

    def _both(self, name):
        return tuple(self._value(name, source=source) for source in ("measured", "foretold"))

    def _value(self, name, **labels):
        return self.metrics.registry.get_sample_value(name, labels)


def gauges(*bids):
    """What is read first of these bids."""
    return Reading().read(*bids)


def forecasting(node, *, duty_cycle=None, hour=None, returns=0.0, **known):
    """A bid whose agent foretells something of the hour from NOW on, and of the next one."""
    hours = () if hour is None else ((NOW, hour), (NOW + 3600, 9.0))
    return bid_fact(
        node,
        report=bid_report(duty_cycle=duty_cycle, forecast=hours),
        forecast=(ExpectedHour(NOW, returns), ExpectedHour(NOW + 3600, 1.0)),
        **known,
    )


def test_without_bids_all_are_zero():
    assert gauges() == (NONE, (0, 0), 0, (0, 0), 0)


def test_bids_are_counted_by_what_members_find_and_those_of_people_apart():
    counts = gauges(
        bid_fact("n1", report=bid_report()),
        bid_fact("n2", report=bid_report(), since=NOW + 1),
        bid_fact("n3", report=bid_report()),
        bid_fact("n4", report=bid_report(), expires=NOW),
        bid_fact("n5"),
    ).counts

    assert counts == {"offered": 1, "later": 1, "closed": 1, "expired": 1, "by_hand": 1}


def test_what_is_measured_is_compared_with_the_forecast_before_the_hour_began():
    reading = Reading()
    nodes = ("n1", "n2", "n3", "n4", "n5")
    reading.read(*(forecasting(node, hour=None if node == "n3" else 0.25) for node in nodes), at=NOW - 60)

    read = reading.read(
        forecasting("n1", duty_cycle=0.5, hour=0.5),
        forecasting("n2", duty_cycle=0.0, hour=0.0),
        forecasting("n3", duty_cycle=5.0, hour=5.0),
        forecasting("n4", hour=0.25),
        forecasting("n5", duty_cycle=7.0, hour=7.0, expires=NOW),
    )

    assert read.duty_cycles == (0.25, 0.25)
    assert read.error == 0.25


def test_newest_forecast_before_the_hour_counts_all_through_it_and_no_longer():
    reading = Reading()
    for at, hour in ((NOW - 3600, 3.0), (NOW - 60, 1.0), (NOW, 2.0)):
        reading.read(forecasting("n1", duty_cycle=0.0, hour=hour), at=at)

    assert reading.read(forecasting("n1", duty_cycle=2.0, hour=2.0), at=NOW + 3599).duty_cycles == (2.0, 1.0)
    assert reading.read(forecasting("n1", duty_cycle=2.0, hour=2.0), at=NOW + 3600).duty_cycles == (2.0, 9.0)


def test_nothing_is_compared_without_a_forecast_beforehand():
    reading = Reading()
    reading.read(bid_fact("n2", forecast=(ExpectedHour(NOW, 1.0),), owner_present=False), at=NOW - 60)

    read = reading.read(
        forecasting("n1", duty_cycle=1.0, hour=1.0, owner_present=True),
        forecasting("n2", duty_cycle=1.0, hour=1.0, owner_present=True),
    )

    assert (read.duty_cycles, read.error, read.owners) == ((0, 0), 0, (0, 0))


def test_bid_that_was_gone_meanwhile_is_not_compared():
    reading = Reading()
    reading.read(forecasting("n1", hour=1.0), at=NOW - 120)
    reading.read(at=NOW - 60)

    assert reading.read(forecasting("n1", duty_cycle=2.0)).duty_cycles == (0, 0)


def test_owners_who_come_are_compared_with_how_likely_that_was_while_they_were_away():
    reading = Reading()
    reading.read(
        forecasting("n1", returns=0.5, owner_present=False),
        forecasting("n2", returns=0.25, owner_present=False),
        forecasting("n3", returns=0.75, owner_present=True),
        forecasting("n4", returns=0.75),
        forecasting("n5", returns=0.75, owner_present=False),
        at=NOW - 60,
    )

    read = reading.read(
        forecasting("n1", returns=1.0, owner_present=True),
        forecasting("n2", returns=0.1, owner_present=False),
        forecasting("n3", returns=1.0, owner_present=True),
        forecasting("n4", returns=1.0, owner_present=True),
        forecasting("n5", returns=1.0),
    )

    assert read.owners == (0.5, 0.375)


@pytest.mark.parametrize(("written", "want"), [(NOW - 60, 60), (NOW + 60, 0), (None, 0)])
def test_oldest_report_is_one_of_bids_that_count(written, want):
    oldest = gauges(
        bid_fact("n1", report=bid_report(written=written)),
        bid_fact("n2", report=bid_report(written=0.0), expires=NOW),
    ).oldest

    assert oldest == want


def test_agent_that_measures_what_cannot_be_leaves_the_means_of_the_others():
    hours = [{"from": "1970-01-01T02:00:00Z", "dutyCycle": "250m"}]
    measured = {"n1": "0.5", "n2": "1e999", "n3": "-1e999", "n4": "1e308", "n5": "1e308", "n6": "-1"}
    bids = [
        parse_bid({**served_bid(node, forecast=hours), "status": {"measured": {"dutyCycle": duty_cycle}}})
        for node, duty_cycle in measured.items()
    ]
    reading = Reading()
    reading.read(*bids, at=NOW - 60)

    read = reading.read(*bids)

    assert (read.duty_cycles, read.error) == ((0.5, 0.25), 0.25)
