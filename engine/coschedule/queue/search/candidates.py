"""Candidates: the possible runs of one gang on the slots that are open to it.

A load (``queue.loads``) knows how long runs of each size take, and searches the slots for the least value
(``queue.problem.price``). If values are equal, fewer members are better, then an earlier start.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.search.effort import Effort
from coschedule.queue.slots.open_slots import OpenSlots


class Candidate(NamedTuple):
    """One possible run of a gang; the least tuple is the best. ``pace`` is an index of the open slots' slow-downs.

    The run uses the fastest slots that last from start to finish, none slower than ``pace``.
    """

    value: float
    size: int
    start: float
    pace: int
    finish: float


class Outline(NamedTuple):
    """When a gang could run, and with how many members; the least tuple is the best."""

    value: float
    size: int
    start: float
    finish: float


def outline_of(candidate: Candidate | None) -> Outline | None:
    """Return a candidate without its pace, which only its own search understands."""
    return None if candidate is None else Outline(candidate.value, candidate.size, candidate.start, candidate.finish)


class Considered(NamedTuple):
    """Runs that a search has computed: from ``start[q]``, on slots no slower than ``slowdown[q]``, of each size.

    ``finish[q, p]`` is when ``size[p]`` members would end, inf where there are too few slots for them.
    """

    start: FloatArray
    slowdown: FloatArray
    size: IntArray
    finish: FloatArray


Consider = Callable[[Considered], None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SearchSpace:
    """The slots of one gang; each search passes the runs that it computes to ``consider``.

    When the ``effort`` is over, a search returns the best run found until then, or else the first that it finds.
    Searches of ``EqualLoad`` do not read the effort.
    """

    open_slots: OpenSlots
    consider: Consider
    effort: Effort

    @property
    def instants(self) -> FloatArray:
        """The starts to try, rising."""
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
        """Return the load with only the sizes for which ``kept``, bool[p], is True."""

    def runs_at(self, slowdown: float) -> FloatArray:
        """Return the seconds that each size runs when all its members have this slow-down: float[p]."""

    def shortest_runs(self, slowdowns: FloatArray, slots: IntArray) -> FloatArray:
        """Return a lower bound on the run, in seconds, of any size: float[k], inf where there are too few slots.

        There are ``slots[k]`` slots, which all have a slow-down of ``slowdowns[k]`` or more.
        """

    def least_values(self, starts: FloatArray, slowdowns: FloatArray, slots: IntArray) -> FloatArray:
        """Return a lower bound on the value of runs of all sizes from ``starts[k]`` on: float[k].

        ``slowdowns`` and ``slots`` are as in ``shortest_runs``.
        """

    def best(self, space: SearchSpace, *, among: IntArray, limit: float) -> Candidate | None:
        """Find the best candidate with a value up to ``limit`` among the instants of indices ``among``, which rise."""
