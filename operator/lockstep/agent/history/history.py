"""The hours of past days: load, and presence of the node owner."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

from lockstep.agent.history.hours import ClockHour

DAY_HOURS = 24
FIVES_AN_HOUR = 12
ENOUGH_FIVES = 6
"""The least number of five-minute means in a measured hour; with fewer, less than half of the hour is known."""
KEPT_DAYS = 40
"""The number of days that are kept, whatever their dates: after 30 days, older ones would weigh less than 0.6 ** 20."""
OLDEST = 30
"""Days older than this, counted from the day of the forecast, no longer count."""


class HourOfLoad(NamedTuple):
    """Means of an hour or of five minutes, 0 to 1.

    ``lost`` is the share of its request that a gang does not get, ``present`` the share of time with the node owner.
    """

    lost: float
    present: float


Day = list[HourOfLoad | None]
"""24 hours; None where nothing was measured."""


@dataclass(slots=True)
class History:
    """The hours of past days, in the order of their first measurement, and the means of the current hour.

    The wall clock may jump, so any date may occur. A day in the future has no effect. Days are dropped by their number,
    never by their date, so that a wrong clock loses only the time while it was wrong.
    """

    days: dict[int, Day] = field(default_factory=dict)
    running: ClockHour | None = None
    fives: list[HourOfLoad] = field(default_factory=list)

    def add(self, when: ClockHour, five: HourOfLoad) -> None:
        """Add the mean of five minutes; the first one of a new hour ends the last hour."""
        if when != self.running:
            self._end_hour()
            self.running = when
        self.fives = [*self.fives, five][-FIVES_AN_HOUR:]

    def before(self, day: int) -> Iterator[tuple[int, Day]]:
        """Return the days before this one that still count, the oldest first."""
        return ((past, self.days[past]) for past in sorted(self.days) if day - OLDEST <= past < day)

    def at(self, when: ClockHour) -> HourOfLoad | None:
        """Return the means of an hour that is over, even if it has just ended; None if not measured."""
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
