"""The agent's forecast is the engine's, where past days are complete; and it stays sound where they are not."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coschedule import LoadHistory, Smoothing, forecast_load
from coschedule_forecast.owners import FORECAST, LAST_HOUR, PAST
from lockstep.agent.history.forecast import forecast, window
from lockstep.agent.history.history import History, HourOfLoad
from lockstep.agent.history.hours import HOUR, clock_hour
from lockstep.agent.measuring.duty_cycle import duty_cycle_of

MONDAY = datetime(2026, 11, 2, tzinfo=UTC).timestamp()
DAY = 24 * HOUR
SMOOTHING = Smoothing(past=PAST, last_hour=LAST_HOUR, forecast=FORECAST)

shares = st.floats(0, 0.999)
hours = st.builds(HourOfLoad, lost=shares, present=shares)


def history_of(*known):
    """Hour after hour from that Monday on; None is an hour that was not measured."""
    history = History()
    for number, hour in enumerate(known):
        when = clock_hour(MONDAY + number * HOUR)
        history.days.setdefault(when.day, [None] * 24)[when.hour] = hour
    return history


@given(
    st.integers(24, 95).flatmap(lambda count: st.lists(hours, min_size=count, max_size=count)),
    hours,
    st.floats(0, HOUR - 1),
)
def test_forecast_of_weekdays_is_that_of_the_engine(known, now, into_the_hour):
    today = len(known) // 24 * 24
    wall = MONDAY + len(known) * HOUR + into_the_hour

    ahead = forecast(history_of(*known), wall, now)

    assert [hour.start for hour in ahead] == [MONDAY + (len(known) + number) * HOUR for number in range(24)]
    for field, found in (("lost", 1), ("present", 2)):
        series = [getattr(hour, field) for hour in known]
        past_days = tuple(tuple(series[start : start + 24]) for start in range(0, today, 24))
        loads = LoadHistory(past_days=past_days, today=tuple(series[today:]), now=getattr(now, field))
        engine = forecast_load(loads, SMOOTHING, hours=23)
        want = [engine.now, *engine.hourly[1:]]
        want = [duty_cycle_of(load) for load in want] if field == "lost" else want
        assert [hour[found] for hour in ahead] == pytest.approx(want)


@given(st.lists(st.none() | hours, max_size=400), hours, st.floats(-50 * DAY, 60 * DAY))
def test_forecast_of_gaps_and_jumps_is_of_hours_that_are_known(known, now, later):
    wall = MONDAY + later

    ahead = forecast(history_of(*known), wall, now)

    assert [hour.start for hour in ahead] == sorted({hour.start for hour in ahead})
    for hour in ahead:
        assert wall - HOUR < hour.start < wall + DAY
        assert 0 <= hour.duty_cycle <= 1000
        assert 0 <= hour.owner_present <= 1


@given(st.lists(hours, min_size=24, max_size=200), hours, st.floats(0, 9 * DAY), st.booleans(), st.floats(0.01, 1))
def test_window_is_free_of_an_owner_who_is_expected(known, now, later, owner_present, likely):
    wall = MONDAY + later
    ahead = forecast(history_of(*known), wall, now)

    free = window(ahead, wall, owner_present=owner_present, likely=likely)

    start = wall if free.start is None else free.start
    end = wall + 2 * DAY if free.end is None else free.end
    assert start < end
    if free.start is not None or not owner_present:
        within = [hour for hour in ahead if start <= max(hour.start, wall) < end]
        assert all(hour.owner_present < likely for hour in within)
    assert free.end is None or any(hour.start == end and hour.owner_present >= likely for hour in ahead)
