"""What the hours of past days were like: the load, and whether the owner was there."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

from lockstep.agent.history.hours import ClockHour

DAY_HOURS = 24
FIVES_AN_HOUR = 12
ENOUGH_FIVES = 6
"""An hour of which less than a half was measured counts as not measured."""
KEPT_DAYS = 40
"""How many days are kept, whatever their dates: after 30 an older one would weigh less than 0.6 ** 20."""
OLDEST = 30
"""Days before the one that is forecast, from which on a day no longer counts."""


class HourOfLoad(NamedTuple):
    """Means of an hour, or of five minutes: the share that members lose, and the part with the owner; both 0 to 1."""

    lost: float
    present: float


Day = list[HourOfLoad | None]
"""24 hours; None where nothing was measured."""


@dataclass(slots=True)
class History:
    """The hours of days, in the order in which these were first measured, and the means of the hour that runs.

    The wall clock may jump, so a day may be any. A day in the future stays without effect, and days are given up by
    their number, never by their date: a clock that was wrong for an afternoon costs that afternoon.
    """

    days: dict[int, Day] = field(default_factory=dict)
    running: ClockHour | None = None
    fives: list[HourOfLoad] = field(default_factory=list)

    def add(self, when: ClockHour, five: HourOfLoad) -> None:
        """Take in the mean of five minutes; the hour before is over with the first of the next."""
        if when != self.running:
            self._end_hour()
            self.running = when
        self.fives = [*self.fives, five][-FIVES_AN_HOUR:]

    def before(self, day: int) -> Iterator[tuple[int, Day]]:
        """Return the days before this one that still count, oldest first."""
        return ((past, self.days[past]) for past in sorted(self.days) if day - OLDEST <= past < day)

    def at(self, when: ClockHour) -> HourOfLoad | None:
        """Return what was measured in an hour that is over, be it only since a moment ago."""
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
