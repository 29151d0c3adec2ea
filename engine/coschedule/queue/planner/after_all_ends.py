"""The resources that are free once everything with a known end has ended, and the resources of empty nodes.

One plan may refuse many gangs, and each refusal needs these numbers. They are computed once for all.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray
from coschedule.queue.planner.windows_and_releases import expected_timeline
from coschedule.queue.problem.nodes import Release
from coschedule.queue.problem.snapshot import AMOUNT_LIMIT, Snapshot
from coschedule.queue.slots.timeline import Timeline


class AtLast:
    """The resources that are free once everything with a known end has ended, if all windows stay open.

    Nodes are in one class of its timeline only if each of ``masks``, bool[n], has the same value for them.
    """

    def __init__(self, snapshot: Snapshot, masks: Sequence[BoolArray]) -> None:
        self._snapshot = snapshot
        self._masks = masks

    @cached_property
    def free(self) -> IntArray:
        """The resources free then, int[n, r]; sums stop at ``AMOUNT_LIMIT``, so 64-bit integers do not overflow."""
        ending = [release for release in self._snapshot.releases if release.time < np.inf]
        return _with_releases(self._snapshot.free, ending)

    @cached_property
    def timeline(self) -> Timeline:
        """The timeline from then on; nothing changes on it."""
        count = len(self._snapshot.nodes.names)
        at_last = replace(
            self._snapshot,
            free=self.free,
            start=np.full(count, -np.inf),
            until=np.full(count, np.inf),
            releases=(),
            gangs=(),
        )
        return expected_timeline(at_last, self._masks)


def emptied(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with its nodes and windows, without anything on the nodes and without gangs."""
    free = _with_releases(snapshot.free, snapshot.releases)
    free = added(added(free, snapshot.someday), snapshot.lasting)
    return replace(snapshot, free=free, releases=(), gangs=(), nominated=(), running=())


def added(free: IntArray, more: IntArray) -> IntArray:
    """Return ``free + more``; ``more`` and the sums stop at ``AMOUNT_LIMIT``."""
    total: IntArray = np.minimum(free, AMOUNT_LIMIT - np.minimum(more, AMOUNT_LIMIT)) + np.minimum(more, AMOUNT_LIMIT)
    return total


def _with_releases(free: IntArray, releases: Sequence[Release]) -> IntArray:
    """Return ``free`` with the resources of these releases, int[n, r]; sums stop at ``AMOUNT_LIMIT``."""
    total, about = free.copy(), free.astype(np.float64)
    if releases:
        node = [release.node for release in releases]
        amounts = np.array([[min(one, AMOUNT_LIMIT) for one in release.request] for release in releases])
        np.add.at(total, node, amounts)
        np.add.at(about, node, amounts)
    total[about > AMOUNT_LIMIT] = AMOUNT_LIMIT
    total.setflags(write=False)
    return total
