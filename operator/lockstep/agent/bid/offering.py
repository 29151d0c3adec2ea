"""Makes a node's offer from its measurements, and compares it with the last offer."""

from collections.abc import Sequence

from coschedule_forecast.owners import comings
from lockstep.agent.measuring.measured import HourAhead, Measured
from lockstep.api.nodebid.offer import ForecastHour, NodeOffer


class Differences:
    """The smallest change that makes an offer different.

    It is the larger of two bounds: ``relative``, a share of the value, and ``absolute``.
    """

    def __init__(self, *, relative: float, absolute: float) -> None:
        self._relative = relative
        self._absolute = absolute

    def between(self, before: NodeOffer, after: NodeOffer) -> bool:
        """Whether the presence of the owner differs, or another value is different, or has become known or unknown.

        A value is different if it has changed by more than the larger bound. Only hours that are in both forecasts are
        compared.
        """
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
    """The offer for a measurement. ``availableFrom`` and ``availableUntil`` stay unset: a forecast is no promise."""
    return NodeOffer(
        duty_cycle=measured.duty_cycle,
        capacity=measured.capacity,
        owner_present=measured.owner_present,
        forecast=tuple(_returns(measured.forecast)),
    )


def _returns(forecast: Sequence[HourAhead]) -> list[ForecastHour]:
    comes = comings([one.owner_present for one in forecast])
    return [ForecastHour(one.start, one.duty_cycle, returns) for one, returns in zip(forecast, comes, strict=True)]
