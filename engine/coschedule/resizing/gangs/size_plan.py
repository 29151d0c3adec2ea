"""Seats, waiting gangs that may start at one of their sizes, and a choice of sizes.

All times are absolute seconds on one axis; ``sized_run`` says what a seat is.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray
from coschedule.model.run_times import Work
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.size_change import SizeChange
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing.worth import SharedWork


class RunSeats(NamedTuple):
    """A member on node n takes ``slowdown[n]`` times as long as on a reference node. Node n closes at ``until[n]``.

    ``idle`` are the seats without a member. The owner of node n may first come back at ``first_risks[n]``. From
    ``holds[n]`` on, a waiting gang holds node n. None stands for never.
    """

    slowdown: FloatArray
    until: FloatArray
    idle: tuple[int, ...]
    first_risks: FloatArray | None = None
    holds: FloatArray | None = None

    def closes_to_new(self, *, interruptible: bool) -> FloatArray:
        """Return when each node closes to new members of a gang: float[n]."""
        times = self.until if self.holds is None else np.minimum(self.until, self.holds)
        return times if self.first_risks is None or interruptible else np.minimum(times, self.first_risks)


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingGang:
    """A gang that waits. If it is ``elastic``, its size may change after its start.

    Otherwise it keeps the size with which it starts. That is the best size at its ``member_price``
    (``coschedule.queue.problem.price``), or any size where the gang must start.
    """

    key: GangKey
    created: float
    sizes: Sizes
    work: Work
    elastic: bool
    member_price: float = 0.0
    may_be_interrupted: bool = False

    @property
    def shared(self) -> SharedWork:
        """The gang's work, without fixed members."""
        return SharedWork(self.work)


class SizedStart(NamedTuple):
    """A gang that starts now with a member on each of ``nodes``, and ends at ``end`` if its size stays the same."""

    gang: GangKey
    nodes: tuple[int, ...]
    end: float


class SizePlan(NamedTuple):
    """The gangs that change their size, and the gangs that start; all other gangs stay as they are.

    ``gain`` is the increase of the objective (``worth``). It may be negative only where a gang must start.
    """

    changes: tuple[SizeChange, ...] = ()
    starts: tuple[SizedStart, ...] = ()
    gain: float = 0.0
