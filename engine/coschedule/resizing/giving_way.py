"""The sizes to which gangs may shrink for more urgent gangs, instead of being evicted."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.problem.running import RunningGang, SmallerSize, SmallerSizes
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.open_ended_run import OpenEndedRun
from coschedule.resizing.gangs.sized_run import SizedRun
from coschedule.resizing.seats import may_stay
from coschedule.resizing.shrinking import end_with, may_end

MOST_SIZES = 16
"""The most smaller sizes of a gang that are compared. If there are more, they are spread evenly."""


def with_smaller_sizes(snapshot: Snapshot, runs: Sequence[SizedRun]) -> Snapshot:
    """Return the snapshot, where gangs that may be evicted have the smaller sizes to which they may shrink instead.

    A gang may shrink if its last change is long enough ago and no size is asked of it. All of its nodes must still be
    suitable for its members. At the smaller size, the gang must end while its nodes are open. If it meets its deadline
    now, it must also end by the deadline. A gang of unknown end may shrink to any of its sizes. It may shrink below the
    size with which it started, as an eviction would take all members.
    """
    able = {run.key: run for run in runs if run.asked is None and run.may_change_at <= snapshot.now}
    if not any(gang.key in able for gang in snapshot.running):
        return snapshot
    running = (_with_sizes(gang, able.get(gang.key), snapshot) for gang in snapshot.running)
    return replace(snapshot, running=tuple(running))


def _with_sizes(gang: RunningGang, run: SizedRun | None, snapshot: Snapshot) -> RunningGang:
    if run is None or not may_stay(snapshot, run):
        return gang
    nodes = run.seats_to_keep(snapshot.slowdown, snapshot.until)
    smaller = SmallerSizes(
        nodes=tuple(nodes),
        request=run.request,
        sizes=tuple(_sizes(run, nodes, snapshot)),
        restart_time=run.terms.restart_time,
        fixed=run.fixed_size,
        keeps=run.keeps,
        lost=run.terms.lost,
        is_open_ended=isinstance(run, OpenEndedRun),
    )
    return replace(gang, smaller=smaller) if smaller.sizes else gang


def _sizes(run: SizedRun, nodes: Sequence[int], snapshot: Snapshot) -> Iterator[SmallerSize]:
    least = run.sizes.minimum if run.fewest is None else min(run.fewest, run.sizes.minimum)
    for size in _spread(replace(run.sizes, minimum=least).between(1, run.size - 1)):
        end = _end(run, nodes[:size], snapshot)
        if end is not None and may_end(run, nodes[:size], end, snapshot):
            yield SmallerSize(size, end)


def _end(run: SizedRun, nodes: Sequence[int], snapshot: Snapshot) -> float | None:
    """Return when the gang ends with members on these nodes from now on; None if it can't work with so few."""
    if isinstance(run, OpenEndedRun):
        return run.end_after_change
    assert isinstance(run, ElasticRun), "a gang whose end is known"
    end = end_with(run, nodes, snapshot.now, snapshot)
    return end if end < math.inf else None


def _spread(sizes: IntArray) -> list[int]:
    if len(sizes) > MOST_SIZES:
        sizes = sizes[np.linspace(0, len(sizes) - 1, MOST_SIZES).round().astype(np.int64)]
    spread: list[int] = sizes.tolist()
    return spread
