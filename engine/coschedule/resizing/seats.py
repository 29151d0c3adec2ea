"""The idle seats of a snapshot for members of one kind, and whether a gang may stay where it is."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.owners.safer import first_risks
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.problem.sizes import Sizes
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs.sized_run import SeatKind, SizedRun


def may_stay(snapshot: Snapshot, run: SizedRun) -> bool:
    """Return whether each node of the run is still suitable: open, passing the constraints, and not overcommitted."""
    parts = [(run.seat, run.nodes), *((part.seat, part.nodes) for part in run.fixed)]
    return all(_take_again(snapshot, seat, list(set(nodes))) for seat, nodes in parts)


def idle_seats(snapshot: Snapshot, seat: SeatKind, sizes: Sequence[Sizes]) -> Iterator[int]:
    """List the idle seats of nodes that are open and pass the constraints, by node.

    ``sizes`` has the sizes of each gang. Nodes that are equally fast and open equally long have together at most as
    many seats as all gangs can have members. This limits the number of seats if requests are small or empty.
    """
    if not sizes:
        return
    most = max(one.maximum for one in sizes)
    room = members_that_fit(without_nominated(snapshot), np.array(seat.request, dtype=np.int64), most=most)
    seats = np.where(_is_usable(snapshot, seat.constraints), room, 0)
    seats = _no_more_than(sum(one.maximum for one in sizes), seats, snapshot)
    for node in np.flatnonzero(seats > 0).tolist():
        yield from [node] * int(seats[node])


def closes_to_new(snapshot: Snapshot, *, interruptible: bool) -> FloatArray:
    """Return when each node closes to new members of a gang: float[n].

    If the gang is not ``interruptible``, a node closes when its owner may first come back.
    """
    if interruptible:
        return snapshot.until
    risks = first_risks(snapshot.forecasts, snapshot.now, nodes=len(snapshot.until))
    times: FloatArray = np.minimum(snapshot.until, risks)
    return times


def begins_of_holds(snapshot: Snapshot, holders: Iterable[PendingGang]) -> FloatArray:
    """Return when each node closes to other gangs than ``holders``, inf for never: float[n].

    The nodes that a gang holds close when the last gang or pod of known end there has ended, as in a plan.
    """
    begins = np.full(len(snapshot.until), np.inf)
    for gang in holders:
        held = set(gang.held)
        begin = max((one.time for one in snapshot.releases if one.node in held), default=snapshot.now)
        begins[list(held)] = np.minimum(begins[list(held)], max(begin, snapshot.now))
    return begins


def members_that_fit(free: IntArray, request: IntArray, *, most: int) -> IntArray:
    """Return how many members find room on each node, up to ``most``: int[n]."""
    is_taken = request > 0
    room: IntArray = (free[:, is_taken] // request[is_taken]).min(axis=1, initial=most)
    return np.maximum(room, 0)


def without_nominated(snapshot: Snapshot) -> IntArray:
    """Return the free resources of each node, minus the requests of nominated pods: int[n, r]."""
    free = snapshot.free.copy()
    for pod in snapshot.nominated:
        free[pod.node] -= pod.request
    return free


def seats_without(nodes: Sequence[int], than: Sequence[int]) -> list[int]:
    """Return ``nodes`` without the seats in ``than``: each entry of ``than`` removes the first equal entry."""
    more, removed, rest = list[int](), Counter(than), len(than)
    for place, node in enumerate(nodes):
        if not rest:
            return [*more, *nodes[place:]]
        if removed[node]:
            removed[node] -= 1
            rest -= 1
        else:
            more.append(node)
    return more


def seats_beside(run: SizedRun, seats: Sequence[int], given: Sequence[int]) -> list[int]:
    """Return the ``seats`` that a run keeps if it gives up seats on the nodes ``given``.

    ``seats`` are in the order of ``seats_to_keep``. If members leave in order, the run gives up the last ``seats``, as
    many as it takes to include all of ``given``.
    """
    if not run.in_order:
        return seats_without(seats, given)
    left, kept = Counter(given), len(seats)
    while kept and left.total():
        kept -= 1
        left[seats[kept]] -= left[seats[kept]] > 0
    return list(seats[:kept])


def _take_again(snapshot: Snapshot, seat: SeatKind, nodes: Sequence[int]) -> bool:
    has_room = (snapshot.free[nodes] >= 0)[:, np.array(seat.request) > 0].all()
    return bool(has_room and _is_usable(snapshot, seat.constraints)[nodes].all())


def _no_more_than(enough: int, seats: IntArray, snapshot: Snapshot) -> IntArray:
    """Return the number of seats of each node, where nodes that are alike have at most ``enough`` seats together.

    Nodes are alike if they are equally fast and open equally long. Their seats are interchangeable, so the seats of the
    first nodes are kept.
    """
    alike = np.unique(np.stack([snapshot.slowdown, snapshot.until]), axis=1, return_inverse=True)[1].ravel()
    order = np.argsort(alike, kind="stable")
    before = np.cumsum(seats[order]) - seats[order]
    _, first = np.unique(alike[order], return_index=True)
    kept = np.empty_like(seats)
    kept[order] = np.clip(enough - (before - before[first][alike[order]]), 0, seats[order])
    return kept


def _is_usable(snapshot: Snapshot, constraints: Constraints) -> BoolArray:
    """Return whether each node is open now, and members may stay on it without a limit of time: bool[n]."""
    return (snapshot.start <= snapshot.now) & _passing(snapshot, constraints)


def _passing(snapshot: Snapshot, constraints: Constraints) -> BoolArray:
    """Return whether members may be on each node, and may stay there without a limit of time: bool[n]."""
    feasibility = Feasibility(snapshot.nodes)
    stays = feasibility.stays(constraints)
    mask = feasibility.mask(constraints)
    return mask if stays is None else mask & (stays == np.inf)
