"""A cache of stretches for gangs with equal requests; only changed classes are computed again."""

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray
from coschedule.queue.slots.spans import Spans
from coschedule.queue.slots.stretches import Stretches, find_stretches, no_stretches
from coschedule.queue.slots.timeline import KeptStretches, Timeline

_MOST_KEPT = 32
"""The number of cached results: a thousand gangs with different requests must not fill the memory."""

_UNLIMITED = 2**40
"""More slots than a node ever has: resources that members do not request do not limit their number."""


def stretches_for(timeline: Timeline, request: IntArray, passes: BoolArray) -> Stretches:
    """Find the stretches of slots for members that take ``request[r]`` of each resource.

    Only nodes with ``passes``, bool[n] by index in the snapshot, have slots.
    """
    asked = request.tobytes(), passes.tobytes()
    kept = timeline.kept.pop(asked, None) or KeptStretches(np.zeros(0, dtype=np.int64), no_stretches())
    if kept.stamp is not timeline.stamp:
        kept = KeptStretches(timeline.stamp, _updated(kept, timeline, request, passes))
    timeline.kept[asked] = kept
    if len(timeline.kept) > _MOST_KEPT:
        del timeline.kept[next(iter(timeline.kept))]
    return kept.stretches


def _updated(kept: KeptStretches, timeline: Timeline, request: IntArray, passes: BoolArray) -> Stretches:
    """Return the stretches of all classes: drop classes that no longer exist, and append new classes."""
    new = np.full(timeline.stamps, -1)
    new[timeline.stamp] = np.arange(len(timeline.stamp))
    still = new[kept.stamp]
    classes = int((still >= 0).sum())
    return kept.stretches.renumbered(still, classes).then(_of_classes_from(timeline, classes, request, passes))


def _of_classes_from(timeline: Timeline, first: int, request: IntArray, passes: BoolArray) -> Stretches:
    classes = len(timeline.width) - first
    spans_of = timeline.spans_of
    dated = spans_of.dated if first == 0 else spans_of.of(np.arange(first, len(timeline.width))).dated()
    slots = slots_in(dated.spans, request)
    slots[~passes[timeline.example[first:]][dated.spans.owner]] = 0
    return find_stretches(dated.spans.owner, dated.begin, slots, times=dated.times, classes=classes)


def slots_in(spans: Spans, request: IntArray) -> IntArray:
    """Count the slots of a node in each span, for members that take ``request[r]``."""
    slots = np.where(spans.open, _UNLIMITED, 0)
    for resource in np.flatnonzero(request):
        np.minimum(slots, spans.free[:, resource] // request[resource], out=slots)
    return np.maximum(slots, 0, out=slots)
