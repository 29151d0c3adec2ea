"""Why a gang fits nowhere: the first reason that is true, with its numbers."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.choosing.demand import Demand
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.owners.hazards import hazards_of
from coschedule.queue.planner.after_all_ends import AtLast, added
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.problem.open_ended import Blocker, OpenEnded
from coschedule.queue.problem.owner_forecasts import Interruptible
from coschedule.queue.problem.refusals import (
    DeadlineCannotBeMet,
    HeldByGangsInFront,
    HeldByLastingPods,
    NoNodeFits,
    NotEnoughRoom,
    NoTimeForSize,
    Refusal,
    Scarcest,
    WindowTooShort,
)
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.search.candidates import Outline, outline_of
from coschedule.queue.slots.timeline import Timeline


class Stages(NamedTuple):
    """The timelines for a gang: ``at_first`` without gangs in front, and ``by_now`` with them.

    ``at_last`` has the resources that are free once everything with a known end has ended.
    """

    at_first: Timeline
    by_now: Timeline
    at_last: AtLast


def refuse(
    demand: Demand, *, snapshot: Snapshot, feasibility: Feasibility, stages: Stages, in_front: OpenEnded
) -> Refusal:
    """Explain why ``demand`` has no placement; ``in_front`` has gangs in front, of unknown end or with a node hold.

    The refusal has the first reason that is true, in this order: no node passes, no size has a time, the deadline is
    too early. The next reasons are: there is never enough room, windows are too short, gangs in front use the room.
    """
    return (
        no_node(demand, snapshot, feasibility)
        or _no_time(demand)
        or missed_deadline(demand.gang, partial(_soonest, demand), stages.by_now)
        or too_little(demand, snapshot, feasibility, stages.at_last)
        or _too_short(demand, snapshot, stages.at_first)
        or held_in_front(demand.gang, snapshot, in_front.blocker(demand.passes), needed=demand.needed)
    )


def no_node(demand: Demand, snapshot: Snapshot, feasibility: Feasibility) -> NoNodeFits | None:
    """Return a refusal with the failures of all nodes; None if a node passes."""
    if demand.passes.any():
        return None
    failures = tuple(feasibility.failures(demand.role.constraints).items())
    return NoNodeFits(needed=demand.needed, nodes=len(snapshot.nodes.names), failures=failures)


def _no_time(demand: Demand) -> NoTimeForSize | None:
    if demand.load is None or demand.load.sizes.size:
        return None
    return NoTimeForSize(minimum=demand.role.sizes.minimum, maximum=demand.role.sizes.maximum)


def _soonest(demand: Demand, timeline: Timeline) -> Outline | None:
    return outline_of(demand.soonest(demand.search_space(timeline)))


def missed_deadline(
    gang: PendingGang, find_soonest: Callable[[Timeline], Outline | None], by_now: Timeline
) -> DeadlineCannotBeMet | None:
    """Return a refusal with the soonest run, which misses the deadline; None without a deadline or without a run."""
    soonest = None if gang.deadline is None else find_soonest(by_now)
    if soonest is None or gang.deadline is None:
        return None
    return DeadlineCannotBeMet(
        seconds=soonest.finish - by_now.now,
        size=soonest.size,
        late_seconds=soonest.finish - gang.deadline,
    )


def too_little(
    demand: Demand, snapshot: Snapshot, feasibility: Feasibility, at_last: AtLast
) -> NotEnoughRoom | HeldByLastingPods | None:
    """Return a refusal if too few members fit once everything with a known end has ended, ignoring windows.

    Only the resources that the gang requests are read, since other gangs may request a thousand other resources.
    """
    nodes, wanted = np.flatnonzero(demand.passes), np.flatnonzero(demand.request)
    others = np.ix_(nodes, wanted)
    by_resource = _slots_by_resource(demand, wanted, at_last.free[others])
    slots = by_resource.min(axis=1, initial=demand.per_node)
    fit = int(slots.sum())
    if fit >= demand.needed:
        return None
    scarcest = _scarcest(demand, wanted, by_resource, snapshot)
    in_the_end = added(at_last.free[others], snapshot.someday[others])
    comes_to_fit = _fits(demand, wanted, in_the_end)
    if not comes_to_fit and _fits(demand, wanted, added(in_the_end, snapshot.lasting[others])):
        return HeldByLastingPods(needed=demand.needed, fit=fit, scarcest=scarcest)
    return NotEnoughRoom(
        needed=demand.needed,
        fit=fit,
        passing=len(nodes),
        nodes=len(snapshot.nodes.names),
        short=_short_of(by_resource[slots == 0], [snapshot.resources[one] for one in wanted.tolist()]),
        scarcest=scarcest,
        failures=tuple(feasibility.failures(demand.role.constraints).items()),
        blocker=snapshot.open_ended.blocker(demand.passes) if comes_to_fit else None,
    )


def _short_of(by_resource: IntArray, names: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """Count the nodes by the resource that each lacks most; the largest count first, equal ones by their first node."""
    if not names:
        return ()
    columns, first, counts = np.unique(np.argmin(by_resource, axis=1), return_index=True, return_counts=True)
    order = np.lexsort((first, -counts))
    of_column = zip(columns[order].tolist(), counts[order].tolist(), strict=True)
    return tuple((names[column], count) for column, count in of_column)


def _scarcest(demand: Demand, wanted: IntArray, by_resource: IntArray, snapshot: Snapshot) -> Scarcest | None:
    """Find the resource that alone allows the fewest members, if these are fewer than needed."""
    allowed = by_resource.sum(axis=0)
    column = int(np.argmin(allowed)) if allowed.size else None
    if column is None or allowed[column] >= demand.needed:
        return None
    resource = wanted[column]
    return Scarcest(resource=snapshot.resources[resource], each=int(demand.request[resource]), fit=int(allowed[column]))


def _fits(demand: Demand, wanted: IntArray, free: IntArray) -> bool:
    slots = _slots_by_resource(demand, wanted, free).min(axis=1, initial=demand.per_node)
    return bool(slots.sum() >= demand.needed)


def slots_at_last(demand: Demand, at_last: AtLast) -> IntArray:
    """Count the members that fit on each node once everything with a known end has ended: int[n]."""
    wanted = np.flatnonzero(demand.request)
    by_resource = _slots_by_resource(demand, wanted, at_last.free[:, wanted])
    slots: IntArray = np.where(demand.passes, by_resource.min(axis=1, initial=demand.per_node), 0)
    return slots


def _slots_by_resource(demand: Demand, wanted: IntArray, free: IntArray) -> IntArray:
    """Count the members that each of the wanted resources alone would allow, int[n, w]."""
    slots: IntArray = np.clip(free // demand.request[wanted], 0, demand.per_node)
    return slots


def _too_short(demand: Demand, snapshot: Snapshot, at_first: Timeline) -> WindowTooShort | None:
    if demand.soonest(demand.search_space(at_first)) is not None:
        return None
    shortest = shortest_run(demand, snapshot)
    return windows(demand.gang, snapshot, demand.passes, demand.stays, needed=demand.needed, shortest=shortest)


def windows(
    gang: PendingGang,
    snapshot: Snapshot,
    passes: BoolArray,
    stays: FloatArray | None,
    *,
    needed: int,
    shortest: float | None,
) -> WindowTooShort:
    """Return the refusal of a gang because windows are too short; ``passes[n]`` says whether node n passes.

    Members may stay on node n for ``stays[n]`` seconds; ``None`` if no node limits the stay.
    """
    start = np.maximum(snapshot.start[passes], max(snapshot.now, gang.not_before))
    until = snapshot.until[passes]
    never = (until <= start) | (start == np.inf)
    closing = (until < np.inf) & ~never
    expected = owners_expected(snapshot, gang)[passes] & ~never
    limits = np.zeros(0) if stays is None else stays[passes & (stays < np.inf)]
    return WindowTooShort(
        needed=needed,
        shortest_seconds=shortest,
        passing=len(start),
        never_open=int(never.sum()),
        closing=int(closing.sum()),
        longest_seconds=float((until[closing] - start[closing]).max()) if closing.any() else None,
        owners_expected=int(expected.sum()),
        tolerated=len(limits),
        tolerated_seconds=float(limits.max()) if len(limits) else None,
    )


def owners_expected(snapshot: Snapshot, gang: PendingGang) -> BoolArray:
    """Return the nodes that the gang may not use while their owners may come back: bool[n]."""
    expected = np.zeros(len(snapshot.nodes.names), dtype=np.bool_)
    hazards = hazards_of(snapshot.forecasts)
    if hazards is not None and gang.interruptible is Interruptible.NEVER:
        expected |= hazards.rate.any(axis=1)
    return expected


def shortest_run(demand: Demand, snapshot: Snapshot) -> float | None:
    """Return the seconds of the shortest run on the fastest node that passes, None where the run time is unknown."""
    if demand.load is None:
        return None
    return float(demand.load.runs_at(float(snapshot.slowdown[demand.passes].min())).min())


def held_in_front(gang: PendingGang, snapshot: Snapshot, blocker: Blocker | None, *, needed: int) -> HeldByGangsInFront:
    """Return the refusal of a gang because gangs in front use the room; ``blocker`` is such a gang, if one is known."""
    nominated = any(pod.priority >= gang.priority for pod in snapshot.nominated)
    return HeldByGangsInFront(needed=needed, nominated=nominated, blocker=blocker)
