"""The resources that are expected to be free before any gang is planned: windows open and close, running gangs end.

Example: now is 0. A node has 2 CPUs free, gets 2 back at time 5, and closes at 9. Its spans begin at 0, 5 and 9. In
them it has 2, 4 and 4 CPUs free, and ``open`` is True, True and False.
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.problem.snapshot import AMOUNT_LIMIT, Snapshot
from coschedule.queue.slots.segments import is_last, rows_as_bytes, running_sum
from coschedule.queue.slots.spans import Spans
from coschedule.queue.slots.spans_by_class import spans_by_class
from coschedule.queue.slots.timeline import Timeline


def expected_timeline(snapshot: Snapshot, masks: Sequence[BoolArray]) -> Timeline:
    """Build the timeline of a snapshot. Nodes of one class agree in each of ``masks``, bool[n] by index."""
    releases = _releases(snapshot)
    class_by_node, example = _classes(snapshot, masks, releases)
    fastest_first = np.argsort(snapshot.slowdown, kind="stable")
    slowdowns, pace = np.unique(snapshot.slowdown[example], return_inverse=True)
    return Timeline(
        now=snapshot.now,
        slowdowns=slowdowns,
        node=fastest_first,
        class_of=class_by_node[fastest_first],
        pace=pace,
        width=np.bincount(class_by_node, minlength=len(example)),
        example=example,
        spans_of=spans_by_class(_spans(snapshot, example, releases), classes=len(example)),
        stamp=np.arange(len(example)),
        stamps=len(example),
        kinds=snapshot.kinds,
    )


class _Releases(NamedTuple):
    """``amounts[i, r]`` are released on ``node[i]`` at ``time[i]``; sorted by node, time and amounts."""

    node: IntArray
    time: FloatArray
    amounts: IntArray

    def take(self, indices: IntArray) -> "_Releases":
        """Return the releases at ``indices``, in this order."""
        return _Releases(self.node[indices], self.time[indices], self.amounts[indices])


def _releases(snapshot: Snapshot) -> _Releases:
    """List the releases; a release that is due or overdue counts from the first instant after now."""
    times = np.array([release.time for release in snapshot.releases], dtype=np.float64)
    releases = _Releases(
        node=np.array([release.node for release in snapshot.releases], dtype=np.int64),
        time=np.maximum(times, np.nextafter(snapshot.now, np.inf)),
        amounts=_amounts([release.request for release in snapshot.releases], len(snapshot.resources)),
    )
    return releases.take(np.lexsort((*releases.amounts.T, releases.time, releases.node)))


def _amounts(requests: Sequence[tuple[int, ...]], width: int) -> IntArray:
    """Return int[i, r] of requests, each amount ``AMOUNT_LIMIT`` at most."""
    count = len(requests) * width
    try:
        amounts = np.fromiter(chain.from_iterable(requests), dtype=np.int64, count=count)
    except OverflowError:
        limited = (min(amount, AMOUNT_LIMIT) for request in requests for amount in request)
        amounts = np.fromiter(limited, dtype=np.int64, count=count)
    return np.minimum(amounts, AMOUNT_LIMIT).reshape(len(requests), width)


def _classes(snapshot: Snapshot, masks: Sequence[BoolArray], releases: _Releases) -> tuple[IntArray, IntArray]:
    """Number the classes by their first nodes; return the class of each node and the first node of each class."""
    answers = np.packbits(np.array(masks, dtype=np.bool_).reshape(len(masks), len(snapshot.free)), axis=0).T
    columns = (
        snapshot.slowdown[:, np.newaxis].view(np.uint8),
        np.maximum(snapshot.start, snapshot.now)[:, np.newaxis].view(np.uint8),
        snapshot.until[:, np.newaxis].view(np.uint8),
        np.ascontiguousarray(snapshot.free).view(np.uint8),
        answers,
    )
    rows = np.ascontiguousarray(np.concatenate(columns, axis=1))
    coming = np.column_stack([releases.time.view(np.int64), releases.amounts])
    ends = np.searchsorted(releases.node, np.arange(len(rows)), side="right")
    numbers: dict[tuple[bytes, bytes], int] = {}
    alike = zip(rows_as_bytes(rows, np.arange(len(rows) + 1)), rows_as_bytes(coming, np.append(0, ends)), strict=True)
    class_of = [numbers.setdefault(one, len(numbers)) for one in alike]
    by_node = np.array(class_of, dtype=np.int64)
    _, example = np.unique(by_node, return_index=True)
    return by_node, example


def _spans(snapshot: Snapshot, example: IntArray, releases: _Releases) -> Spans:
    """Return the spans of each class, from its example node."""
    owner, time, gain = _changes(snapshot, example, releases)
    order = np.lexsort((time, owner))
    owner, time = owner[order], time[order]
    free = _sums_by_class(gain[order], owner)
    kept = np.flatnonzero(is_last(owner) | (np.append(time[1:], np.inf) > time))
    owner, time = owner[kept], time[kept]
    node = example[owner]
    return Spans(
        owner=owner,
        begin=time,
        free=free[kept],
        open=(snapshot.start[node] <= time) & (time < snapshot.until[node]),
    )


def _sums_by_class(gain: IntArray, owner: IntArray) -> IntArray:
    """Return running sums of the gains of each class; they stop at ``AMOUNT_LIMIT``, since 64 bits may overflow."""
    free = running_sum(gain, owner)
    free[running_sum(gain.astype(np.float64), owner) > AMOUNT_LIMIT] = AMOUNT_LIMIT
    return free


def _changes(snapshot: Snapshot, example: IntArray, releases: _Releases) -> tuple[IntArray, FloatArray, IntArray]:
    """List each change as class, instant and resources gained. At now, each class gains its free resources."""
    classes = np.arange(len(example))
    start, until = snapshot.start[example], snapshot.until[example]
    begins = classes[(start > snapshot.now) & (start < np.inf)]
    ends = classes[(until > snapshot.now) & (until < np.inf)]
    class_of = np.full(len(snapshot.free), -1)
    class_of[example] = classes
    freed = releases.take(np.flatnonzero((class_of[releases.node] >= 0) & (releases.time < np.inf)))
    windows = np.zeros((len(begins) + len(ends), len(snapshot.resources)), dtype=np.int64)
    return (
        np.concatenate([classes, begins, ends, class_of[freed.node]]),
        np.concatenate([np.full(len(classes), snapshot.now), start[begins], until[ends], freed.time]),
        np.concatenate([snapshot.free[example], windows, freed.amounts]),
    )
