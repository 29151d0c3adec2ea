"""Hypothetical snapshots: after gangs have started, and while gangs are being evicted."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import add

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.preemption.shrinking import ShrinkingGang
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.nodes import Release
from coschedule.queue.problem.running import Holding, RunningGang
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
    return snapshot.changed(
        free=free,
        someday=of_unknown_end,
        releases=tuple(releases),
        gangs=tuple(gang for gang in snapshot.gangs if gang.key not in started),
    )


def without(snapshot: Snapshot, victims: Collection[RunningGang]) -> Snapshot:
    """Return the snapshot after the decision that these victims give way.

    After its grace, each victim releases the resources that it gives up. A victim that shrinks keeps its other
    resources until its later end.
    """
    kept = list(_without_ends(snapshot.releases, [victim.whole for victim in victims]))
    of_unknown_end = snapshot.someday.copy()
    for victim in victims:
        if math.isinf(victim.end):
            for node, request in victim.holds:
                of_unknown_end[node] = np.maximum(of_unknown_end[node] - request, 0)
    gone = {victim.key for victim in victims}
    return snapshot.changed(
        someday=of_unknown_end,
        releases=(*kept, *(one for victim in victims for one in _given_back(victim, snapshot.now))),
        running=tuple(gang for gang in snapshot.running if gang.key not in gone),
        budgets=left_of(snapshot.budgets, victims),
    )


def left_of(budgets: Sequence[int], victims: Iterable[RunningGang]) -> tuple[int, ...]:
    """Return the number of pods that each budget still allows to evict after all of these victims."""
    left = list(budgets)
    for victim in victims:
        for budget, pods in victim.disrupts:
            left[budget] -= pods
    return tuple(left)


def with_gangs(snapshot: Snapshot, gangs: Iterable[PendingGang]) -> Snapshot:
    """Return the snapshot with only these waiting gangs."""
    return snapshot.changed(gangs=tuple(gangs))


def awaiting(snapshot: Snapshot, gang: GangKey, until: float) -> Snapshot:
    """Return the snapshot in which a gang awaits the end of its victims."""
    gangs = (replace(one, awaits=until) if one.key == gang else one for one in snapshot.gangs)
    return with_gangs(snapshot, gangs)


def _taken(gang: PendingGang, placement: Placement, index: Mapping[str, int]) -> Iterator[Release]:
    """List the resources that a placement takes of each node, with the time of their release."""
    requests = {role.name: role.request for role in gang.roles}
    for members in placement.members:
        amounts = tuple(members.count * amount for amount in requests[members.role])
        yield Release(node=index[members.node], request=amounts, time=placement.finish)


def _given_back(victim: RunningGang, now: float) -> Iterator[Release]:
    yield from _releases(victim.holds, victim.gone_by(now))
    if isinstance(victim, ShrinkingGang):
        yield from _releases(victim.kept, victim.change.end)


def _releases(holds: Iterable[Holding], time: float) -> Iterator[Release]:
    if time < math.inf:
        for node, request in holds:
            yield Release(node=node, request=request, time=time)


def _without_ends(releases: Iterable[Release], gangs: Iterable[RunningGang]) -> Iterator[Release]:
    """List the releases except the releases of these gangs at their ends; a node may have several of one gang."""
    left = dict[tuple[int, float], list[int]]()
    for one in (one for gang in gangs for one in _releases(gang.holds, gang.end)):
        before = left.get((one.node, one.time), [0] * len(one.request))
        left[one.node, one.time] = list(map(add, before, one.request))
    # Most releases are on other nodes, and a node is looked up faster than a pair.
    nodes = {node for node, _ in left}
    for release in releases:
        known = left.get((release.node, release.time)) if release.node in nodes else None
        if known is None:
            yield release
        elif any(rest := _taken_from(known, release.request)):
            yield replace(release, request=rest)


def _taken_from(known: list[int], request: tuple[int, ...]) -> tuple[int, ...]:
    """Subtract a request from ``known`` as far as ``known`` goes, in place; return the rest of the request."""
    taken = list(map(min, known, request))
    known[:] = (before - less for before, less in zip(known, taken, strict=True))
    return tuple(asked - less for asked, less in zip(request, taken, strict=True))


def _plus(amounts: IntArray, more: tuple[int, ...]) -> IntArray:
    taken = np.array(more, dtype=np.int64)
    total: IntArray = np.minimum(amounts, AMOUNT_LIMIT - taken) + taken
    return total
