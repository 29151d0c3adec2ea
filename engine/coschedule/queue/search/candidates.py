"""What can be chosen for one gang: ways to run it among the slots that are open to it.

A load (``queue.loads``) says how long runs of each size take, and searches the slots for the least value, which is the
finish where members have no price (``queue.price``). Of equal values, fewer members are better, then an earlier start.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.search.effort import Effort
from coschedule.queue.slots.open_slots import OpenSlots


class Candidate(NamedTuple):
    """One way to run a gang; the lesser tuple is the better one. ``pace`` is an index of the open slots' slow-downs.

    It takes the fastest slots that last from start to finish, none slower than ``pace``.
    """

    value: float
    size: int
    start: float
    pace: int
    finish: float


class Outline(NamedTuple):
    """When a gang could run, and with how many members; the lesser tuple is the better one."""

    value: float
    size: int
    start: float
    finish: float


def outline_of(candidate: Candidate | None) -> Outline | None:
    """Leave out of a candidate what only its own search understands."""
    return None if candidate is None else Outline(candidate.value, candidate.size, candidate.start, candidate.finish)


class Considered(NamedTuple):
    """Some runs that a search has looked at: for ``start[q]`` and slots no slower than ``slowdown[q]``, every size.

    ``finish[q, p]`` is when ``size[p]`` members would end, inf where there are too few slots for them.
    """

    start: FloatArray
    slowdown: FloatArray
    size: IntArray
    finish: FloatArray


Consider = Callable[[Considered], None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SearchSpace:
    """The slots of one gang; each search tells ``consider`` what it looks at.

    When the ``effort`` is over, a search takes the best that was found until then, or else the first that it finds.
    """

    open_slots: OpenSlots
    consider: Consider
    effort: Effort

    @property
    def instants(self) -> FloatArray:
        """The times at which the gang need start, rising."""
        return self.open_slots.instants

    @property
    def all_indices(self) -> IntArray:
        """The indices of all instants."""
        return np.arange(len(self.open_slots.instants))


class GangLoad(Protocol):
    """The sizes a gang may have, and how its run time follows from the slots it gets."""

    @property
    def sizes(self) -> IntArray:
        """The sizes that may run, rising: int[p]."""

    def where(self, kept: BoolArray) -> Self:
        """Keep the sizes for which ``kept``, bool[p], is True."""

    def runs_at(self, slowdown: float) -> FloatArray:
        """Seconds that each size runs when all its members have this slow-down: float[p]."""

    def shortest_runs(self, slowdowns: FloatArray, slots: IntArray) -> FloatArray:
        """Bound from below the seconds that any size runs on some slots: float[k].

        There are ``slots[k]`` of them, none with less than ``slowdowns[k]``; inf where they are too few.
        """

    def least_values(self, starts: FloatArray, slowdowns: FloatArray, slots: IntArray) -> FloatArray:
        """Bound from below the value of any size's run from ``starts[k]`` on, on such slots: float[k]."""

    def best(self, space: SearchSpace, *, among: IntArray, limit: float) -> Candidate | None:
        """Find the best candidate that starts at an instant of ``among``, rising, of a value up to ``limit``."""
