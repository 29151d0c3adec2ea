"""The numbers of members that a role can have."""

from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """The multiples of ``multiple_of`` from ``minimum`` to ``maximum`` that are in ``allowed``; () allows all of them.

    Raises ValueError if that leaves no size, and for invalid numbers.
    """

    minimum: int
    maximum: int
    multiple_of: int = 1
    allowed: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.minimum <= self.maximum:
            raise ValueError(f"sizes must satisfy 1 <= minimum <= maximum, not {self.minimum} and {self.maximum}")
        if self.multiple_of < 1 or any(
            left >= right for left, right in zip(self.allowed, self.allowed[1:], strict=False)
        ):
            raise ValueError("multiple_of must be at least 1, and allowed must be in ascending order")
        if self.have_gaps and not self.between(self.minimum, self.maximum).size:
            raise ValueError(f"there must be an allowed size from {self.minimum} to {self.maximum}")

    @property
    def have_gaps(self) -> bool:
        """Whether a size between two others may be missing."""
        return self.multiple_of > 1 or bool(self.allowed)

    @property
    def least(self) -> int:
        """The least size."""
        return int(self.between(self.minimum, self.maximum)[0]) if self.have_gaps else self.minimum

    @property
    def most(self) -> int:
        """The largest size."""
        return int(self.between(self.minimum, self.maximum)[-1]) if self.have_gaps else self.maximum

    @property
    def vary(self) -> bool:
        """Whether there is more than one size."""
        if not self.have_gaps:
            return self.minimum < self.maximum
        return len(self.between(self.minimum, self.maximum)) > 1

    def between(self, least: int, most: int) -> IntArray:
        """List the sizes from ``least`` to ``most``, rising."""
        sizes = np.arange(max(least, self.minimum), min(most, self.maximum) + 1)
        return sizes[self.has(sizes)] if self.have_gaps else sizes

    @overload
    def has(self, sizes: int) -> bool: ...

    @overload
    def has(self, sizes: IntArray) -> BoolArray: ...

    def has(self, sizes: Any) -> Any:
        """Return whether each of ``sizes[p]`` is one of these sizes, bool[p]; or whether one size is."""
        taken = (self.minimum <= sizes) & (sizes <= self.maximum) & (sizes % self.multiple_of == 0)
        return taken & np.isin(sizes, self.allowed) if self.allowed else taken
