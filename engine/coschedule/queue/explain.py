"""Why a gang fits nowhere: the first reason that is true, with its numbers."""

from collections import Counter

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.constraints.feasibility import Feasibility
from coschedule.queue.decisions import Unplaceable
from coschedule.queue.demand import Wish
from coschedule.queue.refusals import (
    DeadlineCannotBeMet,
    HeldByGangsInFront,
    HeldByLastingPods,
    NoNodeFits,
    NotEnoughRoom,
    NoTimeForSize,
    WindowTooShort,
)
from coschedule.queue.slots.timeline import Timeline
from coschedule.queue.snapshot import AMOUNT_LIMIT, Snapshot


def refuse(
    wish: Wish, *, snapshot: Snapshot, feasibility: Feasibility, at_first: Timeline, by_now: Timeline
) -> Unplaceable:
    """Explain why ``wish`` has no placement ``by_now``; ``at_first`` is the timeline without the gangs in front.

    The first of these that is true: no node passes, no size has a time, the deadline is too early, too little room
    ever, windows too short; else it must be the gangs in front.
    """
    refusal = (
        _no_node(wish, snapshot, feasibility)
        or _no_time(wish)
        or _late(wish, by_now)
        or _too_little(wish, snapshot)
        or _too_short(wish, snapshot, at_first)
        or _held(wish, snapshot)
    )
    return Unplaceable(gang=wish.gang.key, refusal=refusal)


def _no_node(wish: Wish, snapshot: Snapshot, feasibility: Feasibility) -> NoNodeFits | None:
    if wish.passes.any():
        return None
    failures = tuple(feasibility.failures(wish.gang.constraints).items())
    return NoNodeFits(needed=wish.needed, nodes=len(snapshot.nodes.names), failures=failures)


def _no_time(wish: Wish) -> NoTimeForSize | None:
    if wish.load is None or wish.load.sizes.size:
        return None
    return NoTimeForSize(minimum=wish.gang.minimum, maximum=wish.gang.maximum)


def _late(wish: Wish, by_now: Timeline) -> DeadlineCannotBeMet | None:
    soonest = wish.soonest(wish.outlook(by_now))
    if soonest is None or wish.gang.deadline is None:
        return None
    return DeadlineCannotBeMet(
        seconds=soonest.finish - by_now.now,
        size=soonest.size,
        late_seconds=soonest.finish - wish.gang.deadline,
    )


def _too_little(wish: Wish, snapshot: Snapshot) -> NotEnoughRoom | HeldByLastingPods | None:
    """Compare with what is free once everything has ended that is expected to end, whatever the windows.

    Only what the gang asks for is looked at: others may ask for a thousand other resources.
    """
    nodes, wanted = np.flatnonzero(wish.passes), np.flatnonzero(wish.request)
    at_last = _free_at_last(snapshot, wanted)[nodes]
    by_resource = _places_by_resource(wish, wanted, at_last)
    places = by_resource.min(axis=1, initial=wish.gang.maximum)
    fit = int(places.sum())
    if fit >= wish.needed:
        return None
    others = np.ix_(nodes, wanted)
    in_the_end = _sum(at_last, snapshot.someday[others])
    if _would_fit_without(wish, wanted, in_the_end, snapshot.lasting[others]):
        return HeldByLastingPods(needed=wish.needed, fit=fit)
    scarcest = np.argmin(by_resource[places == 0], axis=1) if wanted.size else ()
    short = Counter(snapshot.resources[wanted[column]] for column in scarcest)
    return NotEnoughRoom(
        needed=wish.needed,
        fit=fit,
        passing=len(nodes),
        nodes=len(snapshot.nodes.names),
        short=tuple(short.most_common()),
    )


def _would_fit_without(wish: Wish, wanted: IntArray, in_the_end: IntArray, lasting: IntArray) -> bool:
    """Whether too little comes back at all, and without the pods that are not meant to end there would be enough."""
    fitting = [
        _places_by_resource(wish, wanted, free).min(axis=1, initial=wish.gang.maximum).sum()
        for free in (in_the_end, _sum(in_the_end, lasting))
    ]
    return bool(fitting[0] < wish.needed <= fitting[1])


def _sum(free: IntArray, more: IntArray) -> IntArray:
    """Add amounts, of which at most ``AMOUNT_LIMIT`` count."""
    total: IntArray = np.minimum(free, AMOUNT_LIMIT - np.minimum(more, AMOUNT_LIMIT)) + np.minimum(more, AMOUNT_LIMIT)
    return total


def _free_at_last(snapshot: Snapshot, wanted: IntArray) -> IntArray:
    free: IntArray = snapshot.free[:, wanted]
    for release in snapshot.releases:
        if release.time < np.inf:
            back = zip(free[release.node].tolist(), (release.request[column] for column in wanted), strict=True)
            free[release.node] = [min(amount + more, AMOUNT_LIMIT) for amount, more in back]
    return free


def _places_by_resource(wish: Wish, wanted: IntArray, free: IntArray) -> IntArray:
    """Count the members that each of the wanted resources alone would allow, int[n, w]."""
    places: IntArray = np.clip(free // wish.request[wanted], 0, wish.gang.maximum)
    return places


def _too_short(wish: Wish, snapshot: Snapshot, at_first: Timeline) -> WindowTooShort | None:
    if wish.soonest(wish.outlook(at_first)) is not None:
        return None
    start = np.maximum(snapshot.start[wish.passes], max(snapshot.now, wish.gang.not_before))
    until = snapshot.until[wish.passes]
    never = (until <= start) | (start == np.inf)
    closing = (until < np.inf) & ~never
    return WindowTooShort(
        needed=wish.needed,
        shortest_seconds=_shortest(wish, snapshot),
        passing=len(start),
        never_open=int(never.sum()),
        closing=int(closing.sum()),
        longest_seconds=float((until[closing] - start[closing]).max()) if closing.any() else None,
    )


def _shortest(wish: Wish, snapshot: Snapshot) -> float | None:
    """Return the seconds that the shortest run takes on the fastest node that passes."""
    if wish.load is None:
        return None
    return float(wish.load.runs_at(float(snapshot.slowdown[wish.passes].min())).min())


def _held(wish: Wish, snapshot: Snapshot) -> HeldByGangsInFront:
    nominated = any(pod.priority >= wish.gang.priority for pod in snapshot.nominated)
    return HeldByGangsInFront(needed=wish.needed, nominated=nominated)
