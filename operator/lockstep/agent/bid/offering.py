"""What a node offers, made of what was measured, and whether it differs from what was offered before."""

from collections.abc import Sequence

from coschedule_forecast.owners import comings
from lockstep.agent.measuring.measured import HourAhead, Measured
from lockstep.api.nodebid.offer import ForecastHour, NodeOffer


class Differences:
    """From which change on an offer is another one: the larger of a share of the value and an absolute change."""

    def __init__(self, *, relative: float, absolute: float) -> None:
        self._relative = relative
        self._absolute = absolute

    def between(self, before: NodeOffer, after: NodeOffer) -> bool:
        """Whether anything has changed so much; hours are compared that both foretell."""
        if before.owner_present != after.owner_present:
            return True
        pairs = [(before.duty_cycle, after.duty_cycle), (before.capacity, after.capacity)]
        known = {hour.begins: hour for hour in before.forecast}
        for hour in after.forecast:
            if (then := known.get(hour.begins)) is not None:
                pairs += [(then.duty_cycle, hour.duty_cycle), (then.owner_returns, hour.owner_returns)]
        return any(self._is_change(*pair) for pair in pairs)

    def _is_change(self, before: float | None, after: float | None) -> bool:
        if before is None or after is None:
            return before is not after
        return abs(after - before) > max(self._relative * abs(before), self._absolute)


def offer_of(measured: Measured) -> NodeOffer:
    """What is measured, as a bid says it. It has no window: a forecast is no promise, the planner weighs it."""
    return NodeOffer(
        duty_cycle=measured.duty_cycle,
        capacity=measured.capacity,
        owner_present=measured.owner_present,
        forecast=tuple(_returns(measured.forecast)),
    )


def _returns(forecast: Sequence[HourAhead]) -> list[ForecastHour]:
    comes = comings([one.owner_present for one in forecast])
    return [ForecastHour(one.start, one.duty_cycle, returns) for one, returns in zip(forecast, comes, strict=True)]
