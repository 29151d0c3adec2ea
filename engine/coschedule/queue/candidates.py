"""What can be chosen for one gang in its room, and the choices that are the same for every load.

A load (``loads``) says how long runs of each size take and searches the room for the earliest finish. Ties, always:
fewer members, then earlier start.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.slots.counts import Tally, tally_of
from coschedule.queue.slots.losses import Losses, losses_of
from coschedule.queue.slots.open_slots import Room


class Candidate(NamedTuple):
    """One way to run a gang; the lesser tuple is the better one. ``pace`` is an index of the room's slow-downs.

    It takes the fastest places that last from start to finish, none slower than ``pace``.
    """

    finish: float
    size: int
    start: float
    pace: int


class Considered(NamedTuple):
    """Some runs that a search has looked at: for ``start[q]`` and places no slower than ``slowdown[q]``, every size.

    ``finish[q, p]`` is when ``size[p]`` members would end, inf where there are too few places for them.
    """

    start: FloatArray
    slowdown: FloatArray
    size: IntArray
    finish: FloatArray


Consider = Callable[[Considered], None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outlook:
    """A room, and what every search in it needs; whatever a search looks at is told to ``consider``."""

    room: Room
    tally: Tally
    losses: Losses
    consider: Consider

    @property
    def instants(self) -> IntArray:
        """The indices of all instants of the room."""
        return np.arange(len(self.room.instants))


def outlook_of(room: Room, consider: Consider) -> Outlook:
    """Prepare searches in a room."""
    return Outlook(room=room, tally=tally_of(room), losses=losses_of(room), consider=consider)


class GangLoad(Protocol):
    """The sizes a gang may have, and how its run time follows from the places it gets."""

    @property
    def sizes(self) -> IntArray:
        """The sizes that may run, rising: int[p]."""

    def where(self, kept: BoolArray) -> Self:
        """Keep the sizes that ``kept``, bool[p], says."""

    def runs_at(self, slowdown: float) -> FloatArray:
        """Seconds that each size runs when all its members have this slow-down: float[p]."""

    def earliest_finish(self, outlook: Outlook, *, among: IntArray, limit: float) -> Candidate | None:
        """Find the best candidate that starts at one of the instants ``among``, rising, and ends by ``limit``."""


def fewest_members(outlook: Outlook, load: GangLoad, *, among: IntArray, deadline: float) -> Candidate | None:
    """Find the candidate with the fewest members whose finish is at most ``deadline``; ties to the earlier finish."""
    if not (len(outlook.room.slowdowns) and len(load.sizes)):
        return None
    possible = load.where(_soonest_by_size(outlook, load, among) <= deadline)
    for size in possible.sizes:
        candidate = possible.where(possible.sizes == size).earliest_finish(outlook, among=among, limit=deadline)
        if candidate is not None:
            return candidate
    return None


def _soonest_by_size(outlook: Outlook, load: GangLoad, among: IntArray) -> FloatArray:
    """Bound every size's finish from below: the fastest run from the first instant that has as many places."""
    runs = load.runs_at(float(outlook.room.slowdowns[0]))
    [places] = outlook.tally.outlasting(float(runs.min()), ranges=1)
    first = np.searchsorted(np.maximum.accumulate(places[among]), load.sizes)
    starts = np.append(outlook.room.instants[among], np.inf)[first]
    soonest: FloatArray = starts + runs
    return soonest
