"""What is free once everything with a known end has ended, if all windows stay open.

One plan may refuse many gangs, and each refusal needs these numbers. They are computed once for all.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray
from coschedule.queue.planner.windows_and_releases import expected_timeline
from coschedule.queue.problem.snapshot import AMOUNT_LIMIT, Snapshot
from coschedule.queue.slots.timeline import Timeline


class AtLast:
    """What is free in a snapshot in the end. Nodes of one class of its timeline agree in each of ``masks``: bool[n]."""

    def __init__(self, snapshot: Snapshot, masks: Sequence[BoolArray]) -> None:
        self._snapshot = snapshot
        self._masks = masks

    @cached_property
    def free(self) -> IntArray:
        """What is free then: int[n, r]; sums stop at ``AMOUNT_LIMIT``, so that 64-bit integers do not overflow."""
        free, about = self._snapshot.free.copy(), self._snapshot.free.astype(np.float64)
        ending = [release for release in self._snapshot.releases if release.time < np.inf]
        if ending:
            node = [release.node for release in ending]
            amounts = np.array([[min(one, AMOUNT_LIMIT) for one in release.request] for release in ending])
            np.add.at(free, node, amounts)
            np.add.at(about, node, amounts)
        free[about > AMOUNT_LIMIT] = AMOUNT_LIMIT
        free.setflags(write=False)
        return free

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
