"""The hours of past days: load, and presence of the node owner."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

from lockstep.agent.history.hours import ClockHour

DAY_HOURS = 24
FIVES_AN_HOUR = 12
ENOUGH_FIVES = 6
"""The least number of five-minute means in a measured hour. With fewer, less than half of the hour was measured."""
KEPT_DAYS = 40
"""The number of days that are kept, whatever their dates."""
OLDEST = 30
"""Days older than this, counted from the day of the forecast, have no effect.

Each weekday weighs 0.6 times as much as the next weekday. In 30 days there are at least 20 weekdays. So an older
weekday would weigh less than 0.6 ** 20.
"""


class HourOfLoad(NamedTuple):
    """Means over an hour or over five minutes, from 0 to 1.

    ``lost`` is the share of a gang's request that the gang does not get. ``present`` is the share of time with the node
    owner.
    """

    lost: float
    present: float


Day = list[HourOfLoad | None]
"""24 hours; None where nothing was measured."""


@dataclass(slots=True)
class History:
    """The hours of past days, in the order of their first measurement, and the means of the current hour.

    The wall clock may jump, so any date may occur. A day in the future has no effect. If there are too many days, the
    first are dropped, whatever their dates. So a wrong clock loses only the time in which it was wrong.
    """

    days: dict[int, Day] = field(default_factory=dict)
    running: ClockHour | None = None
    fives: list[HourOfLoad] = field(default_factory=list)

    def add(self, when: ClockHour, five: HourOfLoad) -> None:
        """Add a mean of five minutes. The first mean of a new hour ends the previous hour."""
        if when != self.running:
            self._end_hour()
            self.running = when
        self.fives = [*self.fives, five][-FIVES_AN_HOUR:]

    def before(self, day: int) -> Iterator[tuple[int, Day]]:
        """Return the days before ``day`` that still count, the oldest first."""
        return ((past, self.days[past]) for past in sorted(self.days) if day - OLDEST <= past < day)

    def at(self, when: ClockHour) -> HourOfLoad | None:
        """Return the means of an hour that is over, even if it has just ended; None if it was not measured."""
        if when == self.running:
            return self._mean()
        return self.days[when.day][when.hour] if when.day in self.days else None

    def _end_hour(self) -> None:
        mean = self._mean()
        if self.running is not None and mean is not None:
            self.days.setdefault(self.running.day, [None] * DAY_HOURS)[self.running.hour] = mean
        self.fives = []
        for oldest in list(self.days)[:-KEPT_DAYS]:
            del self.days[oldest]

    def _mean(self) -> HourOfLoad | None:
        if len(self.fives) < ENOUGH_FIVES:
            return None
        return HourOfLoad(
            lost=fmean(five.lost for five in self.fives), present=fmean(five.present for five in self.fives)
        )
