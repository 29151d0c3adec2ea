"""Gangs that shrink to their fewest members, so that others can start by their promises."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.size_plan import SizePlan
from coschedule.resizing.gangs.sized_run import SizedRun
from coschedule.resizing.worth import worth_of


class Shrinking(NamedTuple):
    """A gang keeps its members on the nodes ``kept`` and leaves ``given_up`` at ``since``; it then ends at ``end``."""

    kept: tuple[int, ...]
    given_up: tuple[int, ...]
    since: float
    end: float


def shrinking(run: ElasticRun, snapshot: Snapshot, due: float) -> Shrinking | None:
    """Return how a gang shrinks to its fewest members at ``due``, or later when it may change.

    The gang keeps its first ``seats_to_keep`` and its fixed members. Return None if the gang does not shrink: it has
    its fewest members already, or it ends before that time. It also keeps its size if a node that it keeps would close
    too early, or if it would miss a deadline it meets now. If a size is asked of it, it shrinks to no other size.
    """
    least, since = run.fewest_members, max(due, run.may_change_at)
    if least >= run.size or since >= run.end:
        return None
    nodes = run.seats_to_keep(snapshot.slowdown, snapshot.until)
    end = end_with(run, nodes[:least], since, snapshot)
    if not may_end(run, nodes[:least], end, snapshot):
        return None
    return Shrinking(tuple(sorted(nodes[:least])), tuple(nodes[least:]), since, end)


def end_with(run: ElasticRun, nodes: Sequence[int], since: float, snapshot: Snapshot) -> float:
    """Return when the gang ends if, from ``since`` on, it has only the members on ``nodes``."""
    then, before = (run.pace_on(some, snapshot.slowdown) for some in (nodes, run.nodes))
    longer = run.shared.time(len(nodes)) * then / (run.shared.time(run.size) * before)
    return since + run.terms.restart_time + (run.end - since) * longer


def may_end(run: SizedRun, nodes: Sequence[int], end: float, snapshot: Snapshot) -> bool:
    """Return whether a gang may end at ``end``: all its nodes are open until then, and it meets its deadline.

    These are ``nodes`` and the nodes of fixed members. A deadline that the gang misses at its present size too does not
    count.
    """
    is_late = run.meets_its_deadline and run.deadline is not None and end > run.deadline
    return not is_late and end <= min(snapshot.until[list(nodes)].min(), run.closes(snapshot.until))


def all_shrunk(snapshot: Snapshot, runs: Sequence[ElasticRun]) -> SizePlan:
    """Return the plan in which each gang that may shrink now has its fewest members. No choice frees more seats."""
    found = [(run, shrinking(run, snapshot, snapshot.now)) for run in runs]
    shrunk = [(run, how) for run, how in found if how is not None and how.since <= snapshot.now]
    changes = tuple(run.change_to(how.kept, how.end) for run, how in shrunk)
    return SizePlan(changes, gain=sum(_gain(run, how, snapshot) for run, how in shrunk))


def _gain(run: ElasticRun, how: Shrinking, snapshot: Snapshot) -> float:
    worth = worth_of(run.sizes, run.shared, left=run.left, age=snapshot.now - run.created)
    sizes = np.array([len(how.kept), run.size])
    paces = np.array([run.pace_on(nodes, snapshot.slowdown) for nodes in (how.kept, run.nodes)])
    after, before = worth.of(sizes, paces, np.array([run.terms.restart_time, 0.0]), run.terms.horizon).tolist()
    gain: float = after - before
    return gain
