"""Why a gang does not start at once: how many nodes fail each requirement, counted in order."""

from dataclasses import dataclass

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.choosing.demand import demand_of
from coschedule.queue.planner.explain import shortest_run
from coschedule.queue.planner.turn import Turn
from coschedule.queue.problem.gangs import Role
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.roles.party import party_of
from coschedule.queue.search.effort import effort_for_one
from coschedule.queue.slots.segments import is_last
from coschedule.queue.slots.timeline import Timeline

CLOSED = "not open now"
OWNER_EXPECTED = "closed to it, as their owners may come back"
LEFT_TO_SHORT = "left to gangs that run for 15 minutes or less"
LEFT_TO_OTHERS = "left to gangs in front"
TOO_SHORT = "free for less than its shortest run"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomNow:
    """The number of nodes with room for members of a role at the first instant at which the gang may start.

    ``failures`` counts the ``nodes`` by the first requirement that each of them fails, in the order of the checks. Each
    entry has a phrase that completes "3 nodes …", and a count. The other ``with_room`` nodes have room for ``slots``
    members together, for the gang's shortest run. On each node, at most as many slots count as the role can use. The
    gang needs at least ``needed`` members of the role.
    """

    role: str
    needed: int
    nodes: int
    failures: tuple[tuple[str, int], ...]
    with_room: int
    slots: int


def room_now(turn: Turn) -> tuple[RoomNow, ...]:
    """Count for each role the nodes with room at the first instant at which the gang may start."""
    shortest = _shortest(turn)
    return tuple(_of_role(turn, role, shortest) for role in turn.gang.roles)


def _of_role(turn: Turn, role: Role, shortest: float) -> RoomNow:
    left = turn.passes(role).copy()
    failures = list(turn.feasibility.failures(role.constraints).items())
    for phrase, passing in _checks(turn, role):
        failing = int((left & ~passing).sum())
        if failing:
            failures.append((phrase, failing))
        left &= passing
    slots = np.where(left, lasting_slots(turn.by_now, role, turn.earliest, turn.earliest + shortest), 0)
    stays = turn.feasibility.stays(role.constraints)
    if stays is not None:
        slots[stays < shortest] = 0
    if (left & (slots == 0)).any():
        failures.append((TOO_SHORT, int((left & (slots == 0)).sum())))
    return RoomNow(
        role=role.name,
        needed=role.sizes.least,
        nodes=len(left),
        failures=tuple(failures),
        with_room=int((slots > 0).sum()),
        slots=int(slots.sum()),
    )


def _checks(turn: Turn, role: Role) -> list[tuple[str, BoolArray]]:
    """Check for each node, at the first instant, whether it is open and has room for one member."""
    snapshot, at = turn.snapshot, turn.earliest
    is_open: BoolArray = (snapshot.start <= at) & (at < snapshot.until)
    free, open_at_first = _free_at(turn.at_first, at)
    is_left = _left_to_short(snapshot, np.array(role.request), free)
    short = [(f"short of {name}", free[:, column] >= role.request[column]) for name, column in _wanted(snapshot, role)]
    free, left_open = _free_at(turn.by_now, at)
    others: BoolArray = left_open & (free >= np.array(role.request)).all(axis=1, where=np.array(role.request) > 0)
    return [
        (CLOSED, is_open),
        (OWNER_EXPECTED, open_at_first),
        (LEFT_TO_SHORT, ~is_left),
        *short,
        (LEFT_TO_OTHERS, others),
    ]


def _left_to_short(snapshot: Snapshot, request: IntArray, free: IntArray) -> BoolArray:
    """Return whether each node would have room for a member if no resources were left idle for short gangs."""
    left = np.zeros_like(free)
    for one in snapshot.left_idle:
        left[one.node] += one.request
    lacks: BoolArray = np.any(free < request, axis=1, where=request > 0)
    would_lack: BoolArray = np.any(free + left < request, axis=1, where=request > 0)
    return lacks & ~would_lack


def _wanted(snapshot: Snapshot, role: Role) -> list[tuple[str, int]]:
    return [(name, column) for column, name in enumerate(snapshot.resources) if role.request[column]]


def _free_at(timeline: Timeline, time: float) -> tuple[IntArray, BoolArray]:
    """Return free resources of each node at a time, not before now, and whether it is open: int[n, r], bool[n]."""
    spans = timeline.spans
    going_on = np.flatnonzero((spans.begin <= time) & (_ends(timeline) > time))
    by_rank = going_on[timeline.class_of]
    free, is_open = np.empty_like(spans.free[by_rank]), np.empty(len(by_rank), dtype=np.bool_)
    free[timeline.node], is_open[timeline.node] = spans.free[by_rank], spans.open[by_rank]
    return free, is_open


def lasting_slots(timeline: Timeline, role: Role, start: float, finish: float) -> IntArray:
    """Count the members of a role for which each node has room from start to finish without a break: int[n]."""
    spans = timeline.spans
    during = np.flatnonzero((spans.begin < finish) & (_ends(timeline) > start))
    slots = np.full(len(during), role.largest, dtype=np.int64)
    for resource in np.flatnonzero(role.request):
        np.minimum(slots, spans.free[during, resource] // role.request[resource], out=slots)
    slots = np.where(spans.open[during], np.maximum(slots, 0), 0)
    least = np.full(len(timeline.width), role.largest, dtype=np.int64)
    np.minimum.at(least, spans.owner[during], slots)
    by_node = np.empty(len(timeline.node), dtype=np.int64)
    by_node[timeline.node] = least[timeline.class_of]
    return by_node


def _ends(timeline: Timeline) -> FloatArray:
    begin = timeline.spans.begin
    ends: FloatArray = np.where(is_last(timeline.spans.owner), np.inf, np.append(begin[1:], np.inf)[: len(begin)])
    return ends


def _shortest(turn: Turn) -> float:
    """Return a lower bound on the seconds that the gang runs, inf where the run time is unknown."""
    gang = turn.gang
    passes = np.any([turn.passes(role) for role in gang.roles], axis=0)
    if gang.work is None or not passes.any():
        return np.inf
    if len(gang.roles) == 1:
        shortest = shortest_run(demand_of(gang, passes, lambda _: None, effort_for_one()), turn.snapshot)
        return np.inf if shortest is None else shortest
    return party_of(gang).shortest_run(float(turn.snapshot.slowdown[passes].min()))
