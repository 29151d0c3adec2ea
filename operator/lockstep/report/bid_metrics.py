"""What nodes offer, for people who look at many: bids by state, and what was measured beside what was foretold."""

from collections import Counter
from collections.abc import Iterable, Iterator
from statistics import fmean

from prometheus_client import CollectorRegistry, Gauge

from lockstep.belief.state import State
from lockstep.facts.bid_plan import BidReport, BidState
from lockstep.report.bid_plans import state_of_bid

BY_HAND = "by_hand"
BID_STATES = (*(state.lower() for state in BidState), BY_HAND)
_SOURCES = ("measured", "foretold")
_HOUR_SECONDS = 3600.0


class BidMetrics:
    """Brought up to date when somebody reads them."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._bids = Gauge(
            "lockstep_bids",
            "NodeBids that agents write by what members find there, and those that people write.",
            ["state"],
            registry=registry,
        )
        self._duty_cycle = Gauge(
            "lockstep_bid_duty_cycle",
            "Mean duty cycle of the nodes whose agents had foretold this hour: as measured, and as foretold.",
            ["source"],
            registry=registry,
        )
        self._error = Gauge(
            "lockstep_bid_forecast_error",
            "Mean difference between the duty cycle that was foretold of this hour and the measured one.",
            registry=registry,
        )
        self._oldest = Gauge(
            "lockstep_oldest_bid_report_seconds",
            "Time since the agent last said what it measured whose bid counts and whose report is the oldest.",
            registry=registry,
        )
        for name in BID_STATES:
            self._bids.labels(name)
        for source in _SOURCES:
            self._duty_cycle.labels(source)

    def refresh(self, state: State, now: float) -> None:
        """Set them all from belief."""
        bids = [*state.bids.values(), *state.bids.expired.values()]
        counts = Counter(BY_HAND if bid.report is None else state_of_bid(state, bid, now)[0].lower() for bid in bids)
        for name in BID_STATES:
            self._bids.labels(name).set(counts[name])
        self._compare([bid.report for bid in bids if bid.report is not None and not bid.has_expired(now)], now)

    def _compare(self, reports: Iterable[BidReport], now: float) -> None:
        reports = [*reports]
        pairs = [*_pairs(reports, now)]
        for which, source in enumerate(_SOURCES):
            self._duty_cycle.labels(source).set(fmean([pair[which] for pair in pairs] or [0.0]))
        self._error.set(fmean([abs(one - other) for one, other in pairs] or [0.0]))
        written = [report.written_at for report in reports if report.written_at is not None]
        self._oldest.set(max(0.0, now - min(written)) if written else 0.0)


def _pairs(reports: Iterable[BidReport], now: float) -> Iterator[tuple[float, float]]:
    """The measured and the foretold duty cycle of this hour, where a node has both."""
    for report in reports:
        foretold = [duty for begins, duty in report.foretold if begins <= now < begins + _HOUR_SECONDS]
        if report.duty_cycle is not None and foretold:
            yield report.duty_cycle, foretold[0]
