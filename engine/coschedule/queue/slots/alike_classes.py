"""Which classes of nodes are equal for a gang until some time."""

from collections.abc import Sequence

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.slots.domains import number_groups, number_rows
from coschedule.queue.slots.segments import is_first
from coschedule.queue.slots.timeline import Timeline


def alike_classes(timeline: Timeline, wanted: IntArray, marks: Sequence[IntArray], until: float) -> IntArray:
    """Number classes, int[c]: classes that are equal until the time ``until`` get the same number.

    Equal classes have the same speed, the same free amounts of ``wanted`` resources and the same ``marks``, int[c]
    each.
    """
    spans = timeline.spans.take(np.flatnonzero(timeline.spans.begin <= until))
    free = np.where(spans.open[:, np.newaxis], np.maximum(spans.free[:, wanted], 0), -1)
    changes = is_first(spans.owner)
    changes[1:] |= (free[1:] != free[:-1]).any(axis=1)
    kept = np.flatnonzero(changes)
    rows = number_rows([*free[kept].T, spans.begin[kept]])
    return number_rows([number_groups(spans.owner[kept], rows, len(timeline.width)), timeline.pace, *marks])
