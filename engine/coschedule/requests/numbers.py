"""Exact or float: one decision per request, taken from how its numbers are written."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from coschedule.model.numbers import Number
from coschedule.model.reading import read_exact, read_float


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """How the numbers of a request are read and how those of its answer are written.

    With a rational string anywhere, every number counts as the rational that is written there, and numbers of the
    answer that are not whole are rational strings. With ints alone it is computed exactly and answered in JSON numbers.
    Otherwise, and when the work has a logarithm in it, floats are computed and answered.
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


def spelling_of(*parts: Any) -> Spelling:
    """Look at all the numbers of a request, in the parts of it that hold numbers and no other strings."""
    leaves = [leaf for part in parts for leaf in _leaves(part)]
    return Spelling(
        has_rationals=any(isinstance(leaf, str) for leaf in leaves),
        has_decimals=any(isinstance(leaf, Decimal) for leaf in leaves),
    )


def _leaves(value: Any) -> Iterator[Any]:
    """List everything that holds nothing else; without recursion, as nobody has bounded the depth yet."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
        else:
            yield item
