"""Single requirements and tolerations, with the semantics of Kubernetes 1.36."""

import re
from collections.abc import Callable

from coschedule.queue.constraints.terms import Requirement, Taint, Toleration

LabelTest = Callable[[str | None], bool]
"""Whether a label's value passes; None when the node has no such label."""

FieldTest = Callable[[str], bool]

_INTEGER = re.compile(r"[+-]?[0-9]+")
_CANONICAL_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_LONGEST_LABEL = 63
_INT64 = range(-(2**63), 2**63)


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Whether a toleration covers a taint; operators beyond Exists and Equal compare integers, taint on the left."""
    if toleration.effect not in ("", taint.effect) or toleration.key not in ("", taint.key):
        return False
    if toleration.operator in ("", "Equal"):
        return toleration.value == taint.value
    if toleration.operator == "Exists":
        return True
    return _compare(
        _integer(taint.value, _CANONICAL_INTEGER),
        toleration.operator,
        _integer(toleration.value, _CANONICAL_INTEGER),
    )


def label_test(requirement: Requirement) -> LabelTest:
    """Turn a requirement into a test of a label's value; one that the API would refuse passes nothing."""
    values = requirement.values
    if requirement.operator == "In" and values:
        return lambda value: value in values
    if requirement.operator == "NotIn" and values:
        return lambda value: value not in values
    if requirement.operator == "Exists" and not values:
        return lambda value: value is not None
    if requirement.operator == "DoesNotExist" and not values:
        return lambda value: value is None
    return _comparison(requirement)


def field_test(requirement: Requirement) -> FieldTest:
    """Turn a requirement into a test of a field's value; one that the API would refuse passes nothing."""
    values = requirement.values
    if requirement.operator == "In" and len(values) == 1:
        return lambda value: value == values[0]
    if requirement.operator == "NotIn" and len(values) == 1:
        return lambda value: value != values[0]
    return _passes_nothing


def _comparison(requirement: Requirement) -> LabelTest:
    """Build the test for Gt and Lt, which take one integer."""
    bound = _integer(requirement.values[0], _INTEGER) if len(requirement.values) == 1 else None
    return lambda value: value is not None and _compare(_integer(value, _INTEGER), requirement.operator, bound)


def _passes_nothing(_: str) -> bool:
    return False


def _compare(left: int | None, operator: str, right: int | None) -> bool:
    """Compare two integers; False when one is missing or the operator is unknown."""
    if left is None or right is None:
        return False
    return (operator == "Gt" and left > right) or (operator == "Lt" and left < right)


def _integer(text: str, spelling: re.Pattern[str]) -> int | None:
    """Read a 64-bit integer; None when the text is spelt otherwise or the number is larger."""
    if len(text) > _LONGEST_LABEL or not spelling.fullmatch(text):
        return None
    number = int(text)
    return number if number in _INT64 else None
