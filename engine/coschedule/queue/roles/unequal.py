"""Several roles, of which one divides the work among its members by their speed or in pieces; the others have none.

Objective: minimise the value (``queue.price``) of runs on nodes that stay free until the finish, over all instants and
mixes.

Method: as for one role (``loads.unequal``): from an instant, all that is there for the shortest run is granted first;
what does not last until the finish found is dropped, and the rest is looked at again. A mix is bounded by the nodes
that its working role would have alone. The shortest run of a mix itself is exact: of all ways to put the members on
nodes the one with the greatest speed together, or with the fewest seconds in which all pieces can be done there.
"""

from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.model.run_times import SerialWork
from coschedule.pieces.fastest_nodes import SizeCosts, choose_size
from coschedule.queue.candidates import Outline
from coschedule.queue.finishes import finish_of
from coschedule.queue.packing.places import Seats
from coschedule.queue.roles.rooms import Room
from coschedule.queue.roles.search import Found, Search, Weights

_ROUNDING = 1e-12
"""More than the relative error of a sum of speeds."""


class MixRun(NamedTuple):
    """The weighed seconds that a mix runs, the mix, its seconds, and who sits where."""

    cost: float
    mix: int
    seconds: float
    seats: tuple[Seats, ...]


def best_unequal(search: Search, *, among: FloatArray, mixes: BoolArray, limit: float, fewest: bool) -> Found | None:
    """Find the best run that starts at one of the instants ``among``, rising, of a value up to ``limit``.

    ``mixes``, bool[m], may be chosen; the least value is best, or the fewest members where any finish will do, which is
    asked of gangs without a price only.
    """
    if not fewest:
        return _best(search, among, mixes, limit)
    for mix in np.flatnonzero(mixes).tolist():
        found = _best(search, among, np.arange(len(mixes)) == mix, limit)
        if found is not None:
            return found
    return None


def _best(search: Search, among: FloatArray, mixes: BoolArray, limit: float) -> Found | None:
    if not (mixes.any() and len(search.timeline.slowdowns)):
        return None
    party = search.party
    runs = np.array([_bound(search, mix) for mix in np.flatnonzero(mixes).tolist()])
    cheapest = float((runs * party.weights[mixes]).min())
    best: Found | None = None
    for start in among.tolist():
        if party.price.least_value(start, cheapest, party.largest) > limit or search.effort.is_over:
            break
        found = _from(search, start, mixes, shortest=float(runs.min()), limit=limit)
        if found is not None and (best is None or found.outline[:2] < best.outline[:2]):
            best, limit = found, found.outline.value
    return best


def _bound(search: Search, mix: int) -> float:
    """Bound the run of a mix by the fastest of all nodes."""
    members = int(search.party.needs[mix, _working(search)])
    fastest = search.timeline.slowdowns[:1]
    return _alone(search, mix, fastest, np.array([members]))


class _Look(NamedTuple):
    """The best run of some mixes in a room."""

    outline: Outline
    run: MixRun
    mixes: BoolArray
    room: Room


def _from(search: Search, start: float, mixes: BoolArray, *, shortest: float, limit: float) -> Found | None:
    """Find the best run from a start; ``loads.unequal`` says why others keep the room that a run loses."""
    looks = _looks(search, start, limit, (mixes, search.room(start, finish_of(start, shortest))))
    while looks and not search.effort.is_over:
        look = looks.pop(min(range(len(looks)), key=lambda index: looks[index].outline[:2]))
        by_then = search.room(start, look.outline.finish)
        lasts = by_then.is_as(look.room)
        finish = look.outline.finish if lasts else np.inf
        search.tell(start, look.run.mix, len(search.timeline.slowdowns) - 1, finish)
        if look.outline.value > limit:
            return None
        if lasts:
            return Found(look.outline, look.run.seats)
        looks += _looks(search, start, limit, *_further(search, look, by_then))
    return None


def _looks(search: Search, start: float, limit: float, *tries: tuple[BoolArray, Room]) -> list[_Look]:
    looks = []
    for mixes, room in tries:
        run = best_run(search, room, mixes, start=start, limit=limit)
        if run is not None:
            outline = search.outline(run.mix, start, finish_of(start, run.seconds))
            looks.append(_Look(outline, run, mixes, room))
    return looks


def _further(search: Search, look: _Look, by_then: Room) -> list[tuple[BoolArray, Room]]:
    """What is to be looked at in the place of a run whose room does not last."""
    if not search.party.price.seconds:
        return [(look.mixes, by_then)]
    is_its = np.arange(len(look.mixes)) == look.run.mix
    return [(is_its, by_then), (look.mixes & ~is_its, look.room)]


def best_run(
    search: Search, room: Room, mixes: BoolArray, *, start: float = 0.0, limit: float = np.inf
) -> MixRun | None:
    """Choose the mix that costs least, then the fewest members, in this room; None when none fits.

    Runs that begin at ``start`` and have a value above ``limit`` may be left out.
    """
    party = search.party
    fits = np.flatnonzero(search.may_fit(room)[-1:].any(axis=0) & mixes)
    role, slots = _working(search), search.slots(room)[:, _working(search)] * search.timeline.width
    by_pace = np.bincount(search.timeline.pace, weights=slots, minlength=len(search.timeline.slowdowns))
    runs = [_alone(search, mix, search.timeline.slowdowns, by_pace.astype(np.int64)) for mix in fits.tolist()]
    costs = np.array(runs) * party.weights[fits]
    best: MixRun | None = None
    for cost, mix, bound in sorted(zip(costs.tolist(), fits.tolist(), runs, strict=True)):
        is_above = best is not None and cost > best.cost * (1 + _ROUNDING)
        if is_above or party.price.least_value(start, cost, party.largest) > limit or search.effort.is_over:
            break
        found = _run(search, mix, role, room, bound)
        if found is not None:
            run = MixRun(found[0] * float(party.weights[mix]), mix, *found)
            best = run if best is None or run[:2] < best[:2] else best
    return best


def _working(search: Search) -> int:
    role = search.party.unequal
    assert role is not None, "who asks has looked"
    return role


def _alone(search: Search, mix: int, slowdowns: FloatArray, slots: IntArray) -> float:
    """Bound the run of a mix by the fastest slots that its working role would have if it were alone."""
    members = int(search.party.needs[mix, _working(search)])
    pieces = search.party.gang.roles[_working(search)].pieces
    if pieces is None:
        taken = np.minimum(np.cumsum(slots), members)
        speed = float(np.diff(taken, prepend=0) @ (1 / slowdowns))
        return float(members * search.party.times[mix]) / speed * (1 - _ROUNDING)
    seconds, overhead = _piece(search, mix)
    costs = SizeCosts(np.array([members]), np.array([overhead]), np.ones(1))
    found = choose_size(slowdowns, slots, pieces=pieces, seconds_per_piece=seconds, costs=costs)
    return np.inf if found is None else found.seconds * (1 - _ROUNDING)


def _piece(search: Search, mix: int) -> tuple[float, float]:
    """Tell how long a piece takes on an idle reference node, and the overhead; 1 and 0 where nobody knows."""
    gang = search.party.gang
    role = gang.roles[_working(search)]
    if role.pieces is None or not isinstance(gang.work, SerialWork):
        return 1.0, 0.0
    members = int(search.party.needs[mix, _working(search)])
    return float(gang.work.serial) / role.pieces, float(gang.work.float_overheads(members)[-1])


def _run(search: Search, mix: int, role: int, room: Room, bound: float) -> tuple[float, tuple[Seats, ...]] | None:
    """Return the seconds that a mix runs, and who sits where."""
    slowdowns = search.timeline.slowdowns[search.timeline.pace]
    pieces = search.party.gang.roles[role].pieces
    if pieces is not None:
        return _run_of_pieces(search, mix, room, bound)
    found = search.best_seats(mix, room, Weights(role, 1 / slowdowns))
    if found is None:
        return None
    members = int(search.party.needs[mix, role])
    return float(members * search.party.times[mix]) / found[0], found[1]


def _run_of_pieces(search: Search, mix: int, room: Room, bound: float) -> tuple[float, tuple[Seats, ...]] | None:
    """Find the least time in which all pieces can be done: of all times at which some member ends a piece."""
    seconds, overhead = _piece(search, mix)
    times = _times_of_pieces(search, mix, room)
    low = int(np.searchsorted(times, (bound - overhead) / seconds * (1 - _ROUNDING)))
    best: tuple[float, tuple[Seats, ...]] | None = None
    high, probe = len(times), low
    while low < high:
        seats = _done_by(search, mix, room, float(times[probe]))
        if seats is None:
            low = probe + 1
        else:
            best, high = (float(times[probe]), seats), probe
        probe = (low + high) // 2
    return None if best is None else (best[0] * seconds + overhead, best[1])


def _times_of_pieces(search: Search, mix: int, room: Room) -> FloatArray:
    """List when a member could end a piece, in units of one on a reference node; each member has one at least."""
    role = _working(search)
    pieces = search.party.gang.roles[role].pieces
    assert pieces is not None, "who asks has looked"
    most = pieces - int(search.party.needs[mix, role]) + 1
    paces = np.unique(search.timeline.pace[search.slots(room)[:, role] > 0])
    times: FloatArray = np.unique(np.arange(1, most + 1)[:, np.newaxis] * search.timeline.slowdowns[paces])
    return times


def _done_by(search: Search, mix: int, room: Room, time: float) -> tuple[Seats, ...] | None:
    """Seat a mix so that all pieces can be done by then; a member does as many as it has the time for."""
    role = _working(search)
    pieces = search.party.gang.roles[role].pieces
    assert pieces is not None, "who asks has looked"
    slowdowns = search.timeline.slowdowns
    many = np.floor(time / slowdowns)
    many += (many + 1) * slowdowns <= time
    many -= many * slowdowns > time
    found = search.best_seats(mix, room, Weights(role, np.minimum(many, pieces)[search.timeline.pace]))
    return found[1] if found is not None and found[0] >= pieces else None
