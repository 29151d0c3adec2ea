"""Problem ``forecast``: the load of a node in the next hours."""

from collections.abc import Mapping
from typing import Any

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import Number
from coschedule.model.reading import join, read_integer, read_list, read_object
from coschedule.problems.shum.forecast import DAY_HOURS, LoadHistory, Smoothing, forecast_load
from coschedule.requests.fields import placed
from coschedule.requests.numbers import NumberFormat, number_format_of

MOST_DAYS = 1000
"""The most past days: the fractions of an exact forecast get more digits with each day."""

_MEASURED = {"smoothing": "smoothing", "pastDays": "past_days", "today": "today", "now": "now"}
_WEIGHTS = {"A": "past", "B": "last_hour", "C": "forecast"}


def answer_forecast(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``longTerm``, ``hourly``, ``now`` and ``mean``."""
    read_object(request, "", required=("problem", *_MEASURED, "hours"), optional=("id",))
    numbers = number_format_of(*(request[field] for field in _MEASURED))
    smoothing = _read_smoothing(request["smoothing"], numbers)
    history = _read_history(request, numbers)
    forecast = forecast_load(history, smoothing, hours=read_integer(request["hours"], "hours", largest=DAY_HOURS))
    return {
        "longTerm": [numbers.write(load) for load in forecast.long_term],
        "hourly": [numbers.write(load) for load in forecast.hourly],
        "now": numbers.write(forecast.now),
        "mean": numbers.write(forecast.mean),
    }


def _read_smoothing(value: Any, numbers: NumberFormat) -> Smoothing:
    fields = read_object(value, "smoothing", required=_WEIGHTS)
    weights = {attribute: numbers.read(fields[name], join("smoothing", name)) for name, attribute in _WEIGHTS.items()}
    with placed("smoothing", _WEIGHTS):
        return Smoothing(**weights)


def _read_history(request: Mapping[str, Any], numbers: NumberFormat) -> LoadHistory:
    days = read_list(request["pastDays"], "pastDays")
    if len(days) > MOST_DAYS:
        raise InvalidValueError("pastDays", f"must hold at most {MOST_DAYS} days")
    past_days = tuple(_read_loads(day, path, numbers) for path, day in days)
    today = _read_loads(request["today"], "today", numbers)
    with placed("", _MEASURED):
        return LoadHistory(past_days=past_days, today=today, now=numbers.read(request["now"], "now"))


def _read_loads(value: Any, path: str, numbers: NumberFormat) -> tuple[Number, ...]:
    return tuple(numbers.read(item, item_path) for item_path, item in read_list(value, path))
