"""[C] 5.5: the equations of the forecast, on examples that are computed by hand."""

from collections.abc import Iterator
from fractions import Fraction

from coschedule import LoadHistory, Smoothing, forecast_load
from lockstep.papers.row import Paper, PaperRow, decimal, exact, listed

_QUIET, _BUSY = (0,) * 24, (2,) * 24
_HALVES = Smoothing(past=Fraction(1, 2), last_hour=Fraction(1, 2), forecast=Fraction(1, 2))


def rows() -> Iterator[PaperRow]:
    """One row an equation, each with A = B = C = 1/2."""
    days = LoadHistory(past_days=(_BUSY, _QUIET, _QUIET), today=(), now=0)
    habits = forecast_load(days, _HALVES, hours=0).long_term[0]
    what = "habit after days of load 2, 0 and 0: A·A·(A·2 + (1 - A)·2)"
    yield exact(Paper.SHUM, "5.5.1 (5.1)", what, "0.5", decimal(habits, 3))
    after_load = forecast_load(LoadHistory(past_days=(_QUIET,), today=(8,), now=1), _HALVES, hours=3)
    ahead = listed(decimal(hour, 3) for hour in after_load.hourly)
    what = "this hour and three more after an hour of load 8: 8·B, 8·B², 8·B³, 8·B⁴"
    yield exact(Paper.SHUM, "5.5.1 (5.2)", what, "4, 2, 1, 0.5", ahead)
    what = "this hour with a current load of 1: C·4 + (1 - C)·1"
    yield exact(Paper.SHUM, "5.5.1 (5.3)", what, "2.5", decimal(after_load.now, 3))
    what = "mean of these hours: (4 + 2 + 1 + 0.5)/4"
    yield exact(Paper.SHUM, "5.5.1 (5.4)", what, "1.875", decimal(after_load.mean, 3))
