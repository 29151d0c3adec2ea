"""Several roles: one divides the work among its members by speed, or some of them divide pieces of their own.

The other roles have no part of the work.

Objective: minimise the value (``queue.problem.price``) of runs on nodes that stay free until the finish, over all
instants and mixes.

Method: as for one role (``loads.unequal``). From an instant, first use all slots that last for the shortest run. Then
drop slots that do not last until the finish found, and search again. A mix is bounded by the nodes that each working
role would have alone. The shortest run of a mix is exact: it has the greatest sum of speeds among all ways to put the
members on nodes. With pieces, the role that ends last ends as early as possible (``roles.pools``).
"""

from typing import NamedTuple, Self

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.packing.places import Seats
from coschedule.queue.problem.pools import unit_seconds
from coschedule.queue.roles.bounds import MixBounds
from coschedule.queue.roles.pools import least_units, shortest_run
from coschedule.queue.roles.rooms import ClassRoom
from coschedule.queue.roles.run_preferences import LeastValue, Wish
from coschedule.queue.roles.search import Found, PartySearch, Weights
from coschedule.queue.search.candidates import Outline
from coschedule.queue.search.finishes import finish_of

_ROUNDING = 1e-12
"""An upper bound on the relative error of a sum of speeds."""


class MixRun(NamedTuple):
    """A run of a mix: the run time in ``seconds``, its ``cost`` (``seconds`` times the mix's weight), and its nodes."""

    cost: float
    mix: int
    seconds: float
    seats: tuple[Seats, ...]


def best_unequal(search: PartySearch, wish: Wish, *, among: FloatArray) -> Found | None:
    """Find the best run for a wish that starts at one of the instants ``among``, rising."""
    if not (wish.mixes.any() and len(search.timeline.slowdowns) and len(among)):
        return None
    bounds = MixBounds.of(search, among, float(search.party.times[wish.mixes].min()))
    if isinstance(wish, LeastValue):
        return _best(search, bounds, wish)
    for mix in np.flatnonzero(wish.mixes).tolist():
        only = np.arange(len(wish.mixes)) == mix
        found = None if search.effort.is_over else _best(search, bounds, LeastValue(only, wish.limit))
        if found is not None:
            return found
    return None


def _best(search: PartySearch, bounds: MixBounds, wish: LeastValue) -> Found | None:
    party = search.party
    shortest = float((party.times[wish.mixes]).min() * party.least_factor(search.timeline.slowdowns[:1])[0])
    rank_bounds = wish.from_instants(bounds)
    best: Found | None = None
    for index in rank_bounds.order.tolist():
        if search.effort.is_over or (best is not None and not rank_bounds.may_reach(index, wish.rank(best.outline))):
            break
        start = float(bounds.starts[index])
        found = _from(search, start, wish.mixes, shortest=shortest, limit=wish.limit)
        if found is not None and (best is None or wish.rank(found.outline) < wish.rank(best.outline)):
            best, wish = found, wish.no_worse(party, found.outline)
    return best


class _BestMix(NamedTuple):
    """The best run of some mixes in a room."""

    outline: Outline
    run: MixRun
    mixes: BoolArray
    room: ClassRoom


def _from(search: PartySearch, start: float, mixes: BoolArray, *, shortest: float, limit: float) -> Found | None:
    """Find the best run from a start. If its room does not last, search again; see the theorem in ``loads.unequal``."""
    bests = _best_of_each(search, start, limit, (mixes, search.room(start, finish_of(start, shortest))))
    while bests:
        best = bests.pop(min(range(len(bests)), key=lambda index: bests[index].outline[:2]))
        by_then = search.room(start, best.outline.finish)
        lasts = by_then.is_as(best.room)
        finish = best.outline.finish if lasts else np.inf
        search.report(start, best.run.mix, len(search.timeline.slowdowns) - 1, finish)
        if best.outline.value > limit:
            return None
        if lasts:
            return Found(best.outline, best.run.seats)
        if search.effort.is_over:
            return None
        bests += _best_of_each(search, start, limit, *_further(search, best, by_then))
    return None


def _best_of_each(
    search: PartySearch, start: float, limit: float, *tries: tuple[BoolArray, ClassRoom]
) -> list[_BestMix]:
    bests = []
    for mixes, room in tries:
        run = best_run(search, room, mixes, start=start, limit=limit)
        if run is not None:
            outline = search.outline(run.mix, start, finish_of(start, run.seconds))
            bests.append(_BestMix(outline, run, mixes, room))
    return bests


def _further(search: PartySearch, best: _BestMix, by_then: ClassRoom) -> list[tuple[BoolArray, ClassRoom]]:
    """Return the mixes and rooms to try in place of a run whose room does not last."""
    if not search.party.price.seconds:
        return [(best.mixes, by_then)]
    is_its = np.arange(len(best.mixes)) == best.run.mix
    return [(is_its, by_then), (best.mixes & ~is_its, best.room)]


def best_run(
    search: PartySearch, room: ClassRoom, mixes: BoolArray, *, start: float = 0.0, limit: float = np.inf
) -> MixRun | None:
    """Choose the mix with the least cost, then the fewest members, in this room; None when none fits.

    Runs from ``start`` with a value above ``limit`` may be left out.
    """
    party = search.party
    fits = np.flatnonzero(mixes[: search.may_fit_anywhere(room)])
    alone = _Alone.of(search, room)
    costs = alone.least_runs(fits) * party.weights[fits]
    best: MixRun | None = None
    for cost, mix in sorted(zip(costs.tolist(), fits.tolist(), strict=True)):
        if (
            _is_above(cost, best)
            or party.price.least_value(start, cost, party.largest) > limit
            or search.effort.is_over
        ):
            break
        bound = alone.least_run(mix)
        found = None if _is_above(bound.seconds * float(party.weights[mix]), best) else _run(search, mix, room, bound)
        if found is not None:
            run = MixRun(found[0] * float(party.weights[mix]), mix, *found)
            best = run if best is None or run[:2] < best[:2] else best
    return best


def _is_above(cost: float, best: MixRun | None) -> bool:
    return best is not None and cost > best.cost * (1 + _ROUNDING)


class _RunBound(NamedTuple):
    """Lower bounds on the run of a mix: in seconds, and in units of pieces without overhead (0 without pieces)."""

    seconds: float
    units: float = 0.0


class _Alone(NamedTuple):
    """The ``slots[t, role]`` of each pace that each role would have if it were alone; a unit takes ``unit`` seconds."""

    search: PartySearch
    slots: IntArray
    unit: float

    @classmethod
    def of(cls, search: PartySearch, room: ClassRoom) -> Self:
        """Count the slots of each role in a room."""
        slots = search.slots(room) * search.timeline.width[:, np.newaxis]
        by_pace = np.zeros((len(search.timeline.slowdowns), slots.shape[1]), dtype=np.int64)
        np.add.at(by_pace, search.timeline.pace, slots)
        return cls(search, by_pace, unit_seconds(search.party.pools, search.party.gang.work))

    def least_runs(self, mixes: IntArray) -> FloatArray:
        """Return a lower bound on the run of each of ``mixes`` on the fastest slots: float[i]. Slots must suffice."""
        party = self.search.party
        if not party.pools:
            [role] = party.unequal
            runs: FloatArray = party.needs[mixes, role] * party.times[mixes] / self._speeds(role, mixes)
            return runs * (1 - _ROUNDING)
        # A lower bound: pieces are divided as if they need not be whole.
        units: FloatArray = np.max([pool.units / self._speeds(pool.role, mixes) for pool in party.pools], axis=0)
        return (units * self.unit + party.overheads[mixes]) * (1 - _ROUNDING)

    def least_run(self, mix: int) -> _RunBound:
        """Return a lower bound on the run of a mix, with whole pieces."""
        if not self.search.party.pools:
            return _RunBound(float(self.least_runs(np.array([mix]))[0]))
        units = least_units(self.search, mix, self.slots)
        return _RunBound((units * self.unit + float(self.search.party.overheads[mix])) * (1 - _ROUNDING), units)

    def _speeds(self, role: int, mixes: IntArray) -> FloatArray:
        """Return the total speed of a role's members in each of ``mixes``, on the fastest slots: float[i]."""
        slots = self.slots[:, role]
        there = np.flatnonzero(slots)
        held = np.append(0, np.cumsum(slots[there]))
        speeds = np.append(0.0, np.cumsum(slots[there] / self.search.timeline.slowdowns[there]))
        of_members: FloatArray = np.interp(self.search.party.needs[mixes, role], held, speeds)
        return of_members


def _run(search: PartySearch, mix: int, room: ClassRoom, bound: _RunBound) -> tuple[float, tuple[Seats, ...]] | None:
    """Return the seconds that a mix runs, and its nodes; None where it does not fit. No run is below ``bound``."""
    party = search.party
    if party.pools:
        run = shortest_run(search, mix, room, bound.units)
        unit = unit_seconds(party.pools, party.gang.work)
        return None if run is None else (run.units * unit + float(party.overheads[mix]), run.seats)
    slowdowns = search.timeline.slowdowns[search.timeline.pace]
    found = search.best_seats(mix, room, Weights(party.unequal, 1 / slowdowns[:, np.newaxis]))
    if found is None:
        return None
    members = int(party.needs[mix, party.unequal[0]])
    return float(members * party.times[mix]) / found.worth, found.seats
