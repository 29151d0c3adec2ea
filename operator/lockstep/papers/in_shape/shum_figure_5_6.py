"""[C] 5.5.2, figures 5.5 and 5.6: errors of forecasts, if the last hour has a weight B from 0 to 0.9, and A is 0.6.

The paper measured a server's load for a week. Here owners are drawn at random, and the same equations forecast their
presence. A forecast is the mean of two or five hours. Its error is averaged over the working hours of 35 days of four
owners.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from coschedule import LoadHistory, Smoothing, forecast_load
from lockstep.papers.row import Paper, PaperRow, Printed, Tolerance, in_shape
from lockstep.simulation.presence.habits import draw_stays

_A, _BS = 0.6, (0.0, 0.1, 0.3, 0.5, 0.7, 0.9)
_PERIODS = {"figure 5.5": 2, "figure 5.6": 5}
OWNERS, _DAYS_OF_HABIT, _DAYS = 4, 5, 40
_WORKING, _HOURS = 5, 24
_FIRST_HOUR, _AFTER_LAST_HOUR = 8, 18
SEED = 1


def rows() -> Iterator[PaperRow]:
    """Yield for each figure the least error with B up to 0.3, divided by the least error with any B."""
    for figure, period in _PERIODS.items():
        errors = {b: error_of_forecasts(_A, b, period) for b in _BS}
        small = min(error for b, error in errors.items() if b <= _BS[2]) / min(errors.values())
        what = f"least error over {period} hours: B up to 0.3 / any B"
        yield in_shape(Paper.SHUM, f"5.5.2, {figure}", what, Printed(1.0, 1.0, "good"), small, Tolerance(0.1, SEED))


def error_of_forecasts(a: float, b: float, period: int) -> float:
    """Return the mean error of forecasts of ``period`` hours with the weights ``a`` and ``b``, over all owners."""
    return float(
        np.mean(
            [
                _error(_working_days(SEED + owner), Smoothing(past=a, last_hour=b, forecast=1), period)
                for owner in range(OWNERS)
            ]
        )
    )


def _working_days(seed: int) -> NDArray[np.float64]:
    """An owner's presence by hour on working days: the paper, too, keeps days of the weekend apart."""
    return of_working_days(draw_stays(np.random.default_rng(seed)).hourly())


def of_working_days(hourly: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the numbers of the first 40 working days, float[day, hour]; ``hourly`` numbers begin on a Monday."""
    days = hourly.reshape(-1, _HOURS)
    return days[np.arange(len(days)) % 7 < _WORKING][:_DAYS]


def histories(days: NDArray[np.float64]) -> Iterator[tuple[int, int, LoadHistory]]:
    """Yield each working hour that has enough days before it: its day, its hour and the history before it."""
    for number in range(_DAYS_OF_HABIT, len(days)):
        past = tuple(map(tuple, days[number - _DAYS_OF_HABIT : number].tolist()))
        for hour in range(_FIRST_HOUR, _AFTER_LAST_HOUR):
            yield number, hour, LoadHistory(past_days=past, today=tuple(days[number, :hour].tolist()), now=0.0)


def _error(days: NDArray[np.float64], smoothing: Smoothing, period: int) -> float:
    """The mean absolute error of the mean presence of the next hours, at every hour from 8 to 17."""
    errors = list[float]()
    for number, hour, history in histories(days):
        forecast = forecast_load(history, smoothing, hours=period - 1).mean
        errors.append(abs(float(forecast) - float(days[number, hour : hour + period].mean())))
    return float(np.mean(errors))
