"""Metrics of NodeBids: how many are in each state, and how good forecasts are on average."""

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from statistics import fmean

from prometheus_client import CollectorRegistry, Gauge

from lockstep.belief.state import State
from lockstep.facts.cluster.bid_plan import BidState
from lockstep.facts.cluster.node import BidFact
from lockstep.report.metrics.forecast_hours import ForecastHours
from lockstep.report.nodebids.bid_plans import state_of_bid

BY_HAND = "by_hand"
BID_STATES = (*(state.lower() for state in BidState), BY_HAND)
_SOURCES = ("measured", "foretold")

Pair = tuple[float, float]
"""A value of this hour as measured, and as forecast."""


class BidMetrics:
    """Gauges of bids, which are refreshed when the metrics are read."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._declare_states(registry)
        self._declare_comparisons(registry)
        self._declare_reports(registry)
        self._forecasts = ForecastHours()

    def _declare_states(self, registry: CollectorRegistry) -> None:
        self._bids = Gauge(
            "lockstep_bids",
            "NodeBids by state. by_hand: bids that people write. Other states: bids of agents, by what the node "
            "offers.",
            ["state"],
            registry=registry,
        )
        for name in BID_STATES:
            self._bids.labels(name)

    def _declare_comparisons(self, registry: CollectorRegistry) -> None:
        self._duty_cycle = Gauge(
            "lockstep_bid_duty_cycle",
            "Mean duty cycle of the nodes whose agents made a forecast for this hour: measured, and forecast.",
            ["source"],
            registry=registry,
        )
        self._error = Gauge(
            "lockstep_bid_forecast_error",
            "Mean difference between the forecast and the measured duty cycle of this hour.",
            registry=registry,
        )
        self._owner_present = Gauge(
            "lockstep_bid_owner_present",
            "Share of owners who are present now, measured and forecast. It covers nodes with a forecast, if their "
            "owner was away before this hour.",
            ["source"],
            registry=registry,
        )
        for source in _SOURCES:
            self._duty_cycle.labels(source)
            self._owner_present.labels(source)

    def _declare_reports(self, registry: CollectorRegistry) -> None:
        self._oldest = Gauge(
            "lockstep_oldest_bid_report_seconds",
            "Age of the oldest report of an agent whose bid is valid.",
            registry=registry,
        )

    def refreshing(self, state: State, now: float) -> Generator[None, None, None]:
        """Set all gauges from the cache, in steps, since there may be many bids. The cache may change between steps."""
        bids, counts = list(state.bids.values()), Counter[str]()
        for bid in bids:
            counts[BY_HAND if bid.report is None else state_of_bid(state, bid, now)[0].lower()] += 1
            yield
        for name in BID_STATES:
            self._bids.labels(name).set(counts[name])
        self._forecasts.record(bids, now)
        yield
        counting = [bid for bid in bids if not bid.has_expired(now)]
        self._compare(counting, now)
        written = [bid.report.written_at for bid in counting if bid.report and bid.report.written_at is not None]
        self._oldest.set(max(0.0, now - min(written)) if written else 0.0)

    def _compare(self, bids: Iterable[BidFact], now: float) -> None:
        forecast = [(bid, hour) for bid in bids if (hour := self._forecasts.of(bid.node, now)) is not None]
        duty_cycles = [*_known((_duty_cycle(bid), hour.duty_cycle) for bid, hour in forecast)]
        _set_means(self._duty_cycle, duty_cycles)
        self._error.set(fmean([abs(one - other) for one, other in duty_cycles] or [0.0]))
        _set_means(self._owner_present, [*_known((bid.owner_present, hour.owner_returns) for bid, hour in forecast)])


def _duty_cycle(bid: BidFact) -> float | None:
    return None if bid.report is None else bid.report.duty_cycle


def _known(pairs: Iterable[tuple[float | None, float | None]]) -> Iterator[Pair]:
    """The pairs with both values known."""
    for measured, forecast in pairs:
        if measured is not None and forecast is not None:
            yield measured, forecast


def _set_means(gauge: Gauge, pairs: Sequence[Pair]) -> None:
    for which, source in enumerate(_SOURCES):
        gauge.labels(source).set(fmean([pair[which] for pair in pairs] or [0.0]))
