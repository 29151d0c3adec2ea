"""Snapshots of what would be: gangs that have started, and gangs that are being evicted."""

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
    """What is there once these gangs have started where they are planned; they wait no longer."""
    if not placements:
        return snapshot
    by_key = {gang.key: gang for gang in snapshot.gangs}
    index = snapshot.nodes.index
    free, someday, releases = snapshot.free.copy(), snapshot.someday.copy(), list(snapshot.releases)
    for placement in placements:
        for taken in _taken(by_key[placement.gang], placement, index):
            free[taken.node] -= taken.request
            if math.isinf(taken.time):
                someday[taken.node] = _plus(someday[taken.node], taken.request)
            else:
                releases.append(taken)
    started = {placement.gang for placement in placements}
    return replace(
        snapshot,
        free=free,
        someday=someday,
        releases=tuple(releases),
        gangs=tuple(gang for gang in snapshot.gangs if gang.key not in started),
    )


def without(snapshot: Snapshot, victims: Collection[RunningGang]) -> Snapshot:
    """What is there once it is decided that these gangs are evicted: each gives its nodes back after its grace."""
    known = Counter(release for victim in victims for release in _releases(victim, victim.end))
    kept = [release for release in snapshot.releases if not _take(known, release)]
    someday = snapshot.someday.copy()
    for victim in victims:
        if math.isinf(victim.end):
            for node, request in victim.holds:
                someday[node] = np.maximum(someday[node] - request, 0)
    gone = {victim.key for victim in victims}
    return replace(
        snapshot,
        someday=someday,
        releases=(*kept, *(one for victim in victims for one in _releases(victim, victim.gone_by(snapshot.now)))),
        running=tuple(gang for gang in snapshot.running if gang.key not in gone),
        budgets=left_of(snapshot.budgets, victims),
    )


def left_of(budgets: Sequence[int], victims: Iterable[RunningGang]) -> tuple[int, ...]:
    """How many pods each budget still allows to evict after all of these."""
    left = list(budgets)
    for victim in victims:
        for budget, pods in victim.disrupts:
            left[budget] -= pods
    return tuple(left)


def with_gangs(snapshot: Snapshot, gangs: Iterable[PendingGang]) -> Snapshot:
    """The same with these gangs waiting, and no others."""
    return replace(snapshot, gangs=tuple(gangs))


def awaiting(snapshot: Snapshot, gang: GangKey, until: float) -> Snapshot:
    """The same with a gang that waits for the end of those that give way to it."""
    gangs = (replace(one, awaits=until) if one.key == gang else one for one in snapshot.gangs)
    return with_gangs(snapshot, gangs)


def _taken(gang: PendingGang, placement: Placement, index: Mapping[str, int]) -> Iterator[Release]:
    """What a placement takes of each node, and when it gives that back."""
    requests = {role.name: role.request for role in gang.roles}
    for members in placement.members:
        amounts = tuple(members.count * amount for amount in requests[members.role])
        yield Release(node=index[members.node], request=amounts, time=placement.finish)


def _releases(victim: RunningGang, time: float) -> Iterator[Release]:
    if time < math.inf:
        for node, request in victim.holds:
            yield Release(node=node, request=request, time=time)


def _take(counts: Counter[Release], release: Release) -> bool:
    """Take one of that kind, if there is one."""
    if not counts[release]:
        return False
    counts[release] -= 1
    return True


def _plus(amounts: IntArray, more: tuple[int, ...]) -> IntArray:
    taken = np.array(more, dtype=np.int64)
    total: IntArray = np.minimum(amounts, AMOUNT_LIMIT - taken) + taken
    return total
