"""Owners with habits of their own, drawn with a seed.

On working days an owner comes around 9 and leaves around 17:30. These times vary by about an hour between owners, and
by half an hour between days. An owner stays away one working day in ten. On some evenings an owner comes for half an
hour to two hours, on some days of the weekend for one to four hours. How often such visits happen is drawn for each
owner: on up to 40 % of the evenings, and up to 30 % of weekend days.
"""

import numpy as np

from lockstep.simulation.presence.stays import DAY, HOUR, Stays, stays_of

WEEKS = 52
"""The number of weeks that are drawn. Then the stays repeat."""

_DAYS, _WORKING = 7, 5
_ATTENDS = 0.9
_COMES, _GOES, _BY_HABIT, _BY_DAY = 9.0, 17.5, 1.0, 0.5
_EVENINGS, _WEEKENDS = 0.4, 0.3


def draw_stays(random: np.random.Generator) -> Stays:
    """Draw one owner's habits, and then the stays that follow from them."""
    comes, goes = random.normal(_COMES, _BY_HABIT), random.normal(_GOES, _BY_HABIT)
    evenings, weekends = random.uniform(0, _EVENINGS), random.uniform(0, _WEEKENDS)
    stays: list[tuple[float, float]] = []
    for day in range(WEEKS * _DAYS):
        works = day % _DAYS < _WORKING
        if works and random.random() < _ATTENDS:
            stays.append((_clock(day, random.normal(comes, _BY_DAY)), _clock(day, random.normal(goes, _BY_DAY))))
        if random.random() < (evenings if works else weekends):
            stays.append(_short(day, random, works=works))
    return stays_of(stays, WEEKS)


def _short(day: int, random: np.random.Generator, *, works: bool) -> tuple[float, float]:
    """Draw a stay on an evening, or on a day of the weekend."""
    first, last, longest = (19.5, 21.5, 2.0) if works else (10.0, 18.0, 4.0)
    begin = random.uniform(first, last)
    return _clock(day, begin), _clock(day, begin + random.uniform(longest / 4, longest))


def _clock(day: int, hour: float) -> float:
    return day * DAY + hour * HOUR
