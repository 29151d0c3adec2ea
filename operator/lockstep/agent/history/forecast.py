"""Forecasts the next day from the history [C 5.5]: the loads, and when the node owner is likely to be present."""

from collections.abc import Sequence
from dataclasses import dataclass

from coschedule_forecast import habits_after
from coschedule_forecast.owners import PAST, day_ahead
from lockstep.agent.history.history import DAY_HOURS, History, HourOfLoad
from lockstep.agent.history.hours import HOUR, ClockHour, clock_hour, is_weekend, start_of_hour
from lockstep.agent.measuring.duty_cycle import duty_cycle_of
from lockstep.agent.measuring.measured import HourAhead


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeWindow:
    """When the node owner is away, in epoch seconds.

    If ``start`` is None, the owner is away from now on, or there is no forecast. If ``end`` is None, no return is
    forecast.
    """

    start: float | None
    end: float | None


def forecast(history: History, wall: float, now: HourOfLoad) -> tuple[HourAhead, ...]:
    """Forecast this hour and the next 23, except hours that were measured on no past day of the same kind.

    ``now`` is the mean of the last five minutes.
    """
    start = start_of_hour(wall)
    starts = [start + HOUR * ahead for ahead in range(DAY_HOURS)]
    habits = [_habit(history, clock_hour(moment)) for moment in starts]
    last = history.at(clock_hour(start - 1)) or now
    lost = _ahead([habit and habit.lost for habit in habits], last.lost, now.lost)
    present = _ahead([habit and habit.present for habit in habits], last.present, now.present)
    return tuple(
        HourAhead(moment, duty_cycle_of(loss), presence)
        for moment, loss, presence, habit in zip(starts, lost, present, habits, strict=True)
        if habit is not None
    )


def _habit(history: History, when: ClockHour) -> HourOfLoad | None:
    """Return the habit of this hour: a weighted mean over past days of the same kind, weekdays or weekends.

    Days without a measurement of the hour do not count. Return None if the hour was measured on no such day.
    """
    days = [day for past, day in history.before(when.day) if is_weekend(past) == is_weekend(when.day)]
    measured = [hour for day in days if (hour := day[when.hour]) is not None]
    return HourOfLoad(*map(float, habits_after(measured, past=PAST))) if measured else None


def _ahead(habits: Sequence[float | None], last: float, now: float) -> list[float]:
    """Forecast one series, hour by hour from now on.

    An hour without a habit counts as 0, so that later hours keep their place.
    """
    return day_ahead([habit or 0.0 for habit in habits], last=last, now=now)


def window(ahead: Sequence[HourAhead], wall: float, *, owner_present: bool, likely: float) -> FreeWindow:
    """Return the window in which the owner is likely to be away. It starts now or with a later hour of the forecast.

    The window ends with the next hour in which the owner is likely to be present. If the owner is present, or likely to
    come within this hour, the window starts with a later hour. If the owner is likely to be present in all hours of the
    forecast, the window starts at the end of the forecast.
    """
    later = [hour for hour in ahead if hour.start > wall]
    expected = any(hour.owner_present >= likely for hour in ahead if hour.start <= wall)
    if not ahead or not (owner_present or expected):
        return FreeWindow(start=None, end=_first_return(later, likely))
    leaves = next((hour.start for hour in later if hour.owner_present < likely), ahead[-1].start + HOUR)
    return FreeWindow(start=leaves, end=_first_return([hour for hour in later if hour.start > leaves], likely))


def _first_return(later: Sequence[HourAhead], likely: float) -> float | None:
    return next((hour.start for hour in later if hour.owner_present >= likely), None)
