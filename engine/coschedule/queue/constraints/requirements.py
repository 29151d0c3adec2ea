"""Single requirements, with the semantics of Kubernetes 1.36."""

import re
from collections.abc import Callable

from coschedule.queue.constraints.terms import Requirement

LabelTest = Callable[[str | None], bool]
"""Returns whether a label's value passes; it is called with None for a node without the label."""

_INTEGER = re.compile(r"[+-]?[0-9]+")
_CANONICAL_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_LONGEST_LABEL = 63
_INT64 = range(-(2**63), 2**63)


def label_test(requirement: Requirement) -> LabelTest:
    """Return a requirement as a test of a label's value; a requirement that the API would refuse passes nothing."""
    values = frozenset(requirement.values)
    if requirement.operator == "In" and values:
        return lambda value: value in values
    if requirement.operator == "NotIn" and values:
        return lambda value: value not in values
    if requirement.operator == "Exists" and not values:
        return lambda value: value is not None
    if requirement.operator == "DoesNotExist" and not values:
        return lambda value: value is None
    return _comparison(requirement)


def is_beyond(number: int, operator: str, bound: int) -> bool:
    """Return whether ``number`` is above (Gt) or below (Lt) the bound; False for other operators."""
    return (operator == "Gt" and number > bound) or (operator == "Lt" and number < bound)


def bound_of(values: tuple[str, ...]) -> int | None:
    """Return the bound of Gt or Lt; None unless there is exactly one value and it is an integer."""
    return label_integer(values[0]) if len(values) == 1 else None


def label_integer(text: str) -> int | None:
    """Read a label's value as an integer; None when it is not one."""
    return _integer(text, _INTEGER)


def taint_integer(text: str) -> int | None:
    """Read the value of a taint or a toleration as an integer without leading zeros or "+"; None otherwise."""
    return _integer(text, _CANONICAL_INTEGER)


def _comparison(requirement: Requirement) -> LabelTest:
    bound = bound_of(requirement.values)
    return lambda value: bound is not None and _is_integer_beyond(value, requirement.operator, bound)


def _is_integer_beyond(value: str | None, operator: str, bound: int) -> bool:
    number = None if value is None else label_integer(value)
    return number is not None and is_beyond(number, operator, bound)


def _integer(text: str, pattern: re.Pattern[str]) -> int | None:
    """Read a 64-bit integer; None if the text is too long for a label, has another form, or is beyond 64 bits."""
    if len(text) > _LONGEST_LABEL or not pattern.fullmatch(text):
        return None
    number = int(text)
    return number if number in _INT64 else None
