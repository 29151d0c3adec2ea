"""The sensitivity of the current hour's load to C: the newest load is that of owners who are there at the time."""

import numpy as np
import pytest

from coschedule import Smoothing
from lockstep.papers.in_shape.shum_figure_5_6 import OWNERS, SEED, histories, of_working_days
from lockstep.papers.shum_current_hour import error_of_current_hour
from lockstep.simulation.presence.habits import draw_stays

HOUR, MINUTE = 3600, 60


def error_of_newest(owner):
    """The errors of one owner if the newest load alone counts, by brute force."""
    stays = draw_stays(np.random.default_rng(SEED + owner))
    hourly = stays.hourly()
    newest = [
        any(begin <= hour * HOUR + 5 * MINUTE < end for begin, end in stays.intervals.tolist())
        for hour in range(40 * 7 * 24 // 5)
    ]
    newest = np.array([*newest, *[0] * (len(hourly) - len(newest))], dtype=float)
    days, now = of_working_days(hourly), of_working_days(newest)
    return [abs(now[day, hour] - days[day, hour]) for day, hour, _ in histories(days)]


def test_without_the_forecast_the_newest_load_is_the_hours():
    want = np.mean([error for owner in range(OWNERS) for error in error_of_newest(owner)])

    assert error_of_current_hour(Smoothing(past=0.6, last_hour=0.3, forecast=0)) == pytest.approx(want)
