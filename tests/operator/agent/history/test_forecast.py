"""Weekdays and weekends, unknown hours, and when the owner is likely to be there."""

from datetime import UTC, datetime

import pytest

from lockstep.agent.history.forecast import FreeWindow, forecast, window
from lockstep.agent.history.history import History, HourOfLoad
from lockstep.agent.history.hours import HOUR, clock_hour
from lockstep.agent.measuring.measured import HourAhead

QUIET, BUSY = HourOfLoad(0.0, 0.0), HourOfLoad(0.5, 1.0)


def at(day, hour):
    """A time in November 2026, whose second is a Monday."""
    return datetime(2026, 11, day, hour, tzinfo=UTC).timestamp()


def history_of_days(**days):
    """Whole days by number, ``d2`` for the second."""
    return History(days={clock_hour(at(int(name[1:]), 0)).day: [hour] * 24 for name, hour in days.items()})


def test_weekends_have_habits_of_their_own():
    history = history_of_days(d7=QUIET, d8=QUIET, d9=BUSY, d10=BUSY, d11=BUSY, d12=BUSY, d13=BUSY)

    ahead = forecast(history, at(13, 22), BUSY)

    assert [hour.owner_present > 0.5 for hour in ahead] == [True] * 2 + [False] * 22


def test_days_of_which_nothing_is_known_are_not_forecast():
    ahead = forecast(history_of_days(d2=BUSY), at(6, 20), QUIET)

    assert [hour.start for hour in ahead] == [at(6, 20), at(6, 21), at(6, 22), at(6, 23)]
    assert forecast(History(), at(6, 20), QUIET) == ()


def test_days_in_the_future_and_of_long_ago_are_not_accepted():
    history = history_of_days(d2=BUSY)

    assert forecast(history, at(2, 12) - 24 * HOUR, QUIET) == ()
    assert forecast(history, at(2, 12) + 31 * 24 * HOUR, QUIET) == ()
    assert forecast(history, at(2, 12) + 29 * 24 * HOUR, QUIET) != ()


def test_hours_are_those_of_the_owner_s_zone(in_zone):
    in_zone("XST-5:30")
    history = History()
    weekday = clock_hour(at(2, 12))
    history.days[weekday.day] = [BUSY if 9 <= hour < 17 else QUIET for hour in range(24)]

    ahead = forecast(history, at(3, 3), QUIET)

    assert ahead[0].start == at(3, 3) - HOUR / 2, "half past eight begins at eight there"
    assert ahead[1].owner_present > 0.5


@pytest.mark.parametrize(
    ("presence", "owner_present", "want"),
    [
        pytest.param([0, 0, 1, 1], False, (None, 2), id="away, until they are expected"),
        pytest.param([0, 0, 0, 0], False, (None, None), id="away for the day"),
        pytest.param([0, 1, 0, 1], True, (2, 3), id="there, and back after an hour off"),
        pytest.param([0, 0, 0, 0], True, (1, None), id="there, though not expected"),
        pytest.param([1, 0, 0, 1], False, (1, 3), id="not there yet, but expected within the hour"),
        pytest.param([1], False, (1, None), id="expected within the hour, and nothing is known of later ones"),
        pytest.param([0], True, (1, None), id="there, and nothing is known of later hours"),
        pytest.param([1, 1, 1, 1], True, (4, None), id="there all day: free no sooner than the forecast ends"),
    ],
)
def test_window_of_a_forecast(presence, owner_present, want):
    ahead = [HourAhead(float(hour * HOUR), 0.0, float(share)) for hour, share in enumerate(presence)]

    found = window(ahead, 60.0, owner_present=owner_present, likely=0.5)

    start, end = (None if hour is None else float(hour * HOUR) for hour in want)
    assert found == FreeWindow(start=start, end=end)


def test_window_without_a_forecast_is_open():
    assert window([], 0.0, owner_present=True, likely=0.5) == FreeWindow(start=None, end=None)
