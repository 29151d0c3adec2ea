"""What agents had foretold of this hour before it began: of an hour that runs they foretell what they measure."""

from collections.abc import Iterable
from typing import NamedTuple

from lockstep.facts.cluster.node import BidFact

_HOUR_SECONDS = 3600.0


class ForetoldHour(NamedTuple):
    """What was foretold of one hour; None is what was not.

    ``owner_returns`` is the probability that the owner is back, foretold while the owner was away.
    """

    begins: float
    duty_cycle: float | None
    owner_returns: float | None

    def has_begun(self, now: float) -> bool:
        """Whether now is within the hour."""
        return self.begins <= now < self.begins + _HOUR_SECONDS


class ForetoldHours:
    """Of each node that has a bid the hour that runs and the next one, both as foretold last before they began."""

    def __init__(self) -> None:
        self._by_node: dict[str, list[ForetoldHour]] = {}

    def look(self, bids: Iterable[BidFact], now: float) -> None:
        """Remember what these bids foretell; what those had foretold that are gone is forgotten."""
        self._by_node = {bid.node: [*self._begun(bid.node, now), *_next_hour(bid, now)] for bid in bids}

    def of(self, node: str, now: float) -> ForetoldHour | None:
        """What was foretold of this hour, None where nobody had done so."""
        return next(iter(self._begun(node, now)), None)

    def _begun(self, node: str, now: float) -> list[ForetoldHour]:
        return [hour for hour in self._by_node.get(node, ()) if hour.has_begun(now)][-1:]


def _next_hour(bid: BidFact, now: float) -> list[ForetoldHour]:
    """The first hour of the bid's forecast that has not begun; none of a bid that a person writes."""
    ahead = next((hour for hour in bid.forecast if hour.begin > now), None)
    if ahead is None or bid.report is None:
        return []
    begins, returns = ahead
    duty_cycle = next((duty for at, duty in bid.report.forecast if at == begins), None)
    return [ForetoldHour(begins, duty_cycle, returns if bid.owner_present is False else None)]
