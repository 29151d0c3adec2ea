"""Owners of nodes over weeks, drawn with a seed: when each is there, and the forecast that follows from what was seen.

Every owner has habits of his own. On working days he comes around 9 and leaves around 17:30, each about an hour off by
his habit and half an hour by the day, and stays away one day in ten. On some evenings he comes for half an hour to two
hours, on some days of the weekend for one to four; how often is drawn for each, up to 40 % and 30 % of them.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from coschedule import LoadHistory, Smoothing, forecast_load

HOUR, DAY, WEEK = 3600.0, 86_400.0, 7
_WORKING, _DAY_HOURS = 5, 24
_ATTENDS = 0.9
_SMOOTHING = Smoothing(past=0.6, last_hour=0.3, forecast=0.5)

Intervals = NDArray[np.float64]


@dataclass(frozen=True)
class Owner:
    """Who is there during ``stays``, rows of begin and end in seconds after the midnight before a Monday."""

    stays: Intervals

    def is_there(self, now: float) -> bool:
        """Tell whether the owner is there at a time."""
        last = int(np.searchsorted(self.stays[:, 0], now, side="right")) - 1
        return last >= 0 and now < float(self.stays[last, 1])

    @cached_property
    def hourly(self) -> NDArray[np.float64]:
        """The part of each hour in which the owner was there."""
        hours = np.arange(int(self.stays.max() // HOUR) + 1) * HOUR
        begin, end = self.stays[:, :1], self.stays[:, 1:]
        share: NDArray[np.float64] = (np.clip(end, hours, hours + HOUR) - np.clip(begin, hours, hours + HOUR)).sum(0)
        return np.append(np.minimum(share / HOUR, 1.0), np.zeros(_DAY_HOURS))

    def returns(self, now: float) -> list[float]:
        """Forecast for this hour and those to midnight of the next day how likely the owner comes in each."""
        day, hour = divmod(int(now // HOUR), _DAY_HOURS)
        today = self._ahead(day, day, self.hourly[day * _DAY_HOURS :][:hour], float(self.is_there(now)))
        there = [*today, *self._ahead(day + 1, day, np.zeros(0), 0.0)]
        rises = ((max(0.0, after - before), before) for before, after in pairwise(there))
        return [there[0], *(rise / (1 - before) if rise else 0.0 for rise, before in rises)]

    def _ahead(self, day: int, known: int, today: NDArray[np.float64], present: float) -> list[float]:
        """Forecast the rest of a day from the days of its kind before ``known``."""
        past = [one for one in range(known) if _is_working(one) == _is_working(day)]
        days = tuple(tuple(self.hourly[one * _DAY_HOURS :][:_DAY_HOURS].tolist()) for one in past)
        history = LoadHistory(past_days=days, today=tuple(today.tolist()), now=present)
        found = forecast_load(history, _SMOOTHING, hours=_DAY_HOURS - 1 - len(today))
        return [float(found.now), *(float(one) for one in found.hourly[1:])]


def _is_working(day: int) -> bool:
    return day % WEEK < _WORKING


def draw_owner(random: np.random.Generator, weeks: int) -> Owner:
    """Draw one owner's habits, and then his days."""
    comes, goes = random.normal(9.0, 1.0), random.normal(17.5, 1.0)
    evenings, weekends = random.uniform(0, 0.4), random.uniform(0, 0.3)
    stays = []
    for day in range(weeks * WEEK):
        midnight = day * DAY
        if _is_working(day) and random.random() < _ATTENDS:
            stays.append((midnight + HOUR * random.normal(comes, 0.5), midnight + HOUR * random.normal(goes, 0.5)))
        if random.random() < (evenings if _is_working(day) else weekends):
            first, last, longest = (19.5, 21.5, 2.0) if _is_working(day) else (10.0, 18.0, 4.0)
            begin = midnight + HOUR * random.uniform(first, last)
            stays.append((begin, begin + HOUR * random.uniform(longest / 4, longest)))
    return Owner(np.array(stays))
