"""The forecast against its equations, on many cases."""

from fractions import Fraction

import pytest

from coschedule.problems.shum.forecast import Smoothing, forecast_load
from engine.brute.forecast import Series
from engine.builders import seeded
from engine.problems.shum.test_forecast import history, random_case


@pytest.mark.parametrize("seed", range(8))
def test_forecast_equals_the_equations(seed):
    rnd = seeded(seed)
    for _ in range(250):
        past_days, today, now, (a, b, c) = random_case(rnd)
        hours = rnd.choice([0, 23, rnd.randint(0, 23)])

        smoothing = Smoothing(past=a, last_hour=b, forecast=c)
        forecast = forecast_load(history(past_days=past_days, today=today, now=now), smoothing, hours=hours)

        series = Series(past_days, today, (a, b, c))
        assert forecast.long_term == tuple(series.z(series.d, hour) for hour in range(24))
        ahead = tuple(series.y_ahead(i) for i in range(hours + 1))
        assert forecast.hourly == ahead
        assert forecast.now == series.y_now(now)
        assert forecast.mean == sum(ahead, Fraction(0)) / (hours + 1), "(5.4)"
