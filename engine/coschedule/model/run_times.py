"""How the run time of a gang depends on its size."""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import Number, Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class SerialWork:
    """Work that divides evenly, with overhead: T(P) = serial/P + fixed + per_member*P + per_log_member*log2(P).

    Units: seconds on idle reference nodes. ``serial`` is above 0, the overheads are at least 0, all are finite;
    InvalidValueError otherwise. Source: [A 3.1], T(1)/P + T_cc(P) + T_l(P).
    """

    serial: Number
    fixed: Number = 0
    per_member: Number = 0
    per_log_member: Number = 0

    def __post_init__(self) -> None:
        if not 0 < self.serial < math.inf:
            raise InvalidValueError("serial", "must be above 0 and finite")
        for name in ("fixed", "per_member", "per_log_member"):
            if not 0 <= getattr(self, name) < math.inf:
                raise InvalidValueError(name, "must be at least 0 and finite")

    @property
    def has_overhead(self) -> bool:
        """Whether T(P) is ever more than serial/P."""
        return bool(self.fixed or self.per_member or self.per_log_member)

    @property
    def is_exact(self) -> bool:
        """Whether all T(P) are rational; logarithms are not."""
        numbers = (self.serial, self.fixed, self.per_member)
        return self.per_log_member == 0 and all(isinstance(number, int | Fraction) for number in numbers)

    def float_overheads(self, largest: int) -> Vector:
        """Return T(P) - serial/P for P = 1, ..., largest as float64."""
        sizes = np.arange(1, largest + 1, dtype=np.float64)
        overheads = float(self.fixed) + float(self.per_member) * sizes
        if self.per_log_member:
            overheads += float(self.per_log_member) * np.log2(sizes)
        return overheads

    def exact_overheads(self, largest: int) -> Vector:
        """Return T(P) - serial/P for P = 1, ..., largest as fractions; only for work that ``is_exact``."""
        fixed, per_member = Fraction(self.fixed), Fraction(self.per_member)
        return np.array([fixed + per_member * size for size in range(1, largest + 1)], dtype=object)

    def float_times(self, largest: int) -> Vector:
        """Return T(1), ..., T(largest) as float64."""
        return float(self.serial) / np.arange(1, largest + 1) + self.float_overheads(largest)

    def float_time(self, size: int) -> float:
        """Return T(size) as float64, the last of ``float_times(size)``."""
        overhead = float(self.fixed) + float(self.per_member) * size
        if self.per_log_member:
            overhead += float(self.per_log_member) * float(np.log2(size))
        return float(self.serial) / size + overhead

    def exact_times(self, largest: int) -> Vector:
        """Return T(1), ..., T(largest) as fractions; only for work that ``is_exact``."""
        serial = Fraction(self.serial)
        divided = np.array([serial / size for size in range(1, largest + 1)], dtype=object)
        return divided + self.exact_overheads(largest)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimesWork:
    """Measured run times: ``times[P - 1]`` seconds with P members on idle reference nodes, inf where P is not allowed.

    Sizes beyond the list are not allowed either. All times are above 0, and at least one is finite; InvalidValueError
    otherwise.
    """

    times: tuple[Number, ...]

    def __post_init__(self) -> None:
        for index, time in enumerate(self.times):
            if not time > 0:
                raise InvalidValueError(f"times[{index}]", "must be above 0")
        if not any(time < math.inf for time in self.times):
            raise InvalidValueError("times", "must hold a finite time")

    @property
    def is_exact(self) -> bool:
        """Whether all T(P) are rational or infinite."""
        return all(isinstance(time, int | Fraction) or time == math.inf for time in self.times)

    def float_times(self, largest: int) -> Vector:
        """Return T(1), ..., T(largest) as float64, inf for sizes that are not allowed."""
        times = np.full(largest, np.inf)
        known = [float(time) for time in self.times[:largest]]
        times[: len(known)] = known
        return times

    def float_time(self, size: int) -> float:
        """Return T(size) as float64, inf where that size is not allowed."""
        return float(self.times[size - 1]) if size <= len(self.times) else math.inf

    def exact_times(self, largest: int) -> Vector:
        """Return T(1), ..., T(largest) as fractions, inf where not allowed; only for work that ``is_exact``."""
        times = np.full(largest, math.inf, dtype=object)
        for index, time in enumerate(self.times[:largest]):
            times[index] = time if time == math.inf else Fraction(time)
        return times


class TimedSize(NamedTuple):
    """A number of members, and the seconds that they took."""

    members: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileWork:
    """Interpolates measured run times: P · T(P) is linear between two measured sizes, as in Amdahl's law.

    If there is a ``law``, T(P) follows the law instead. In either case, sizes below the first point and above the last
    are not allowed. The sizes of ``points`` are above 0 and rise, their times are above 0 and finite; InvalidValueError
    otherwise. The memory that a profile takes depends on the number of points, not on their sizes.
    """

    points: tuple[TimedSize, ...]
    law: SerialWork | None = None

    def __post_init__(self) -> None:
        sizes = [0, *(point.members for point in self.points)]
        if len(sizes) == 1 or any(before >= after for before, after in pairwise(sizes)):
            raise InvalidValueError("points", "must have sizes above 0 in ascending order")
        if not all(0 < point.seconds < math.inf for point in self.points):
            raise InvalidValueError("points", "must have times above 0")

    @property
    def is_exact(self) -> bool:
        """Whether all T(P) are rational or infinite: measured times are not."""
        return False

    def float_times(self, largest: int) -> Vector:
        """Return T(1), ..., T(largest) as float64, inf for sizes that are not allowed."""
        sizes = np.arange(1, largest + 1)
        times = self._between(sizes) if self.law is None else self.law.float_times(largest)
        return np.where((sizes >= self.points[0].members) & (sizes <= self.points[-1].members), times, np.inf)

    def float_time(self, size: int) -> float:
        """Return T(size) as float64, inf where that size is not allowed."""
        if not self.points[0].members <= size <= self.points[-1].members:
            return math.inf
        return float(self._between(np.array([size]))[0]) if self.law is None else self.law.float_time(size)

    def exact_times(self, largest: int) -> Vector:
        """Raise AssertionError: measured times are not exact, so callers must not ask for fractions."""
        raise AssertionError(f"{largest} measured times are asked for as fractions")

    def _between(self, sizes: Vector) -> Vector:
        members = np.array([point.members for point in self.points])
        member_seconds = np.array([point.members * point.seconds for point in self.points])
        between: Vector = np.interp(sizes, members, member_seconds) / sizes
        return between


Work = SerialWork | TimesWork | ProfileWork
"""How run times depend on the size; all have ``is_exact``, ``float_time``, ``float_times`` and ``exact_times``."""
