"""Fields that several problems share: nodes, work, sizes."""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import Number
from coschedule.model.reading import join, read_integer, read_list, read_object
from coschedule.model.run_times import SerialWork, TimesWork, Work
from coschedule.problems.node import Node
from coschedule.requests.numbers import NumberFormat

_SERIAL_FIELDS = {"serial": "serial", "fixed": "fixed", "perMember": "per_member", "perLogMember": "per_log_member"}
_NODE_FIELDS = {"start": "start", "dutyCycle": "duty_cycle", "capacity": "capacity"}

_REPLACED = {"dutyCycle": 0, "capacity": 1, "slots": 1}
"""Fields that ``slowdowns`` replaces, with their defaults."""


@contextmanager
def placed(path: str, attributes: Mapping[str, str]) -> Iterator[None]:
    """Replace the attribute in an InvalidValueError by the field of the request, with its ``path``.

    ``attributes`` maps each field of the request to its attribute. An index after the attribute's name is kept.
    """
    try:
        yield
    except InvalidValueError as error:
        attribute, bracket, index = error.field.partition("[")
        fields = {attribute: field for field, attribute in attributes.items()}
        raise InvalidValueError(join(path, fields.get(attribute, attribute) + bracket + index), error.message) from None


def read_nodes(value: Any, numbers: NumberFormat) -> list[Node]:
    """Read the list of nodes."""
    return [_read_node(item, path, numbers) for path, item in read_list(value, "nodes")]


def _read_node(value: Any, path: str, numbers: NumberFormat) -> Node:
    fields = read_object(value, path, optional=(*_NODE_FIELDS, "until", "slots", "slowdowns"))
    slowdowns = fields.get("slowdowns")
    if slowdowns is not None:
        for name, default in _REPLACED.items():
            if fields.get(name, default) != default:
                raise InvalidValueError(join(path, name), "must be absent when there are slowdowns")
    given = {
        attribute: numbers.read(fields[name], join(path, name))
        for name, attribute in _NODE_FIELDS.items()
        if name in fields
    }
    until = read_limit(fields.get("until"), join(path, "until"), numbers)
    slots = read_integer(fields.get("slots", 1), join(path, "slots"))
    by_count = None if slowdowns is None else _read_numbers(slowdowns, join(path, "slowdowns"), numbers)
    with placed(path, _NODE_FIELDS):
        return Node(**given, until=until, slots=slots, slowdowns=by_count)


def read_work(value: Any, numbers: NumberFormat) -> Work:
    """Read serial work or measured times."""
    if isinstance(value, dict) and "times" in value:
        fields = read_object(value, "work", required=("times",))
        times = _read_numbers(fields["times"], "work.times", numbers)
        with placed("work", {}):
            return TimesWork(times=times)
    fields = read_object(value, "work", required=("serial",), optional=("fixed", "perMember", "perLogMember"))
    given = {_SERIAL_FIELDS[name]: numbers.read(item, f"work.{name}") for name, item in fields.items()}
    with placed("work", _SERIAL_FIELDS):
        return SerialWork(**given)


def read_limit(value: Any, path: str, numbers: NumberFormat) -> Number:
    """Read a time; return inf for null, which means never."""
    return math.inf if value is None else numbers.read(value, path)


def _read_numbers(value: Any, path: str, numbers: NumberFormat) -> tuple[Number, ...]:
    return tuple(numbers.read(item, item_path) for item_path, item in read_list(value, path))
