"""Forecasts of a node's load from the hours of past days and of today [C 5.5, pages 64-67].

The formulas (5.1) to (5.3), and their names, are as in ``coschedule_forecast``. In addition:

    mean      = the mean of Y^[d][h] to Y^[d][h+s]                           (5.4)

In the first hour of a day, the last hour of the past days replaces X[d][h-1]. Hours after midnight use tomorrow's Z,
A * Z[d] + (1 - A) * X[d]. At most 23 hours ahead are allowed, and for these the X[d] are known.

Weekdays and weekends are separate series. A = 0.6 and B of 0.3 or less worked best [C 5.5.2].

Method: direct, O(24 * days). Ints and fractions stay exact.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import Number
from coschedule_forecast import blend, habits_after, hours_ahead, next_habits

DAY_HOURS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Smoothing:
    """The three weights, each from 0 to 1; InvalidValueError otherwise.

    ``past`` (A) is the weight of older days against yesterday. ``last_hour`` (B) is the weight of the last hour against
    the habits of the hour. ``forecast`` (C) is the weight of the forecast against the current load.
    """

    past: Number
    last_hour: Number
    forecast: Number

    def __post_init__(self) -> None:
        for name in ("past", "last_hour", "forecast"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidValueError(name, "must be from 0 to 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadHistory:
    """The measured loads of one node, at least 0 and finite; InvalidValueError otherwise.

    ``past_days[d][h]`` are hourly means, 24 a day, oldest day first, at least one day. ``today[h]`` are the hourly
    means of today's past hours, at most 23. ``now`` is the newest five-minute load.
    """

    past_days: tuple[tuple[Number, ...], ...]
    today: tuple[Number, ...]
    now: Number

    def __post_init__(self) -> None:
        if not self.past_days:
            raise InvalidValueError("past_days", "must hold at least one day")
        for day, loads in enumerate(self.past_days):
            if len(loads) != DAY_HOURS:
                raise InvalidValueError(f"past_days[{day}]", f"must hold {DAY_HOURS} hours")
            _check_loads(loads, f"past_days[{day}]")
        if len(self.today) >= DAY_HOURS:
            raise InvalidValueError("today", f"must hold fewer than {DAY_HOURS} hours")
        _check_loads(self.today, "today")
        if not 0 <= self.now < math.inf:
            raise InvalidValueError("now", "must be at least 0 and finite")


def _check_loads(loads: Sequence[Number], field: str) -> None:
    for hour, load in enumerate(loads):
        if not 0 <= load < math.inf:
            raise InvalidValueError(f"{field}[{hour}]", "must be at least 0 and finite")


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """Expected loads, in the unit of the history.

    ``long_term[h]`` is the forecast of the past days for hour h of today (Z). ``hourly[i]`` is the load i hours from
    now (Y^, this hour first). ``now`` is the load of this hour, corrected by the current load (Y). ``mean`` is the mean
    of ``hourly``.
    """

    long_term: tuple[Number, ...]
    hourly: tuple[Number, ...]
    now: Number
    mean: Number

    def hours_below(self, threshold: Number) -> int:
        """Count the hours, from this one on, in which the load stays below ``threshold`` [C 5.5.1].

        The node is available for so many hours. The count is 0 if this hour is not below ``threshold``.
        """
        if self.now >= threshold:
            return 0
        over = (hour for hour, load in enumerate(self.hourly) if load >= threshold)
        return next(over, len(self.hourly))


def forecast_load(history: LoadHistory, smoothing: Smoothing, *, hours: int) -> Forecast:
    """Forecast this hour and the next ``hours``, from 0 to 23, InvalidValueError otherwise; the module has formulas."""
    if not 0 <= hours < DAY_HOURS:
        raise InvalidValueError("hours", f"must be from 0 to {DAY_HOURS - 1}")
    long_term = habits_after(history.past_days, past=smoothing.past)
    hourly = _hourly(history, smoothing, long_term, hours)
    return Forecast(
        long_term=long_term,
        hourly=hourly,
        now=blend(smoothing.forecast, hourly[0], history.now),
        mean=Fraction(1, len(hourly)) * sum(hourly),
    )


def _hourly(
    history: LoadHistory, smoothing: Smoothing, long_term: tuple[Number, ...], hours: int
) -> tuple[Number, ...]:
    """Apply (5.2) to this hour and the next ``hours``."""
    hour = len(history.today)
    last = history.today[-1] if hour else history.past_days[-1][-1]
    # Tomorrow's habits exist only for the hours that were measured today. So habits reach 23 hours ahead of now.
    habits = (*long_term, *next_habits(long_term, history.today, past=smoothing.past))
    return hours_ahead(habits[hour : hour + hours + 1], last=last, last_hour=smoothing.last_hour)
