"""The best gang, or why there is none, and the choices that a search compares."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from coschedule.model.goal import Goal, Objective
from coschedule.model.numbers import Number, Scalar, as_number


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenGang:
    """The best gang: ``members`` are node indices, rising, repeated when a node holds several.

    Times are seconds after the request. ``speedup`` is T(1) / finish, None when T(1) is unknown. Node ``latest`` starts
    last and node ``slowest`` has the largest slow-down. Among equal nodes, the lowest index is given.
    """

    finish: Number
    size: int
    members: tuple[int, ...]
    start: Number
    speedup: Number | None
    latest: int
    slowest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TooFewSlots:
    """The gang needs at least ``needed`` members, and all nodes together hold ``slots``."""

    needed: int
    slots: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NoRunTime:
    """No size from ``minimum`` to ``maximum`` has a run time."""

    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowsTooShort:
    """Windows close too early: the fewest members allowed, ``size``, never have slots together for the shortest run.

    The shortest run takes ``shortest_seconds``.
    """

    size: int
    shortest_seconds: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class NeverFreeTogether:
    """Windows close too early: the fewest members allowed, ``size``, never have slots together until their run ends.

    Without windows the first run would end at ``earliest_finish``, in seconds after the request.
    """

    size: int
    earliest_finish: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class EndsTooLate:
    """``earliest_finish`` is after the ``deadline``, both in seconds after the request."""

    earliest_finish: Number
    deadline: Number


NoGang = TooFewSlots | NoRunTime | WindowsTooShort | NeverFreeTogether | EndsTooLate
"""Why no gang meets the goal, with the relevant numbers."""


class SlotChoice(NamedTuple):
    """One way to run: on ``size`` slots that open by ``start`` and are as good as ``level`` or better."""

    start: Scalar
    level: Scalar
    size: int
    finish: Scalar
    value: Scalar

    def rank(self, goal: Goal) -> tuple[Scalar, ...]:
        """Return the rank of the choice for ``goal``; the lowest is the best."""
        return goal.rank(value=self.value, finish=self.finish, size=self.size, start=self.start)


def is_plain(goal: Goal) -> bool:
    """Return whether the finish alone decides between two choices of a size, whatever the deadline."""
    return goal.objective is Objective.FINISH and goal.price == 0


def speedup_of(serial: Scalar, finish: Scalar) -> Number | None:
    """Return the effective speed-up T(1) / finish [A 2]; None when T(1) is unknown."""
    return as_number(serial / finish) if serial < math.inf else None
