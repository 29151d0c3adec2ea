"""Seconds that a proportional load takes, by size and by the speed of all members together.

A gang of P members of total speed H runs work[P] / H + overhead[P] seconds. If the overhead is divided like the work,
``work`` is P * T(P), and ``overhead`` is 0 [A 4]. If the gang has the overhead as a whole, ``work`` is the serial work.
"""

from enum import StrEnum
from typing import NamedTuple

import numpy as np

from coschedule.model.errors import InvalidValueError
from coschedule.model.goal import Goal, size_table
from coschedule.model.numbers import BoolArray, IntArray, Scalar, Vector
from coschedule.model.run_times import SerialWork, Work


class Overhead(StrEnum):
    """Whether the overhead of a proportional load is divided among the members."""

    PER_MEMBER = "perMember"
    """P * T(P) is divided in proportion to speed [A 4]."""
    PER_GANG = "perGang"
    """Only the serial work is divided, and the gang as a whole takes the overhead."""


class DividedWork(NamedTuple):
    """Sizes that may run, rising; entry ``p`` runs ``work[p]`` / speed + ``overhead[p]`` seconds.

    The value of entry ``p`` is its start plus ``weight[p]`` times these seconds. ``weight[p]`` is 1 + price * size.
    """

    sizes: IntArray
    work: Vector
    overhead: Vector
    weight: Vector

    def where(self, kept: BoolArray) -> "DividedWork":
        """Keep the sizes for which ``kept``, bool[p], is True."""
        return DividedWork(*(column[kept] for column in self))

    def up_to(self, most: int) -> "DividedWork":
        """Keep the sizes that are at most ``most``."""
        kept = int(np.searchsorted(self.sizes, most, side="right"))
        return DividedWork(*(column[:kept] for column in self))

    def priced(self, price: Scalar) -> "DividedWork":
        """Return the same sizes with weights for ``price``, the cost of a member-second."""
        if not price:
            return self._replace(weight=np.ones(len(self.sizes), dtype=self.work.dtype))
        return self._replace(weight=1 + price * self.sizes.astype(self.work.dtype))

    def run_time(self, index: IntArray | int, speed: Scalar) -> Scalar:
        """Return the seconds that the sizes at ``index`` run with a total speed ``speed``."""
        return self.work[index] / speed + self.overhead[index]

    def as_floats(self) -> "DividedWork":
        """Round each number to the nearest float64."""
        columns = (column.astype(np.float64, copy=False) for column in (self.work, self.overhead, self.weight))
        return DividedWork(self.sizes, *columns)


def divided_work_of(work: Work, goal: Goal, overhead: Overhead, *, slots: int, exact: bool) -> DividedWork:
    """Return the sizes of ``goal`` that have a run time and fit on ``slots`` slots; with fractions if ``exact``.

    The weights are 1, as without a price.

    InvalidValueError for measured times with an overhead per gang: measured times do not separate work and overhead.
    """
    table = size_table(work, goal, slots=slots, exact=exact)
    sizes = table.sizes.astype(object if exact else np.float64)
    if overhead is Overhead.PER_MEMBER:
        return DividedWork(table.sizes, _total_work(work, sizes, table.times), sizes * 0, sizes * 0 + 1)
    if not isinstance(work, SerialWork):
        raise InvalidValueError("overhead", "must be perMember if the work has measured times")
    largest = int(table.sizes[-1]) if len(sizes) else 0
    overheads = (work.exact_overheads if exact else work.float_overheads)(largest)[table.sizes - 1]
    return DividedWork(table.sizes, np.full(len(sizes), work.serial, dtype=sizes.dtype), overheads, sizes * 0 + 1)


def _total_work(work: Work, sizes: Vector, times: Vector) -> Vector:
    """Return P * T(P) of each size. Without overhead, these products are exactly equal, despite rounding."""
    if isinstance(work, SerialWork) and not work.has_overhead:
        return np.full(len(sizes), work.serial, dtype=sizes.dtype)
    return sizes * times
