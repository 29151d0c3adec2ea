"""Runs of a mix whose roles have pieces, and seats with which the last pool ends soonest; see ``queue.problem.pools``.

Times are in units, which are pieces of weight 1 on an idle reference node, without the overhead.

Method: for several pools, first find good seats at once (``roles.quick_seats``). They are the best if they reach the
bound. Otherwise try times at which some member ends a piece, from the bound on, and earlier than these seats end. By
each time, a member can do a number of pieces that depends on its node. If there is one pool, seat its members so that
the sum of these numbers is the largest. If there are several pools, each pool has to do all of its own pieces:

- Maximise the sum over all pools of the part of its pieces that each pool can do. If this sum is less than the number
  of pools, no seats are enough. If each pool can do all of its pieces, the seats are found.
- Otherwise seat each pool that falls short as if it alone counted. If a pool still falls short, no seats are enough.
- Otherwise the pools compete for nodes. Search all combinations of sums (``packing.frontier``). Pools on nodes of their
  own never compete.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.pieces.fastest_nodes import SizeCosts, choose_size, divide_pieces
from coschedule.pieces.multiples import Multiples, least_multiple, multiples_by
from coschedule.queue.packing.frontier import Goals, reach
from coschedule.queue.packing.places import Seats
from coschedule.queue.problem.pools import PiecePool
from coschedule.queue.roles.quick_seats import quick_seats
from coschedule.queue.roles.rooms import ClassRoom
from coschedule.queue.roles.search import BestSeats, PartySearch, Weights

_ROUNDING = 1e-12
"""An upper bound on the relative error of a bound in units."""

_ROUNDING_OF_PARTS = 1e-9
"""An upper bound on the relative error of a sum of parts of pools."""

_STEPS_A_BOUND = 5_000
"""The cost of bounding the run of one mix with whole pieces, in steps of ``Effort``."""


class PoolsRun(NamedTuple):
    """The units after which the last pool ends, and the chosen nodes."""

    units: float
    seats: tuple[Seats, ...]


def least_units(search: PartySearch, mix: int, slots: IntArray) -> float:
    """Return a lower bound on the units of a mix: each pool alone uses the ``slots[t, role]`` of each pace ``t``."""
    search.effort.spend(len(search.party.pools) * (_STEPS_A_BOUND + len(slots)))
    return max(_least_of_pool(search, pool, mix, slots[:, pool.role]) for pool in search.party.pools)


def _least_of_pool(search: PartySearch, pool: PiecePool, mix: int, slots: IntArray) -> float:
    costs = SizeCosts(search.party.needs[[mix], pool.role], np.zeros(1), np.ones(1))
    slowdowns = pool.times(search.timeline.slowdowns)
    found = choose_size(slowdowns, slots, pieces=pool.pieces, seconds_per_piece=1.0, costs=costs)
    return np.inf if found is None else found.seconds * (1 - _ROUNDING)


def shortest_run(search: PartySearch, mix: int, room: ClassRoom, bound: float) -> PoolsRun | None:
    """Seat a mix so that the last pool ends soonest; None where it does not fit. No run is below ``bound`` units.

    When the effort is over, the shortest run found until then is returned.
    """
    tries = _Tries(search, mix, room)
    quick = tries.quick_run()
    if quick is not None and quick.units * (1 - 2 * _ROUNDING) <= bound:
        return quick
    slots = search.slots(room)
    each = [_ends(search, pool, mix, slots[:, pool.role]) for pool in search.party.pools]
    multiples = Multiples(*(np.concatenate(columns) for columns in zip(*each, strict=True)))
    multiples = multiples.not_below(bound * (1 - _ROUNDING))
    if quick is not None:
        multiples = multiples.below(quick.units)
    found = least_multiple(multiples, lambda time: None if search.effort.is_over else tries.by(time))
    if found is not None:
        return PoolsRun(found.time, found.answer)
    return tries.last_run() if quick is None else quick


def _ends(search: PartySearch, pool: PiecePool, mix: int, slots: IntArray) -> Multiples:
    """Return the times at which members of a pool may end a piece; each member has at least one."""
    paces = np.unique(search.timeline.pace[slots > 0])
    most = pool.pieces - int(search.party.needs[mix, pool.role]) + 1
    return Multiples.of(pool.times(search.timeline.slowdowns[paces]), most=most)


@dataclass(slots=True, eq=False)
class _Tries:
    """Ways to seat a mix by some time; ``last`` are the seats that were tried last, whatever their time."""

    search: PartySearch
    mix: int
    room: ClassRoom
    last: tuple[Seats, ...] | None = None

    def quick_run(self) -> PoolsRun | None:
        """Return a run on seats that are found at once, None with one pool, or where none are found."""
        seats = quick_seats(self.search, self.mix, self.room) if len(self.search.party.pools) > 1 else None
        return None if seats is None else self._run_on(seats)

    def by(self, time: float) -> tuple[Seats, ...] | None:
        """Seat the mix so that each pool can end by ``time``; None if no such seats are found."""
        pools = self.search.party.pools
        done = np.stack([self._done_by(pool, time) for pool in pools], axis=1)
        enough = np.array([pool.pieces for pool in pools], dtype=np.float64)
        if len(pools) == 1:
            return self._alone(0, done, enough)
        found = self._most([*range(len(pools))], done / enough)
        if found is None or found.worth < len(pools) * (1 - _ROUNDING_OF_PARTS):
            return None
        short = np.flatnonzero(self._sums(found.seats, done) < enough).tolist()
        if not short:
            return found.seats
        if any(self._alone(one, done, enough) is None for one in short):
            return None
        fitting, offer = self.search.weighed(self.mix, self.room, Weights(self._roles, done))
        goals = Goals(self._roles, enough, done, self.search.timeline.class_of)
        parts = self.search.node_classes.parts(fitting, offer, self.search.effort)
        return reach(fitting.layout, parts, goals, self.search.effort)

    def last_run(self) -> PoolsRun | None:
        """Return the run on the seats that were tried last."""
        return None if self.last is None else self._run_on(self.last)

    def _run_on(self, seats: tuple[Seats, ...]) -> PoolsRun:
        return PoolsRun(max(self._end(pool, seats) for pool in self.search.party.pools), seats)

    @property
    def _roles(self) -> tuple[int, ...]:
        return tuple(pool.role for pool in self.search.party.pools)

    def _done_by(self, pool: PiecePool, time: float) -> FloatArray:
        """Return the number of pieces that a member can do by ``time`` on a node of each class: float[c]."""
        timeline = self.search.timeline
        return np.minimum(multiples_by(pool.times(timeline.slowdowns), time), pool.pieces)[timeline.pace]

    def _alone(self, one: int, done: FloatArray, enough: FloatArray) -> tuple[Seats, ...] | None:
        """Seat the mix so that one pool does as many pieces as possible; None if it cannot do all of its pieces."""
        found = self._most([one], done[:, [one]])
        return found.seats if found is not None and found.worth >= enough[one] else None

    def _most(self, pools: Sequence[int], worth: FloatArray) -> BestSeats | None:
        found = self.search.best_seats(self.mix, self.room, Weights(tuple(self._roles[one] for one in pools), worth))
        if found is not None:
            self.last = found.seats
        return found

    def _sums(self, seats: Sequence[Seats], done: FloatArray) -> FloatArray:
        """Add up the pieces that the members of each pool can do: float[k]."""
        counts = np.array([seat.counts for seat in seats])[:, list(self._roles)]
        classes = self.search.timeline.class_of[[seat.rank for seat in seats]]
        sums: FloatArray = (counts * done[classes]).sum(axis=0)
        return sums

    def _end(self, pool: PiecePool, seats: Sequence[Seats]) -> float:
        """Return the units after which a pool on these seats ends."""
        timeline = self.search.timeline
        ranks, counts = [seat.rank for seat in seats], [int(seat.counts[pool.role]) for seat in seats]
        slowdowns = np.repeat(timeline.slowdowns[timeline.pace[timeline.class_of[ranks]]], counts)
        return float((divide_pieces(slowdowns, pool.pieces) * pool.times(slowdowns)).max())
