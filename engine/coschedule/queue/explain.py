"""Why a gang fits nowhere: one true sentence with numbers for its owner."""

from collections import Counter

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.constraints.feasibility import Feasibility
from coschedule.queue.decisions import Reason, Unplaceable
from coschedule.queue.demand import Wish
from coschedule.queue.slots.timeline import Timeline
from coschedule.queue.snapshot import AMOUNT_LIMIT, Snapshot


def refuse(
    wish: Wish, *, snapshot: Snapshot, feasibility: Feasibility, at_first: Timeline, by_now: Timeline
) -> Unplaceable:
    """Explain why ``wish`` has no placement ``by_now``; ``at_first`` is the timeline without the gangs in front.

    The first of these that is true: no node passes, no size has a time, the deadline is too early, too little room
    ever, windows too short; else it must be the gangs in front.
    """
    reason, detail = (
        _no_node(wish, snapshot, feasibility)
        or _no_time(wish)
        or _late(wish, by_now)
        or _too_little(wish, snapshot)
        or _too_short(wish, snapshot, at_first)
        or _held(wish, snapshot)
    )
    return Unplaceable(gang=wish.gang.key, reason=reason, detail=detail)


_Why = tuple[Reason, str]


def _no_node(wish: Wish, snapshot: Snapshot, feasibility: Feasibility) -> _Why | None:
    if wish.passes.any():
        return None
    if not snapshot.nodes.names:
        return Reason.NO_NODE_FITS, f"needs {_members(wish.needed)} and there are 0 nodes"
    counts = feasibility.failures(wish.gang.constraints)
    failures = ", ".join(f"{count} {check}" for check, count in counts.items())
    return Reason.NO_NODE_FITS, f"0 of {len(snapshot.nodes.names)} nodes pass its constraints: {failures}"


def _no_time(wish: Wish) -> _Why | None:
    if wish.load is None or wish.load.sizes.size:
        return None
    return Reason.NO_TIME_FOR_SIZE, f"its work has no time for any size from {wish.gang.minimum} to {wish.gang.maximum}"


def _late(wish: Wish, by_now: Timeline) -> _Why | None:
    soonest = wish.soonest(wish.outlook(by_now))
    if soonest is None or wish.gang.deadline is None:
        return None
    takes, late = soonest.finish - by_now.now, soonest.finish - wish.gang.deadline
    detail = (
        f"the earliest possible finish is in {_seconds(takes)} with {_members(soonest.size)}, {_seconds(late)} late"
    )
    return Reason.DEADLINE_CANNOT_BE_MET, detail


def _too_little(wish: Wish, snapshot: Snapshot) -> _Why | None:
    """Compare with what is free once everything has ended that is expected to end, whatever the windows.

    Only what the gang asks for is looked at: others may ask for a thousand other resources.
    """
    nodes, wanted = np.flatnonzero(wish.passes), np.flatnonzero(wish.request)
    at_last = _free_at_last(snapshot, wanted)[nodes]
    by_resource = _places_by_resource(wish, wanted, at_last)
    places = by_resource.min(axis=1, initial=wish.gang.maximum)
    if places.sum() >= wish.needed:
        return None
    scarcest = np.argmin(by_resource[places == 0], axis=1) if wanted.size else ()
    short = Counter(snapshot.resources[wanted[column]] for column in scarcest)
    shortages = " and ".join(f"{count} short of {name}" for name, count in short.most_common())
    fit = f"needs {_members(wish.needed)}, {places.sum()} fit"
    others = np.ix_(nodes, wanted)
    in_the_end = _sum(at_last, snapshot.someday[others])
    if _would_fit_without(wish, wanted, in_the_end, snapshot.lasting[others]):
        return Reason.HELD_BY_LASTING_PODS, f"{fit}: pods that are not meant to end hold the rest"
    passing = f"{len(nodes)} of {len(snapshot.nodes.names)} nodes pass its constraints"
    return Reason.NOT_ENOUGH_ROOM, f"{fit}: {passing}" + (f", {shortages}" if short else "")


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


def _too_short(wish: Wish, snapshot: Snapshot, at_first: Timeline) -> _Why | None:
    if wish.soonest(wish.outlook(at_first)) is not None:
        return None
    windows = _windows(wish, snapshot)
    if wish.load is None:
        detail = f"its run time is unknown, so it needs nodes that never close for {_members(wish.needed)}: {windows}"
        return Reason.WINDOW_TOO_SHORT, detail
    shortest = _seconds(float(wish.load.runs_at(float(snapshot.slowdown[wish.passes].min())).min()))
    return Reason.WINDOW_TOO_SHORT, f"needs {_members(wish.needed)} together for {shortest} or more: {windows}"


def _windows(wish: Wish, snapshot: Snapshot) -> str:
    start = np.maximum(snapshot.start[wish.passes], max(snapshot.now, wish.gang.not_before))
    until = snapshot.until[wish.passes]
    never = (until <= start) | (start == np.inf)
    closing = (until < np.inf) & ~never
    longest = _seconds(float((until[closing] - start[closing]).max())) if closing.any() else None
    after = f", after {longest} at most" if longest else ""
    nodes = f"of {len(start)} nodes that pass its constraints"
    return f"{nodes} {never.sum()} never open and {closing.sum()} close again{after}"


def _held(wish: Wish, snapshot: Snapshot) -> _Why:
    are_there_pods = any(pod.priority >= wish.gang.priority for pod in snapshot.nominated)
    who = "gangs in front, or pods for which room is made," if are_there_pods else "gangs in front"
    why = "for ever, until taken back or for themselves"
    detail = f"needs {_members(wish.needed)} and would fit, but {who} hold room: {why}"
    return Reason.HELD_BY_GANGS_IN_FRONT, detail


def _members(count: int) -> str:
    return "1 member" if count == 1 else f"{count} members"


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}".rstrip("0").rstrip(".") + " s"
