"""Lists of speeds, which several problems of pieces have."""

from typing import Any

from coschedule.model.numbers import Number
from coschedule.model.reading import read_list
from coschedule.requests.numbers import NumberFormat


def read_speeds(value: Any, path: str, numbers: NumberFormat) -> list[Number]:
    """Read a list of speeds."""
    return [numbers.read(item, item_path) for item_path, item in read_list(value, path)]
