"""Hypothetical snapshots: after sizes have changed, and as if all elastic gangs shrank later."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.nodes import Release
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs import ChangeTerms, ElasticRun, SizeChange, SizedStart, SizePlan
from coschedule.resizing.shrinking import shrinking


class World(NamedTuple):
    """A snapshot and the elastic gangs that run in it; its releases contain what these hold, at their ends."""

    snapshot: Snapshot
    runs: Sequence[ElasticRun]


def resized(world: World, sizes: SizePlan, elastic: Mapping[GangKey, ChangeTerms]) -> World:
    """Return the world after the changes and starts in ``sizes``; started gangs that are ``elastic`` join its runs.

    A gang that changes its size can't be evicted at the same time.
    """
    snapshot, runs = world
    changes = {change.gang: change for change in sizes.changes}
    before = [run for run in runs if run.key in changes]
    after = [
        replace(run, nodes=change.nodes, end=change.end, changed=snapshot.now)
        for run in before
        for change in (changes[run.key],)
    ]
    waiting = {gang.key: gang for gang in snapshot.gangs}
    begun = [_begun(waiting[start.gang], start, elastic) for start in sizes.starts]
    moved = _moved(snapshot, before, [*after, *begun], {start.gang for start in sizes.starts})
    same = [run for run in runs if run.key not in changes]
    return World(moved, [*same, *after, *(run for run in begun if run.key in elastic)])


def after_changes(snapshot: Snapshot, runs: Sequence[ElasticRun], changes: tuple[SizeChange, ...]) -> Snapshot:
    """Return the snapshot after these changes of the runs; its releases contain what they hold, at their ends."""
    return resized(World(snapshot, runs), SizePlan(changes=changes), {}).snapshot


def shrunk(world: World, due: float) -> Snapshot:
    """Return the snapshot in which every elastic gang shrinks to its fewest members at ``due``, or now if that is past.

    A gang shrinks as in ``shrinking``. Nothing changes before. So a plan on this snapshot stays possible as time goes
    on.
    """
    snapshot, runs = world
    releases = list(_without(snapshot.releases, runs))
    for run in runs:
        releases += _releases_if_shrunk(run, snapshot, max(snapshot.now, due))
    return replace(snapshot, releases=tuple(releases))


def _begun(gang: PendingGang, start: SizedStart, elastic: Mapping[GangKey, ChangeTerms]) -> ElasticRun:
    assert gang.work is not None, "a gang takes part only if its work is known"
    [role] = gang.roles
    return ElasticRun(
        key=gang.key,
        created=gang.created,
        sizes=role.sizes,
        request=role.request,
        work=gang.work,
        left=1.0,
        nodes=start.nodes,
        end=start.end,
        terms=elastic.get(gang.key, ChangeTerms()),
    )


def _moved(
    snapshot: Snapshot, before: Sequence[ElasticRun], after: Sequence[ElasticRun], started: set[GangKey]
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
    return replace(snapshot, free=free, releases=tuple(releases), gangs=gangs, running=running)


def _releases(run: ElasticRun, nodes: Sequence[int], time: float) -> list[Release]:
    return [Release(node=node, request=run.request, time=time) for node in nodes]


def _releases_if_shrunk(run: ElasticRun, snapshot: Snapshot, due: float) -> list[Release]:
    how = shrinking(run, snapshot, due)
    if how is None:
        return _releases(run, run.nodes, run.end)
    return [*_releases(run, how.given_up, how.since), *_releases(run, how.kept, how.end)]


def _without(releases: Iterable[Release], runs: Sequence[ElasticRun]) -> Iterator[Release]:
    """List the releases without those of these gangs at their ends."""
    gone = Counter(one for run in runs for one in _releases(run, run.nodes, run.end))
    for release in releases:
        if gone[release]:
            gone[release] -= 1
        else:
            yield release
