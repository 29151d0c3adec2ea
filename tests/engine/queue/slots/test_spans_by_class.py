"""Spans that several timelines share: each sees its own, whichever other has written since."""

import numpy as np

from coschedule.queue.slots.spans import Spans
from coschedule.queue.slots.spans_by_class import spans_by_class


def spans(*rows):
    """Make spans of classes, each a list of begin and free."""
    entries = [(owner, begin, free) for owner, row in enumerate(rows) for begin, free in row]
    owner, begin, free = (np.array(column) for column in zip(*entries, strict=True))
    return Spans(owner=owner, begin=begin.astype(float), free=free[:, np.newaxis], open=np.ones(len(owner), dtype=bool))


def rows_of(those, *classes):
    found = those.of(np.array(classes))
    return list(zip(found.owner.tolist(), found.begin.tolist(), found.free[:, 0].tolist(), strict=True))


def test_forks_do_not_see_what_the_others_write():
    base = spans_by_class(spans([(0, 4)], [(0, 3), (5, 6)]), classes=2)
    one = base.then(spans([(0, 1), (2, 4)]), classes=1)
    other = base.only(np.array([1])).then(spans([(0, 7)], [(1, 8)]), classes=2)
    further = one.then(spans([(9, 9)]), classes=1)

    assert rows_of(base, 0, 1) == [(0, 0, 4), (1, 0, 3), (1, 5, 6)]
    assert rows_of(one, 2) == [(0, 0, 1), (0, 2, 4)]
    assert rows_of(other, 0, 1, 2) == [(0, 0, 3), (0, 5, 6), (1, 0, 7), (2, 1, 8)]
    assert rows_of(further, 3, 2) == [(0, 9, 9), (1, 0, 1), (1, 2, 4)]


def test_classes_may_be_asked_for_more_than_once():
    both = spans_by_class(spans([(0, 4)], [(0, 3), (5, 6)]), classes=2)

    assert rows_of(both, 1, 0, 1) == [(0, 0, 3), (0, 5, 6), (1, 0, 4), (2, 0, 3), (2, 5, 6)]
    assert both.at_first.free[:, 0].tolist() == [4, 3]
