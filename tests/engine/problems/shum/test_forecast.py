"""The forecast of load and presence [C 5.5]: its equations, midnight, availability, and what holds for any history."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coschedule.model.errors import InvalidValueError
from coschedule.problems.shum.forecast import LoadHistory, Smoothing, forecast_load
from engine.builders import seeded

QUIET = (0,) * 24


BUSY = (2,) * 24


HALVES = Smoothing(past=Fraction(1, 2), last_hour=Fraction(1, 2), forecast=Fraction(1, 2))


def history(*, past_days=(QUIET,), today=(), now=0):
    return LoadHistory(past_days=past_days, today=today, now=now)


def test_days_weigh_less_the_older_they_are():
    """(5.1) [C 5.5.1, pages 64-66], from Z = X on the first day: that day weighs A * A * A + A * A * (1 - A)."""
    forecast = forecast_load(history(past_days=(BUSY, QUIET, QUIET)), HALVES, hours=0)

    assert forecast.long_term == (Fraction(1, 2),) * 24


def test_last_hour_weighs_less_the_further_ahead():
    """(5.2) [C 5.5.1, pages 64-66]: B to the power of i + 1."""
    forecast = forecast_load(history(today=(8,)), HALVES, hours=3)

    assert forecast.hourly == (4, 2, 1, Fraction(1, 2))
    assert forecast.mean == Fraction(15, 8)


def test_current_load_corrects_this_hour():
    """(5.3) [C 5.5.1, pages 64-66]."""
    assert forecast_load(history(today=(8,), now=1), HALVES, hours=3).now == Fraction(5, 2)


def test_first_hour_of_a_day_follows_the_last_of_the_past():
    forecast = forecast_load(history(past_days=((*QUIET[1:], 6),)), HALVES, hours=0)

    assert forecast.hourly == (3,)


def test_hours_past_midnight_count_today_among_the_past():
    smoothing = Smoothing(past=Fraction(1, 4), last_hour=0, forecast=1)

    forecast = forecast_load(history(today=(4,) * 23), smoothing, hours=23)

    assert forecast.hourly == (0, *(3,) * 23)


@pytest.mark.parametrize(
    ("now", "threshold", "want_hours"),
    [
        pytest.param(0, 1, 2, id="until the morning"),
        pytest.param(9, 1, 0, id="an owner has just come"),
        pytest.param(0, 2, 2, id="as much as the threshold is not below it"),
        pytest.param(0, 3, 4, id="all hours asked for"),
        pytest.param(0, 0, 0, id="never below nothing"),
    ],
)
def test_hours_below_a_threshold(now, threshold, want_hours):
    """[C 5.5.1, pages 64-66]: available while the loads expected for now and later are below a threshold."""
    smoothing = Smoothing(past=0, last_hour=0, forecast=Fraction(1, 2))
    habits = (0, 0, 2, 0, *(0,) * 20)

    assert forecast_load(history(past_days=(habits,), now=now), smoothing, hours=3).hours_below(threshold) == want_hours


def test_presence_is_forecast_by_the_same_equations():
    """[C 5.5.1, pages 64-66] has (5.1) from a forecast of owners' working habits; 1 is an hour spent at the node."""
    at_work = tuple(int(9 <= hour < 17) for hour in range(24))
    late = tuple(int(10 <= hour < 18) for hour in range(24))
    smoothing = Smoothing(past=Fraction(3, 5), last_hour=Fraction(1, 4), forecast=Fraction(1, 2))

    forecast = forecast_load(history(past_days=(at_work, at_work, late), today=(0,) * 6), smoothing, hours=6)

    assert forecast.long_term[9] == Fraction(3, 5)
    assert forecast.long_term[17] == Fraction(2, 5)
    assert set(forecast.long_term) == {0, Fraction(2, 5), Fraction(3, 5), 1}
    assert all(0 <= part <= 1 for part in forecast.hourly)
    assert forecast.hours_below(Fraction(1, 2)) == 3


LOADS = [Fraction(0)] * 9 + sorted({Fraction(part, whole) for whole in (1, 2, 4) for part in range(10)})


def random_case(rnd):
    past_days = tuple(tuple(rnd.choices(LOADS, k=24)) for _ in range(rnd.randint(1, 3)))
    today = tuple(rnd.choices(LOADS, k=rnd.choice([0, 23, rnd.randint(0, 23)])))
    weights = tuple(Fraction(rnd.randint(0, 5), 5) for _ in range(3))
    return past_days, today, rnd.choice(LOADS), weights


def random_history(seed):
    past_days, today, now, _ = random_case(seeded(seed))
    return history(past_days=past_days, today=today, now=now)


portions = st.sampled_from(sorted({Fraction(part, whole) for whole in range(1, 11) for part in range(whole + 1)}))


histories = st.integers(0, 10**9).map(random_history)


smoothings = st.builds(Smoothing, past=portions, last_hour=portions, forecast=portions)


spans = st.integers(0, 23)


def each_load(history, change):
    return LoadHistory(
        past_days=tuple(tuple(change(load) for load in day) for day in history.past_days),
        today=tuple(change(load) for load in history.today),
        now=change(history.now),
    )


def everything(forecast):
    return [*forecast.long_term, *forecast.hourly, forecast.now, forecast.mean]


@given(histories, smoothings, spans)
def test_forecast_stays_between_the_least_and_the_largest_load(history, smoothing, hours):
    measured = [*(load for day in history.past_days for load in day), *history.today, history.now]

    got = everything(forecast_load(history, smoothing, hours=hours))

    assert min(measured) <= min(got) <= max(got) <= max(measured)


@given(histories, smoothings, spans, portions)
def test_unit_of_the_load_scales_the_forecast(history, smoothing, hours, unit):
    got = everything(forecast_load(history, smoothing, hours=hours))
    scaled = everything(forecast_load(each_load(history, lambda load: load * unit), smoothing, hours=hours))

    assert scaled == [load * unit for load in got]


@given(histories, smoothings, spans, st.integers(0, 10**9))
def test_more_load_never_lowers_the_forecast(history, smoothing, hours, seed):
    rnd = seeded(seed)
    loaded = each_load(history, lambda load: load + rnd.choice([0, 0, 1, Fraction(1, 3)]))

    got = everything(forecast_load(history, smoothing, hours=hours))

    assert all(
        more >= load for more, load in zip(everything(forecast_load(loaded, smoothing, hours=hours)), got, strict=True)
    )


@given(histories, smoothings, spans)
def test_hours_further_ahead_change_no_hour_before(history, smoothing, hours):
    assert forecast_load(history, smoothing, hours=23).hourly[: hours + 1] == (
        forecast_load(history, smoothing, hours=hours).hourly
    )


@given(histories, smoothings, spans)
def test_floats_agree_with_exact_numbers(history, smoothing, hours):
    inexact = Smoothing(
        past=float(smoothing.past), last_hour=float(smoothing.last_hour), forecast=float(smoothing.forecast)
    )

    got = everything(forecast_load(history, smoothing, hours=hours))
    in_floats = everything(forecast_load(each_load(history, float), inexact, hours=hours))

    assert in_floats == pytest.approx([float(load) for load in got], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("build", "want_field"),
    [
        pytest.param(lambda: Smoothing(past=2, last_hour=0, forecast=0), "past", id="A above 1"),
        pytest.param(lambda: Smoothing(past=0, last_hour=-1, forecast=0), "last_hour", id="B below 0"),
        pytest.param(lambda: Smoothing(past=0, last_hour=0, forecast=float("nan")), "forecast", id="C no number"),
        pytest.param(lambda: history(past_days=()), "past_days", id="no past"),
        pytest.param(lambda: history(past_days=(QUIET, QUIET[1:])), "past_days[1]", id="a short day"),
        pytest.param(lambda: history(past_days=((-1, *QUIET[1:]),)), "past_days[0][0]", id="a negative load"),
        pytest.param(lambda: history(today=QUIET), "today", id="today is over"),
        pytest.param(lambda: history(today=(0, -1)), "today[1]", id="a negative load today"),
        pytest.param(lambda: history(now=float("inf")), "now", id="an endless load"),
        pytest.param(lambda: forecast_load(history(), HALVES, hours=-1), "hours", id="hours ago"),
        pytest.param(lambda: forecast_load(history(), HALVES, hours=24), "hours", id="more than a day ahead"),
    ],
)
def test_values_that_make_no_sense_are_refused_by_field(build, want_field):
    with pytest.raises(InvalidValueError) as refusal:
        build()

    assert refusal.value.field == want_field
