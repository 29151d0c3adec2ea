"""What a member-second costs the gangs that wait, and so which run of a gang is the best.

A gang that ends as soon as it can takes more members than those that wait can spare. So its runs are compared by
``start + d * (1 + price * n)``, where n members run d seconds: their *value*. The least is the best. Without a price
the value is the finish.
"""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray

Numbers = TypeVar("Numbers", float, FloatArray)

_ROUNDING = 2.0**-48
"""More than the relative error of a value, or of a bound of it."""


@dataclass(frozen=True, slots=True)
class Price:
    """A member-second costs the others ``seconds``, at least 0 and finite."""

    seconds: float = 0.0

    def weights(self, sizes: IntArray) -> FloatArray:
        """Return what a second of a run of each size counts: 1 + price * size."""
        weights: FloatArray = sizes.astype(np.float64) * self.seconds + 1.0
        return weights

    def value(self, start: float | FloatArray, finish: Numbers, size: int | IntArray) -> Numbers:
        """Return the value of runs; inf where they never end. Shapes must agree as numpy broadcasts them."""
        if not self.seconds:
            return finish
        value: Numbers = finish + self.seconds * size * (finish - start)  # type: ignore[assignment]
        return value

    def least_value(self, start: float | FloatArray, cost: Numbers, largest: int) -> Numbers:
        """Bound from below the value of runs of at most ``largest`` members that take ``cost`` weighed seconds."""
        if not self.seconds:
            return start + cost  # type: ignore[return-value]
        room = _ROUNDING * (1 + self.seconds * largest)
        least: Numbers = start + cost * (1 - _ROUNDING) - room * np.abs(start)  # type: ignore[assignment]
        return least
