"""Several roles, of which one divides the work among its members by their speed or in pieces; the others have none.

Objective: minimise the value (``queue.problem.price``) of runs on nodes that stay free until the finish, over all
instants and mixes.

Method: as for one role (``loads.unequal``). From an instant, first use all slots that last for the shortest run. Then
drop slots that do not last until the finish found, and search again. A mix is bounded by the nodes that its working
role would have alone. The shortest run of a mix is exact. Of all ways to put the members on nodes, it has the greatest
sum of speeds. With pieces, it does all pieces in the fewest seconds.
"""

from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.model.run_times import SerialWork
from coschedule.pieces.fastest_nodes import SizeCosts, choose_size
from coschedule.pieces.multiples import Multiples, least_multiple, multiples_by
from coschedule.queue.packing.places import Seats
from coschedule.queue.roles.bounds import MixBounds
from coschedule.queue.roles.rooms import ClassRoom
from coschedule.queue.roles.run_preferences import LeastValue, Wish
from coschedule.queue.roles.search import Found, PartySearch, Weights
from coschedule.queue.search.candidates import Outline
from coschedule.queue.search.finishes import finish_of

_ROUNDING = 1e-12
"""An upper bound on the relative error of a sum of speeds."""

_STEPS_A_BOUND = 5_000
"""The cost of bounding the run of one mix with whole pieces, in steps of ``Effort``."""


class MixRun(NamedTuple):
    """A run of a mix: ``cost`` in weighed seconds, the run time in ``seconds``, and the chosen nodes."""

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
    """Find the best run from a start; ``loads.unequal`` says why other mixes keep the room that a run loses."""
    bests = _best_of_each(search, start, limit, (mixes, search.room(start, finish_of(start, shortest))))
    while bests and not search.effort.is_over:
        best = bests.pop(min(range(len(bests)), key=lambda index: bests[index].outline[:2]))
        by_then = search.room(start, best.outline.finish)
        lasts = by_then.is_as(best.room)
        finish = best.outline.finish if lasts else np.inf
        search.report(start, best.run.mix, len(search.timeline.slowdowns) - 1, finish)
        if best.outline.value > limit:
            return None
        if lasts:
            return Found(best.outline, best.run.seats)
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
    party, role = search.party, _working(search)
    fits = np.flatnonzero(mixes[: search.may_fit_anywhere(room)])
    slots = search.slots(room)[:, role] * search.timeline.width
    by_pace = np.bincount(search.timeline.pace, weights=slots, minlength=len(search.timeline.slowdowns))
    alone = _Alone(search, by_pace.astype(np.int64))
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
        found = None if _is_above(bound * float(party.weights[mix]), best) else _run(search, mix, role, room, bound)
        if found is not None:
            run = MixRun(found[0] * float(party.weights[mix]), mix, *found)
            best = run if best is None or run[:2] < best[:2] else best
    return best


def _is_above(cost: float, best: MixRun | None) -> bool:
    return best is not None and cost > best.cost * (1 + _ROUNDING)


def _working(search: PartySearch) -> int:
    role = search.party.unequal
    assert role is not None, "callers check that a role has unequal parts"
    return role


class _Alone(NamedTuple):
    """The ``slots[t]`` of each pace that the working role would have if it were alone."""

    search: PartySearch
    slots: IntArray

    def least_runs(self, mixes: IntArray) -> FloatArray:
        """Return lower bounds on the runs of mixes, each on its fastest slots: float[i]. There must be enough slots."""
        party, there = self.search.party, np.flatnonzero(self.slots)
        members = party.needs[mixes, _working(self.search)]
        gained = self.slots[there] / self.search.timeline.slowdowns[there]
        held = np.append(0, np.cumsum(self.slots[there]))
        speed: FloatArray = np.interp(members, held, np.append(0.0, np.cumsum(gained)))
        pieces = party.gang.roles[_working(self.search)].pieces
        if pieces is None:
            runs: FloatArray = members * party.times[mixes] / speed
            return runs * (1 - _ROUNDING)
        # A lower bound: pieces are divided as if they need not be whole.
        seconds, overheads = _piece(self.search, members)
        return (pieces / speed * seconds + overheads) * (1 - _ROUNDING)

    def least_run(self, mix: int) -> float:
        """Return a lower bound on the run of a mix, with whole pieces."""
        search = self.search
        pieces = search.party.gang.roles[_working(search)].pieces
        if pieces is None:
            return float(self.least_runs(np.array([mix]))[0])
        members = search.party.needs[[mix], _working(search)]
        seconds, overheads = _piece(search, members)
        costs = SizeCosts(members, overheads, np.ones(1))
        search.effort.spend(_STEPS_A_BOUND + len(self.slots))
        found = choose_size(
            search.timeline.slowdowns, self.slots, pieces=pieces, seconds_per_piece=seconds, costs=costs
        )
        return np.inf if found is None else found.seconds * (1 - _ROUNDING)


class _Piece(NamedTuple):
    """The seconds of a piece on an idle reference node, and the overhead in seconds by mix; 1 and 0 if unknown."""

    seconds: float
    overheads: FloatArray


def _piece(search: PartySearch, members: IntArray) -> _Piece:
    gang = search.party.gang
    pieces = gang.roles[_working(search)].pieces
    if pieces is None or not isinstance(gang.work, SerialWork) or not members.size:
        return _Piece(1.0, np.zeros(len(members)))
    overheads = gang.work.float_overheads(int(members.max()))[members - 1]
    return _Piece(float(gang.work.serial) / pieces, overheads)


def _run(
    search: PartySearch, mix: int, role: int, room: ClassRoom, bound: float
) -> tuple[float, tuple[Seats, ...]] | None:
    """Return the seconds that a mix runs, and its nodes; None where it does not fit. No run is below ``bound``."""
    slowdowns = search.timeline.slowdowns[search.timeline.pace]
    pieces = search.party.gang.roles[role].pieces
    if pieces is not None:
        return _run_of_pieces(search, mix, room, bound)
    found = search.best_seats(mix, room, Weights(role, 1 / slowdowns))
    if found is None:
        return None
    members = int(search.party.needs[mix, role])
    return float(members * search.party.times[mix]) / found[0], found[1]


def _run_of_pieces(
    search: PartySearch, mix: int, room: ClassRoom, bound: float
) -> tuple[float, tuple[Seats, ...]] | None:
    """Return the seconds of the shortest run that does all pieces, and its nodes; None where the mix does not fit.

    The times to try are those at which some member ends a piece. No run is shorter than ``bound`` seconds. When the
    effort is over, the shortest run found until then is returned.
    """
    role = _working(search)
    members, pieces = search.party.needs[[mix], role], search.party.gang.roles[role].pieces
    assert pieces is not None, "callers check that the role has pieces"
    seconds, overheads = _piece(search, members)
    overhead = float(overheads[0])
    paces = np.unique(search.timeline.pace[search.slots(room)[:, role] > 0])
    # Each member has at least one piece.
    multiples = Multiples.of(search.timeline.slowdowns[paces], most=pieces - int(members[0]) + 1)
    found = least_multiple(
        multiples.not_below((bound - overhead) / seconds * (1 - _ROUNDING)),
        lambda time: None if search.effort.is_over else _done_by(search, mix, room, time),
    )
    return None if found is None else (found.time * seconds + overhead, found.answer)


def _done_by(search: PartySearch, mix: int, room: ClassRoom, time: float) -> tuple[Seats, ...] | None:
    """Seat a mix so that its members can do all pieces within ``time``, in pieces on a reference node; else None."""
    role = _working(search)
    pieces = search.party.gang.roles[role].pieces
    assert pieces is not None, "callers check that the role has pieces"
    many = multiples_by(search.timeline.slowdowns, time)
    found = search.best_seats(mix, room, Weights(role, np.minimum(many, pieces)[search.timeline.pace]))
    return found[1] if found is not None and found[0] >= pieces else None
