"""Which classes of nodes are equal for a gang until some time."""

from collections.abc import Sequence

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.slots.domains import number_groups, number_rows
from coschedule.queue.slots.segments import is_first
from coschedule.queue.slots.spans import Spans
from coschedule.queue.slots.timeline import Timeline


def alike_classes(
    timeline: Timeline, wanted: IntArray, marks: Sequence[IntArray], until: float, *, for_ever: bool
) -> IntArray:
    """Number classes, int[c]: classes that are equal until the time ``until`` get the same number.

    Equal classes have the same speed, the same free amounts of ``wanted`` resources and the same ``marks``, int[c]
    each. With ``for_ever``, an amount counts as free from an instant on only if it then stays free for ever.
    """
    soon = np.flatnonzero(timeline.spans.begin <= until)
    spans = timeline.spans.take(soon)
    free = _least_to_come(timeline.spans, wanted)[soon] if for_ever else _amounts(spans, wanted)
    changes = is_first(spans.owner)
    changes[1:] |= (free[1:] != free[:-1]).any(axis=1)
    kept = np.flatnonzero(changes)
    rows = number_rows([*free[kept].T, spans.begin[kept]])
    return number_rows([number_groups(spans.owner[kept], rows, len(timeline.width)), timeline.pace, *marks])


def _amounts(spans: Spans, wanted: IntArray) -> IntArray:
    """Return whether each span is open, and what is free in it of each wanted resource, -1 if it is not open."""
    is_open = spans.open[:, np.newaxis]
    amounts: IntArray = np.concatenate([is_open, np.where(is_open, np.maximum(spans.free[:, wanted], 0), -1)], axis=1)
    return amounts


def _least_to_come(spans: Spans, wanted: IntArray) -> IntArray:
    """Return, for each span, the least of each amount in this span and in all later spans of its class."""
    return np.stack([_least_of_rest(amounts, spans.owner) for amounts in _amounts(spans, wanted).T], axis=1)


def _least_of_rest(values: IntArray, owner: IntArray) -> IntArray:
    """Return the least of each entry and of all later entries of its row; ``owner`` is the row of each entry."""
    distinct, rank = np.unique(values, return_inverse=True)
    # Each row is shifted below all rows behind it, so that no minimum is that of another row.
    shifted = rank + owner * len(distinct)
    least: IntArray = distinct[np.minimum.accumulate(shifted[::-1])[::-1] - owner * len(distinct)]
    return least
