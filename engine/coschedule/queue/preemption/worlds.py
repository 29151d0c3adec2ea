"""Hypothetical snapshots: after gangs have started, and while gangs are being evicted."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.nodes import Release
from coschedule.queue.problem.running import RunningGang
from coschedule.queue.problem.snapshot import AMOUNT_LIMIT, Snapshot


def with_started(snapshot: Snapshot, placements: Collection[Placement]) -> Snapshot:
    """Return the snapshot after these gangs have started as planned; they no longer wait."""
    if not placements:
        return snapshot
    by_key = {gang.key: gang for gang in snapshot.gangs}
    index = snapshot.nodes.index
    free, of_unknown_end, releases = snapshot.free.copy(), snapshot.someday.copy(), list(snapshot.releases)
    for placement in placements:
        for taken in _taken(by_key[placement.gang], placement, index):
            free[taken.node] -= taken.request
            if math.isinf(taken.time):
                of_unknown_end[taken.node] = _plus(of_unknown_end[taken.node], taken.request)
            else:
                releases.append(taken)
    started = {placement.gang for placement in placements}
    return replace(
        snapshot,
        free=free,
        someday=of_unknown_end,
        releases=tuple(releases),
        gangs=tuple(gang for gang in snapshot.gangs if gang.key not in started),
    )


def without(snapshot: Snapshot, victims: Collection[RunningGang]) -> Snapshot:
    """Return the snapshot after the decision to evict these gangs: each releases its nodes after its grace."""
    known = Counter(release for victim in victims for release in _releases(victim, victim.end))
    kept = [release for release in snapshot.releases if not _take(known, release)]
    of_unknown_end = snapshot.someday.copy()
    for victim in victims:
        if math.isinf(victim.end):
            for node, request in victim.holds:
                of_unknown_end[node] = np.maximum(of_unknown_end[node] - request, 0)
    gone = {victim.key for victim in victims}
    return replace(
        snapshot,
        someday=of_unknown_end,
        releases=(*kept, *(one for victim in victims for one in _releases(victim, victim.gone_by(snapshot.now)))),
        running=tuple(gang for gang in snapshot.running if gang.key not in gone),
        budgets=left_of(snapshot.budgets, victims),
    )


def left_of(budgets: Sequence[int], victims: Iterable[RunningGang]) -> tuple[int, ...]:
    """Return how many more pods each budget allows to evict after all of these victims."""
    left = list(budgets)
    for victim in victims:
        for budget, pods in victim.disrupts:
            left[budget] -= pods
    return tuple(left)


def with_gangs(snapshot: Snapshot, gangs: Iterable[PendingGang]) -> Snapshot:
    """Return the snapshot with only these waiting gangs."""
    return replace(snapshot, gangs=tuple(gangs))


def awaiting(snapshot: Snapshot, gang: GangKey, until: float) -> Snapshot:
    """Return the snapshot in which a gang awaits the end of its victims."""
    gangs = (replace(one, awaits=until) if one.key == gang else one for one in snapshot.gangs)
    return with_gangs(snapshot, gangs)


def _taken(gang: PendingGang, placement: Placement, index: Mapping[str, int]) -> Iterator[Release]:
    """List what a placement takes of each node, with the time of its release."""
    requests = {role.name: role.request for role in gang.roles}
    for members in placement.members:
        amounts = tuple(members.count * amount for amount in requests[members.role])
        yield Release(node=index[members.node], request=amounts, time=placement.finish)


def _releases(victim: RunningGang, time: float) -> Iterator[Release]:
    if time < math.inf:
        for node, request in victim.holds:
            yield Release(node=node, request=request, time=time)


def _take(counts: Counter[Release], release: Release) -> bool:
    """Remove one release that equals the given one, and return True; return False if there is none."""
    if not counts[release]:
        return False
    counts[release] -= 1
    return True


def _plus(amounts: IntArray, more: tuple[int, ...]) -> IntArray:
    taken = np.array(more, dtype=np.int64)
    total: IntArray = np.minimum(amounts, AMOUNT_LIMIT - taken) + taken
    return total
