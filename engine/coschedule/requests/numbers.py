"""Exact or float: one decision for each request, by the format of its numbers."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from coschedule.model.numbers import Number
from coschedule.model.reading import read_exact, read_float


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberFormat:
    """How the numbers of a request are read, and how the numbers of its answer are written.

    With a rational string anywhere, all numbers are read as exact rationals, and fractions in the answer are rational
    strings. With integers only, the computation is exact, and the answer has JSON numbers. Otherwise, and when the work
    has a logarithm, the computation and the answer use floats.
    """

    has_rationals: bool
    has_decimals: bool

    def read(self, value: Any, path: str) -> Number:
        """Read one number of the request."""
        if self.has_decimals and not self.has_rationals:
            return read_float(value, path)
        exact = read_exact(value, path)
        return int(exact) if exact.denominator == 1 else exact

    def write(self, number: Number) -> int | float | str:
        """Write one number of the answer."""
        if isinstance(number, float):
            return number
        exact = Fraction(number)
        if exact.denominator == 1:
            return int(exact)
        return f"{exact.numerator}/{exact.denominator}" if self.has_rationals else float(exact)


def number_format_of(*parts: Any) -> NumberFormat:
    """Return the number format of a request; in ``parts``, all strings must be numbers."""
    leaves = [leaf for part in parts for leaf in _leaves(part)]
    return NumberFormat(
        has_rationals=any(isinstance(leaf, str) for leaf in leaves),
        has_decimals=any(isinstance(leaf, Decimal) for leaf in leaves),
    )


def _leaves(value: Any) -> Iterator[Any]:
    """List all values that are not objects or lists; without recursion, as the depth is not bounded yet."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
        else:
            yield item
