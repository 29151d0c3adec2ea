"""Owners who take their nodes back: every working day, at the same hours."""

import math
import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

_FORMAT = re.compile(r"(0\.[0-9]+|1(?:\.0*)?)@([0-9]{1,2})-([0-9]{1,2})")
_HOUR, _DAY = 3600.0, 86_400.0
_WEEK, _WORKING = 7, 5
# Each owner comes and goes at most this many seconds after the hour.
_LATE = 0.5 * _HOUR


class OwnersError(ValueError):
    """The text does not describe owners."""


class OfficeHours(NamedTuple):
    """Owners of a ``share`` of the nodes, who use them between two hours of each working day."""

    share: float
    begin: int
    end: int


class Windows(NamedTuple):
    """Each node takes members from ``opens`` (-inf if it does now) until ``closes`` (inf if no owner comes)."""

    opens: FloatArray
    closes: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Hours:
    """When owners use each node on a working day, in seconds after midnight; nan where a node has no owner."""

    begin: FloatArray
    end: FloatArray

    def windows(self, now: float) -> Windows:
        """Return when each node takes members next. Time 0 s is the midnight before a Monday."""
        midnights = self._midnights(now)
        comes, goes = midnights + self.begin, midnights + self.end
        is_there = (comes <= now) & (now < goes)
        opens = np.where(is_there, goes, -math.inf).max(axis=0)
        return Windows(opens, np.where(comes > now, comes, math.inf).min(axis=0))

    def next_check(self, now: float) -> float:
        """Return when a policy should decide again: when the next owner leaves, inf without owners."""
        goes = self._midnights(now) + self.end
        return float(goes[goes > now].min(initial=math.inf))

    def _midnights(self, now: float) -> FloatArray:
        """Return, as a column, the midnights in s before the working days of the next eight days, today first."""
        # Today and the next seven days: every week has a working day, and today's hours may be over.
        days = np.arange(_WEEK + 1) + now // _DAY
        return np.array(days[days % _WEEK < _WORKING, np.newaxis] * _DAY, dtype=np.float64)


def owners_of(text: str) -> OfficeHours:
    """Read ``0.25@9-17``: a quarter of the nodes has owners, who are there from 9 to 17 o'clock."""
    found = _FORMAT.fullmatch(text)
    if found is None or not int(found[2]) < int(found[3]) < 24:
        raise OwnersError(f"{text!r} is not a share of the nodes and two hours, such as 0.25@9-17")
    return OfficeHours(float(found[1]), int(found[2]), int(found[3]))


def hours_of(owners: OfficeHours | None, nodes: int, random: np.random.Generator) -> Hours:
    """Draw which nodes have owners, and how late each of them comes and goes."""
    hours = np.full((2, nodes), math.nan)
    if owners is not None:
        owned = random.permutation(nodes)[: round(owners.share * nodes)]
        late = random.uniform(0, _LATE, size=(2, len(owned)))
        hours[:, owned] = np.array([[owners.begin], [owners.end]]) * _HOUR + late
    return Hours(hours[0], hours[1])
