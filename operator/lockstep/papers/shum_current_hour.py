"""[C] 5.5.1, (5.3): the load of the current hour, by its forecast and by the load of the newest five minutes.

The paper measured a server. Here owners are drawn at random, as for figures 5.5 and 5.6. The load of each hour is
forecast when five minutes of the hour are over.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from coschedule import Smoothing, forecast_load
from lockstep.papers.in_shape.shum_figure_5_6 import OWNERS, SEED, histories, of_working_days
from lockstep.simulation.presence.habits import draw_stays
from lockstep.simulation.presence.stays import HOUR, WEEK, Stays

_PASSED = HOUR / 12


def error_of_current_hour(smoothing: Smoothing) -> float:
    """The mean absolute error of the current hour's load, over all hours of work of the owners."""
    errors = list[float]()
    for owner in range(OWNERS):
        stays = draw_stays(np.random.default_rng(SEED + owner))
        hourly, now = of_working_days(stays.hourly()), of_working_days(_newest(stays))
        for day, hour, history in histories(hourly):
            forecast = forecast_load(replace(history, now=float(now[day, hour])), smoothing, hours=0).now
            errors.append(abs(float(forecast) - float(hourly[day, hour])))
    return float(np.mean(errors))


def _newest(stays: Stays) -> NDArray[np.float64]:
    """Return for each hour of all weeks 1.0 if the owner is there after five minutes of the hour, else 0.0."""
    times = HOUR * np.arange(int(stays.weeks * WEEK / HOUR)) + _PASSED
    begins, ends = stays.intervals.T
    last = np.searchsorted(begins, times, side="right") - 1
    is_there: NDArray[np.bool_] = (last >= 0) & (times < ends[last])
    return is_there.astype(np.float64)
