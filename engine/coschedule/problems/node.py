"""What a node offers to a gang."""

import math
from dataclasses import dataclass
from fractions import Fraction

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """The bid of a node: it takes up to ``slots`` members in ``[start, until]``.

    Times are seconds after the request; ``until`` is inf when the window never closes. ``duty_cycle`` is local work per
    unit of gang work, ``capacity`` the speed relative to the reference node [A 2]. ``slowdowns``, when given, replaces
    ``duty_cycle``, ``capacity`` and ``slots``: entry ``j - 1`` is the slow-down of each of ``j`` members here, never
    falling. InvalidValueError for invalid values.
    """

    start: Number = 0
    duty_cycle: Number = 0
    capacity: Number = 1
    until: Number = math.inf
    slots: int = 1
    slowdowns: tuple[Number, ...] | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.start < math.inf:
            raise InvalidValueError("start", "must be at least 0 and finite")
        if not 0 <= self.duty_cycle < math.inf:
            raise InvalidValueError("duty_cycle", "must be at least 0 and finite")
        if not 0 < self.capacity < math.inf:
            raise InvalidValueError("capacity", "must be above 0 and finite")
        if not self.until >= 0:
            raise InvalidValueError("until", "must be at least 0")
        if self.slots < 1:
            raise InvalidValueError("slots", "must be at least 1")
        if self.slowdowns is not None:
            self._check_slowdowns(self.slowdowns)

    @staticmethod
    def _check_slowdowns(slowdowns: tuple[Number, ...]) -> None:
        if not slowdowns:
            raise InvalidValueError("slowdowns", "must hold at least one slow-down")
        for index, slowdown in enumerate(slowdowns):
            if not 0 < slowdown < math.inf:
                raise InvalidValueError(f"slowdowns[{index}]", "must be above 0 and finite")
            if index and slowdown < slowdowns[index - 1]:
                raise InvalidValueError(f"slowdowns[{index}]", "must not be below the slow-down of fewer members")

    @property
    def is_exact(self) -> bool:
        """Whether all numbers of this bid are rational; an infinite ``until`` also counts."""
        numbers: tuple[Number, ...] = (self.start, self.duty_cycle, self.capacity, *(self.slowdowns or ()))
        return all(isinstance(number, int | Fraction) for number in (*numbers, *self._finite_until()))

    def _finite_until(self) -> tuple[Number, ...]:
        return () if self.until == math.inf else (self.until,)

    @property
    def most_members(self) -> int:
        """The most members that the node holds."""
        return self.slots if self.slowdowns is None else len(self.slowdowns)

    def slowdown_steps(self) -> list[tuple[Number, int]]:
        """List each distinct slow-down, rising, with its number of slots.

        Without ``slowdowns``, the only slow-down is (1 + duty_cycle) / capacity. If ``j`` members are on the node, they
        are in its first ``j`` slots, and no member is slower than the last of these slots.
        """
        if self.slowdowns is None:
            return [((1 + self.duty_cycle) / self._divisor(), self.slots)]
        steps: list[tuple[Number, int]] = []
        for slowdown in self.slowdowns:
            same = steps and steps[-1][0] == slowdown
            steps[-1:] = [(slowdown, steps[-1][1] + 1)] if same else [*steps[-1:], (slowdown, 1)]
        return steps

    def _divisor(self) -> Number:
        """Return the capacity as a divisor: an int becomes a fraction, so that exact numbers have exact quotients."""
        return Fraction(self.capacity) if isinstance(self.capacity, int) else self.capacity
