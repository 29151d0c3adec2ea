"""An application in a share auction: its levels, what is known of them, and the bids that follow [C 5.7.2, page 71].

Level l takes ``workstations[l]`` of them, rising, and has the unit time U(l), which becomes known when the application
attends an auction at that level. With c the level now and N the workstations of a level:

    forward bid    FB = U(c) / U(c + 1)                                  (5.5) what going up would gain
    backward bid   BB = U(lower) / U(c)                                  (5.6) what going down would lose
    potential bid  PB = (U(lowest) / U(c)) / (N(c) / N(lowest))          (5.8), (6.3) how well it has used more so far

where lowest is the lowest level whose unit time is known; when that is c itself, PB is 1. Bids are fractions, of floats
too, so that no comparison is decided by rounding.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import Number


def check_levels(workstations: Sequence[int]) -> None:
    """Raise InvalidValueError unless there are levels, and they rise from at least 1 workstation."""
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
    """One application on its way through the auctions; ``level`` is None when it was refused.

    ``known`` holds the latest unit time of every level that is known; ``split_from`` the level it split from, when
    that was the last thing that happened to it.
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
        """The level of an application that was not refused."""
        assert self.level is not None, "a refused application takes no part"
        return self.level

    @property
    def above(self) -> int | None:
        """The next level, None at the top."""
        return self.now + 1 if self.now + 1 < len(self.workstations) else None

    @property
    def held(self) -> int:
        """The workstations it occupies."""
        return 0 if self.level is None else self.workstations[self.level]

    def learn(self, levels: Iterable[int]) -> None:
        """Record what the unit times of ``levels`` are at present."""
        for level in levels:
            self.known[level] = Fraction(self.unit_times[level])

    def move(self, level: int) -> None:
        """Go to another level."""
        self.split_from = self.level if level > self.now else None
        self.level = level

    @property
    def split_in_vain(self) -> bool:
        """Whether the last move was a split and the unit time is not less than it was below."""
        return self.split_from is not None and self.known[self.now] >= self.known[self.split_from]

    def forward_bid(self) -> Fraction | None:
        """Return FB, None when it is not known."""
        if self.above is None or self.above not in self.known:
            return None
        return self.known[self.now] / self.known[self.above]

    def backward_bid(self, lower: int) -> Fraction | None:
        """BB for going down to ``lower``, None when it is not known."""
        return self.known[lower] / self.known[self.now] if lower in self.known else None

    def potential_bid(self) -> Fraction:
        """Return PB."""
        lowest = min(self.known)
        growth = Fraction(self.workstations[self.now], self.workstations[lowest])
        return self.known[lowest] / self.known[self.now] / growth

    def additional(self, level: int) -> int:
        """The workstations that a higher ``level`` takes beyond those it occupies."""
        return self.workstations[level] - self.held

    def level_that_frees(self, workstations: int) -> int | None:
        """Return the highest lower level that gives up so many workstations, None when none does."""
        lower = range(self.now - 1, -1, -1)
        return next((level for level in lower if self.held - self.workstations[level] >= workstations), None)
