"""Gangs that shrink to their fewest members, so that others can start by their promises."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs import ElasticRun, SizePlan
from coschedule.resizing.worth import worth_of


class Shrinking(NamedTuple):
    """A gang keeps its members on the nodes ``kept`` and leaves ``given_up`` at ``since``; it then ends at ``end``."""

    kept: tuple[int, ...]
    given_up: tuple[int, ...]
    since: float
    end: float


def shrinking(run: ElasticRun, snapshot: Snapshot, due: float) -> Shrinking | None:
    """Return how a gang shrinks to its fewest members at ``due``, or later when it may change.

    It keeps its fastest members and its fixed ones. None where it stays as it is: it has its fewest members, or ends
    before that time. It also stays if a node that it keeps would close too early, or if it would miss its deadline.
    """
    least, since = run.shared.least(run.sizes), max(due, run.may_change_at)
    if least >= run.size or since >= run.end:
        return None
    nodes, closes = run.seats_to_keep(snapshot.slowdown, snapshot.until), run.closes(snapshot.until)
    then, before = (run.pace_on(some, snapshot.slowdown) for some in (nodes[:least], nodes))
    longer = run.shared.time(least) * then / (run.shared.time(run.size) * before)
    end = since + run.terms.restart_time + (run.end - since) * longer
    if min(snapshot.until[nodes[:least]].min(), closes) < end or _breaks_its_deadline(run, end):
        return None
    return Shrinking(tuple(sorted(nodes[:least])), tuple(nodes[least:]), since, end)


def _breaks_its_deadline(run: ElasticRun, end: float) -> bool:
    return run.meets_its_deadline and run.deadline is not None and end > run.deadline


def all_shrunk(snapshot: Snapshot, runs: Sequence[ElasticRun]) -> SizePlan:
    """Return the plan in which each gang that may shrink now has its fewest members. No choice frees more nodes."""
    found = [(run, shrinking(run, snapshot, snapshot.now)) for run in runs]
    shrunk = [(run, how) for run, how in found if how is not None and how.since <= snapshot.now]
    changes = tuple(run.change_to(how.kept, how.end) for run, how in shrunk)
    return SizePlan(changes, gain=sum(_gain(run, how, snapshot) for run, how in shrunk))


def _gain(run: ElasticRun, how: Shrinking, snapshot: Snapshot) -> float:
    worth = worth_of(run.sizes, run.shared, left=run.left, age=snapshot.now - run.created)
    sizes = np.array([len(how.kept), run.size])
    paces = np.array([run.pace_on(nodes, snapshot.slowdown) for nodes in (how.kept, run.nodes)])
    after, before = worth.of(sizes, paces, np.array([run.terms.restart_time, 0.0])).tolist()
    gain: float = after - before
    return gain
