"""Keeps the forecasts that agents made for an hour before it began, to compare them with measured values."""

from collections.abc import Iterable
from typing import NamedTuple

from lockstep.facts.cluster.node import BidFact

_HOUR_SECONDS = 3600.0


class ForecastOfHour(NamedTuple):
    """The forecast of one hour; None for an unknown value.

    ``owner_returns`` is the probability that the owner returns, forecast while the owner was away.
    """

    begins: float
    duty_cycle: float | None
    owner_returns: float | None

    def has_begun(self, now: float) -> bool:
        """Whether ``now`` is within the hour."""
        return self.begins <= now < self.begins + _HOUR_SECONDS


class ForecastHours:
    """The forecasts of the current and the next hour, for each node with a bid, as they were before the hour began."""

    def __init__(self) -> None:
        self._by_node: dict[str, list[ForecastOfHour]] = {}

    def record(self, bids: Iterable[BidFact], now: float) -> None:
        """Record the forecasts of these bids, and forget the forecasts of all other nodes."""
        self._by_node = {bid.node: [*self._begun(bid.node, now), *_next_hour(bid, now)] for bid in bids}

    def of(self, node: str, now: float) -> ForecastOfHour | None:
        """The forecast of the current hour for the node; None if there is none."""
        return next(iter(self._begun(node, now)), None)

    def _begun(self, node: str, now: float) -> list[ForecastOfHour]:
        return [hour for hour in self._by_node.get(node, ()) if hour.has_begun(now)][-1:]


def _next_hour(bid: BidFact, now: float) -> list[ForecastOfHour]:
    """The first hour of the bid's forecast that has not begun, in a list; [] for a bid without an agent."""
    ahead = next((hour for hour in bid.forecast if hour.begin > now), None)
    if ahead is None or bid.report is None:
        return []
    begins, returns = ahead
    duty_cycle = next((duty for at, duty in bid.report.forecast if at == begins), None)
    return [ForecastOfHour(begins, duty_cycle, returns if bid.owner_present is False else None)]
