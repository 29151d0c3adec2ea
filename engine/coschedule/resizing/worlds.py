"""Hypothetical snapshots: after sizes have changed, and as if all elastic gangs shrank later."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np

from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.nodes import Release
from coschedule.queue.problem.size_change import SizeChange
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.open_ended_run import OpenEndedRun
from coschedule.resizing.gangs.size_plan import SizedStart, SizePlan
from coschedule.resizing.gangs.sized_run import ChangeTerms, SeatKind, SizedRun
from coschedule.resizing.seats import seats_without
from coschedule.resizing.shrinking import shrinking

R = TypeVar("R", bound=SizedRun)


class World(NamedTuple):
    """A snapshot and the elastic gangs that run in it; its releases have each gang's resources at the gang's end."""

    snapshot: Snapshot
    runs: Sequence[ElasticRun]


def resized(world: World, sizes: SizePlan, elastic: Mapping[GangKey, ChangeTerms]) -> World:
    """Return the world after the changes and starts in ``sizes``; started gangs that are ``elastic`` join its runs.

    A gang that changes its size can't be evicted at the same time.
    """
    snapshot, runs = world
    before, after = _changed(snapshot, runs, sizes.changes)
    waiting = {gang.key: gang for gang in snapshot.gangs}
    begun = [_begun(waiting[start.gang], start, elastic) for start in sizes.starts]
    moved = _moved(snapshot, before, [*after, *begun], {start.gang for start in sizes.starts})
    changing = {run.key for run in before}
    same = [run for run in runs if run.key not in changing]
    return World(moved, [*same, *after, *(run for run in begun if run.key in elastic)])


def after_changes(snapshot: Snapshot, runs: Sequence[SizedRun], changes: Sequence[SizeChange]) -> Snapshot:
    """Return the snapshot after these changes of the runs.

    The snapshot has a release of each run's resources at its end. If the end is inf, the resources count as freed
    at an unknown time. Members that runs of unknown end give up are released after their grace.
    """
    before, after = _changed(snapshot, runs, changes)
    moved = _moved(snapshot, before, after, set())
    leaving = list(_leaving(snapshot, before, after))
    if not leaving:
        return moved
    free = moved.free.copy()
    np.subtract.at(free, [one.node for one in leaving], [one.request for one in leaving])
    return replace(moved, free=free, releases=(*moved.releases, *leaving))


def with_all_shrunk(world: World, due: float) -> Snapshot:
    """Return the snapshot in which every elastic gang shrinks to its fewest members at ``due``, but not before now.

    A gang shrinks as in ``shrinking``. No gang changes before ``due``. So a plan on this snapshot stays possible as
    time goes on.
    """
    snapshot, runs = world
    releases = list(_without(snapshot.releases, runs))
    for run in runs:
        releases += _releases_if_shrunk(run, snapshot, max(snapshot.now, due))
    return replace(snapshot, releases=tuple(releases))


def _changed(snapshot: Snapshot, runs: Sequence[R], changes: Iterable[SizeChange]) -> tuple[list[R], list[R]]:
    """Return the runs that change, and the same runs after their change."""
    by_gang = {change.gang: change for change in changes}
    before = [run for run in runs if run.key in by_gang]
    found = ((run, by_gang[run.key]) for run in before)
    return before, [replace(run, nodes=one.nodes, end=one.end, changed=snapshot.now) for run, one in found]


def counted_from(gang: PendingGang) -> float:
    """Return the finite time from which the age of a gang counts in a choice of sizes.

    If ``counts_from`` is -inf, so that the gang comes before all others, the age counts from its creation.
    """
    return gang.counts_from if gang.counts_from > -math.inf else gang.created


def _begun(gang: PendingGang, start: SizedStart, elastic: Mapping[GangKey, ChangeTerms]) -> ElasticRun:
    assert gang.work is not None, "a gang takes part only if its work is known"
    [role] = gang.roles
    return ElasticRun(
        key=gang.key,
        created=counted_from(gang),
        sizes=role.sizes,
        request=role.request,
        work=gang.work,
        left=1.0,
        nodes=start.nodes,
        end=start.end,
        terms=elastic.get(gang.key, ChangeTerms()),
        interruptible=gang.interruptible,
        priority=gang.priority,
    )


def _moved(
    snapshot: Snapshot, before: Sequence[SizedRun], after: Sequence[SizedRun], started: set[GangKey]
) -> Snapshot:
    free, releases = snapshot.free.copy(), list(_without(snapshot.releases, before))
    for run in before:
        np.add.at(free, list(run.nodes), run.request)
    for run in after:
        np.subtract.at(free, list(run.nodes), run.request)
        releases += _releases(run, run.nodes, run.end)
    gangs = tuple(gang for gang in snapshot.gangs if gang.key not in started)
    changing = {run.key for run in before}
    running = tuple(gang for gang in snapshot.running if gang.key not in changing)
    moved = replace(snapshot, free=free, releases=tuple(releases), gangs=gangs, running=running)
    return _endless_moved(moved, [run for run in before if run.end == math.inf], after)


def _endless_moved(snapshot: Snapshot, before: Sequence[SizedRun], after: Sequence[SizedRun]) -> Snapshot:
    """Return the snapshot in which runs of unknown end take room on the nodes that they have after their change.

    Only ``someday`` and ``open_ended`` differ. ``before`` are these runs before their change.
    """
    if not before:
        return snapshot
    of_unknown_end, endless, then = snapshot.someday.copy(), snapshot.open_ended, {run.key: run for run in after}
    for run in before:
        np.subtract.at(of_unknown_end, list(run.nodes), run.request)
        np.add.at(of_unknown_end, list(then[run.key].nodes), run.request)
        endless = endless.moved(run.key, np.array(then[run.key].all_nodes, dtype=np.int64))
    return replace(snapshot, someday=np.maximum(of_unknown_end, 0), open_ended=endless)


def _leaving(snapshot: Snapshot, before: Sequence[SizedRun], after: Sequence[SizedRun]) -> Iterator[Release]:
    """List the releases of the members that runs of unknown end give up."""
    for run, then in zip(before, after, strict=True):
        if isinstance(run, OpenEndedRun):
            for node in seats_without(run.nodes, then.nodes):
                yield Release(node=node, request=run.request, time=snapshot.now + run.grace)


def _releases(run: SizedRun, nodes: Sequence[int], time: float) -> list[Release]:
    """List the releases of a gang that ends at ``time``: of its members on ``nodes`` and of its fixed members."""
    if time == math.inf:
        return []
    fixed = (one for part in run.fixed for one in _given_back(part.seat, part.nodes, time))
    return [*_given_back(run.seat, nodes, time), *fixed]


def _given_back(seat: SeatKind, nodes: Iterable[int], time: float) -> Iterator[Release]:
    return (Release(node=node, request=seat.request, time=time) for node in nodes)


def _releases_if_shrunk(run: ElasticRun, snapshot: Snapshot, due: float) -> list[Release]:
    how = shrinking(run, snapshot, due)
    if how is None:
        return _releases(run, run.nodes, run.end)
    return [*_given_back(run.seat, how.given_up, how.since), *_releases(run, how.kept, how.end)]


def _without(releases: Iterable[Release], runs: Sequence[SizedRun]) -> Iterator[Release]:
    """List ``releases`` without the releases of ``runs`` at their ends."""
    gone = Counter(one for run in runs for one in _releases(run, run.nodes, run.end))
    for release in releases:
        if gone[release]:
            gone[release] -= 1
        else:
            yield release
