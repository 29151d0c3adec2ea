"""Speeds, as several problems of pieces spell them."""

from typing import Any

from coschedule.model.numbers import Number
from coschedule.model.reading import read_list
from coschedule.requests.numbers import Spelling


def read_speeds(value: Any, path: str, numbers: Spelling) -> list[Number]:
    """Read a list of speeds."""
    return [numbers.read(item, item_path) for item_path, item in read_list(value, path)]
