"""Hours of the clock, weekdays and weekends."""

import time
from datetime import date
from typing import NamedTuple

HOUR = 3600


class ClockHour(NamedTuple):
    """An hour of a day in the time zone of the process; ``day`` is the ordinal of its date."""

    day: int
    hour: int


def clock_hour(wall: float) -> ClockHour:
    """Return the hour of this time, which is in epoch seconds."""
    moment = time.localtime(wall)
    return ClockHour(date(moment.tm_year, moment.tm_mon, moment.tm_mday).toordinal(), moment.tm_hour)


def start_of_hour(wall: float) -> float:
    """Return the start of the hour of this time. Both are in epoch seconds."""
    moment = time.localtime(wall)
    return float(int(wall) - 60 * moment.tm_min - moment.tm_sec)


def start_of_day(day: int) -> float:
    """Return the start of a day in epoch seconds. The C library must be able to represent the date."""
    return time.mktime(date.fromordinal(day).timetuple())


def is_weekend(day: int) -> bool:
    """Whether the day is a Saturday or a Sunday."""
    return date.fromordinal(day).isoweekday() > 5
