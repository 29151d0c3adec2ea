"""An application in a share auction: its levels, their known unit times, and the resulting bids [C 5.7.2, page 71].

Level l has ``workstations[l]`` workstations, rising, and the unit time U(l). U(l) becomes known when the application
attends an auction at that level. Let c be the current level and N the workstations of a level:

    forward bid    FB = U(c) / U(c + 1)                                  (5.5) the gain of going up
    backward bid   BB = U(lower) / U(c)                                  (5.6) the loss of going down
    potential bid  PB = (U(lowest) / U(c)) / (N(c) / N(lowest))          (5.8), (6.3) the gain from all growth so far

where lowest is the lowest level with a known unit time. When that is c itself, PB is 1. Bids are exact fractions, even
if unit times are floats. So rounding never decides a comparison.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import Number


def check_levels(workstations: Sequence[int]) -> None:
    """Raise InvalidValueError unless there are levels, rising from at least 1 workstation."""
    if not workstations:
        raise InvalidValueError("levels", "must hold at least one level")
    for level, count in enumerate(workstations):
        if count < 1:
            raise InvalidValueError(f"levels[{level}]", "must be at least 1")
        if level and count <= workstations[level - 1]:
            raise InvalidValueError(f"levels[{level}]", "must be more than the workstations of the level below")


def check_unit_times(unit_times: Sequence[Number]) -> None:
    """Raise InvalidValueError for unit times that are not above 0 and finite."""
    for level, time in enumerate(unit_times):
        if not 0 < time < math.inf:
            raise InvalidValueError(f"unit_times[{level}]", "must be above 0 and finite")


@dataclass(slots=True, kw_only=True, eq=False)
class Application:
    """The state of an application in the auctions; ``level`` is None when it was refused.

    ``known`` has the latest unit time of each known level. ``split_from`` is the level before its last move, if that
    was a split.
    """

    name: str
    workstations: tuple[int, ...]
    unit_times: tuple[Number, ...]
    level: int | None
    is_new: bool = True
    split_from: int | None = None
    known: dict[int, Fraction] = field(default_factory=dict)

    @property
    def now(self) -> int:
        """The current level; only for an application that was not refused."""
        assert self.level is not None, "a refused application takes no part"
        return self.level

    @property
    def above(self) -> int | None:
        """The next level, None at the top."""
        return self.now + 1 if self.now + 1 < len(self.workstations) else None

    @property
    def held(self) -> int:
        """The workstations that it uses."""
        return 0 if self.level is None else self.workstations[self.level]

    def learn(self, levels: Iterable[int]) -> None:
        """Record the current unit times of ``levels``."""
        for level in levels:
            self.known[level] = Fraction(self.unit_times[level])

    def move(self, level: int) -> None:
        """Go to another level."""
        self.split_from = self.level if level > self.now else None
        self.level = level

    @property
    def split_in_vain(self) -> bool:
        """Whether the last move was a split that did not reduce the unit time."""
        return self.split_from is not None and self.known[self.now] >= self.known[self.split_from]

    def forward_bid(self) -> Fraction | None:
        """Return FB, None when it is unknown."""
        if self.above is None or self.above not in self.known:
            return None
        return self.known[self.now] / self.known[self.above]

    def backward_bid(self, lower: int) -> Fraction | None:
        """Return BB for going down to ``lower``, None when it is unknown."""
        return self.known[lower] / self.known[self.now] if lower in self.known else None

    def potential_bid(self) -> Fraction:
        """Return PB."""
        lowest = min(self.known)
        growth = Fraction(self.workstations[self.now], self.workstations[lowest])
        return self.known[lowest] / self.known[self.now] / growth

    def additional(self, level: int) -> int:
        """Return how many more workstations the application needs for a higher ``level``."""
        return self.workstations[level] - self.held

    def level_that_frees(self, workstations: int) -> int | None:
        """Return the highest lower level that frees at least ``workstations``; None if no level does."""
        lower = range(self.now - 1, -1, -1)
        return next((level for level in lower if self.held - self.workstations[level] >= workstations), None)
