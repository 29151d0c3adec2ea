"""Readers of untrusted JSON values: each refusal names the field and says what it must be.

The values come from ``parse``. A number is an int, a Decimal (a JSON number with a point or an exponent) or a string
with a rational such as "3/5". True and false are not numbers.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from fractions import Fraction
from typing import Any, TypeVar

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import Number

Kind = TypeVar("Kind", bound=StrEnum)

LARGEST = 10**18
"""Numbers are 0, or from 1/LARGEST to LARGEST in size, so that sums and products stay in the range of a float."""

LONGEST_NUMBER = 64
"""The most characters of a number."""

_NOT_MODERATE = "must be 0 or from 1e-18 to 1e18 in size"
_RATIONAL = re.compile(r"-?[0-9]+(/[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Replaces a value that cannot be read, until a reader refuses it under the name of its field."""

    why: str


_TOO_LONG = Unreadable(f"has more than {LONGEST_NUMBER} characters")
_TWICE = Unreadable("is given more than once")


def parse(text: str) -> Any:
    """Parse JSON strictly.

    These values become ``Unreadable``: NaN, Infinity, numbers of more than 64 characters, decimals whose exponent is
    too large, and the values of repeated fields. Raises InvalidValueError when the text is not JSON or is nested too
    deeply.
    """
    try:
        return json.loads(
            text, parse_float=_decimal, parse_int=_integer, parse_constant=_constant, object_pairs_hook=_object
        )
    except json.JSONDecodeError as error:
        raise InvalidValueError("", f"is not JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise InvalidValueError("", "is nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object; the value of a repeated name is ``Unreadable``, since it is ambiguous."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        fields |= {name: _TWICE for name, count in counts.items() if count > 1}
    return fields


def _decimal(text: str) -> Decimal | Unreadable:
    try:
        return Decimal(text) if len(text) <= LONGEST_NUMBER else _TOO_LONG
    except InvalidOperation:
        return Unreadable("has an exponent that is too large")


def _integer(text: str) -> int | Unreadable:
    return int(text) if len(text) <= LONGEST_NUMBER else _TOO_LONG


def _constant(name: str) -> Unreadable:
    return Unreadable(f"is {name}, which is not a JSON number")


def read_object(
    value: Any, path: str, *, required: Iterable[str] = (), optional: Iterable[str] = ()
) -> Mapping[str, Any]:
    """Read an object; missing and unknown fields are refused by name."""
    if not isinstance(value, dict):
        raise refusal(value, path, "must be an object")
    known = [*required, *optional]
    for name in value:
        if name not in known:
            raise InvalidValueError(join(path, name), f"is not a known field; known are {', '.join(known)}")
    for name in required:
        if name not in value:
            raise InvalidValueError(join(path, name), "is required")
    return value


def read_list(value: Any, path: str) -> list[tuple[str, Any]]:
    """Read a list; return each item with its path."""
    if not isinstance(value, list):
        raise refusal(value, path, "must be a list")
    return [(f"{path}[{index}]", item) for index, item in enumerate(value)]


def read_string(value: Any, path: str) -> str:
    """Return ``value`` if it is a string, or raise InvalidValueError."""
    if not isinstance(value, str):
        raise refusal(value, path, "must be a string")
    return value


def read_truth(value: Any, path: str) -> bool:
    """Return ``value`` if it is true or false, or raise InvalidValueError."""
    if not isinstance(value, bool):
        raise refusal(value, path, "must be true or false")
    return value


def read_choice(kind: type[Kind], value: Any, path: str) -> Kind:
    """Read a member of the enum ``kind`` by its value."""
    if value not in list(kind):
        raise refusal(value, path, f"must be one of {', '.join(kind)}")
    return kind(value)


def read_integer(value: Any, path: str, *, largest: int = LARGEST) -> int:
    """Read an integer from -``largest`` to ``largest``."""
    number = read_exact(value, path)
    if number.denominator != 1:
        raise InvalidValueError(path, "must be a whole number")
    if abs(number) > largest:
        raise InvalidValueError(path, f"must be at most {largest}")
    return int(number)


def read_exact(value: Any, path: str) -> Fraction:
    """Read a number as an exact rational."""
    if isinstance(value, Decimal):
        _check_decimal(value, path)
        return Fraction(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return _moderate(Fraction(value), path)
    if not isinstance(value, str) or len(value) > LONGEST_NUMBER or not _RATIONAL.fullmatch(value):
        raise refusal(value, path, 'must be a number or a rational such as "3/5"')
    numerator, _, denominator = value.partition("/")
    if denominator and not int(denominator):
        raise InvalidValueError(path, "must not be divided by 0")
    return _moderate(Fraction(int(numerator), int(denominator or 1)), path)


def read_float(value: Any, path: str) -> Number:
    """Read a number as the nearest float; an integer may stay an int."""
    if isinstance(value, Decimal):
        _check_decimal(value, path)
        # The sum turns -0.0 into 0.0, as answers must not contain -0.0.
        return float(value) + 0.0
    exact = read_exact(value, path)
    return int(exact) if exact.denominator == 1 else float(exact)


def _check_decimal(number: Decimal, path: str) -> None:
    # Decimals are compared here, since as a fraction 1e999999 would be an integer of a million digits.
    if number and not Decimal("1e-18") <= number.copy_abs() <= Decimal(LARGEST):
        raise InvalidValueError(path, _NOT_MODERATE)


def _moderate(number: Fraction, path: str) -> Fraction:
    if number and not Fraction(1, LARGEST) <= abs(number) <= LARGEST:
        raise InvalidValueError(path, _NOT_MODERATE)
    return number


def refusal(value: Any, path: str, message: str) -> InvalidValueError:
    """Return the error for a wrong value: why it is unreadable or, if it is readable, ``message``."""
    return InvalidValueError(path, value.why if isinstance(value, Unreadable) else message)


def join(path: str, name: str) -> str:
    """Return the path of a field of an object."""
    return f"{path}.{name}" if path else name
