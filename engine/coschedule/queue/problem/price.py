"""The price of a member-second to waiting gangs, which decides which run of a gang is the best.

A gang that ends as soon as possible takes nodes that waiting gangs need. So runs are compared by their *value*: ``start
+ d * (1 + price * n)``, where n members run d seconds. The least value is the best. Without a price, the value is the
finish.
"""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray

Numbers = TypeVar("Numbers", float, FloatArray)

_ROUNDING = 2.0**-48
"""An upper bound on the relative rounding error of a value, and of a lower bound on values."""


@dataclass(frozen=True, slots=True)
class Price:
    """A member-second costs other gangs ``seconds``, at least 0 and finite."""

    seconds: float = 0.0

    def weights(self, sizes: IntArray) -> FloatArray:
        """Return the weight of a second of a run of each size: 1 + price * size."""
        weights: FloatArray = sizes.astype(np.float64) * self.seconds + 1.0
        return weights

    def value(self, start: float | FloatArray, finish: Numbers, size: int | IntArray) -> Numbers:
        """Return the value of runs; inf where they never end. The shapes are broadcast."""
        if not self.seconds:
            return finish
        value: Numbers = finish + self.seconds * size * (finish - start)  # type: ignore[assignment]
        return value

    def least_value(self, start: float | FloatArray, cost: Numbers, largest: int) -> Numbers:
        """Return a lower bound on the value of runs of at most ``largest`` members that take ``cost`` weighed seconds.

        Weighed seconds are seconds times ``weights``.
        """
        if not self.seconds:
            return start + cost  # type: ignore[return-value]
        room = _ROUNDING * (1 + self.seconds * largest)
        least: Numbers = start + cost * (1 - _ROUNDING) - room * np.abs(start)  # type: ignore[assignment]
        return least
