"""The spans of a timeline's classes, in a store that is shared by all timelines that were made from one another.

A claim changes few classes of many. So only the spans of these classes are written, behind the existing rows. Existing
rows never change, so timelines that refer to them stay valid.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.slots.spans import DatedSpans, Spans

_GROWTH = 2


class SpanStore:
    """An append-only store of spans: ``begin[b]``, ``free[b, r]`` and ``open[b]`` as in ``Spans``.

    Rows after the last stored span have no meaning.
    """

    def __init__(self, spans: Spans) -> None:
        self._used = len(spans.begin)
        self.begin: FloatArray = spans.begin
        self.free: IntArray = spans.free
        self.open: BoolArray = spans.open

    def put(self, spans: Spans) -> int:
        """Store spans in consecutive rows; returns the first row."""
        first, self._used = self._used, self._used + len(spans.begin)
        if self._used > len(self.begin):
            self._grow()
        self.begin[first : self._used] = spans.begin
        self.free[first : self._used] = spans.free
        self.open[first : self._used] = spans.open
        return first

    def _grow(self) -> None:
        """Copy all rows to larger arrays; resizing in place would change arrays that other timelines still read."""
        more = _GROWTH * self._used - len(self.begin)
        self.begin = np.concatenate([self.begin, np.zeros(more)])
        self.free = np.concatenate([self.free, np.zeros((more, self.free.shape[1]), dtype=np.int64)])
        self.open = np.concatenate([self.open, np.zeros(more, dtype=np.bool_)])


@dataclass(frozen=True, kw_only=True, eq=False)
class SpansByClass:
    """Class ``c`` has ``length[c]`` spans, in the order of time, in the store from row ``first[c]`` on."""

    store: SpanStore
    first: IntArray
    length: IntArray

    @cached_property
    def flat(self) -> Spans:
        """The spans of all classes."""
        return self.of(np.arange(len(self.first)))

    @cached_property
    def dated(self) -> DatedSpans:
        """The spans of all classes with numbered times, computed once for all requests."""
        return self.flat.dated()

    @property
    def at_first(self) -> Spans:
        """The first span of each class."""
        return self._rows(self.first, np.arange(len(self.first)))

    def of(self, classes: IntArray) -> Spans:
        """Copy the spans of classes, which may repeat; the owner of each span is an index of ``classes``."""
        lengths = self.length[classes]
        offset = lengths.cumsum() - lengths
        entry = np.arange(len(classes)).repeat(lengths)
        return self._rows(np.arange(len(entry)) + (self.first[classes] - offset)[entry], entry)

    def only(self, classes: IntArray) -> "SpansByClass":
        """Return the spans of these classes, which may repeat, with new class numbers in this order."""
        return SpansByClass(store=self.store, first=self.first[classes], length=self.length[classes])

    def then(self, spans: Spans, *, classes: int) -> "SpansByClass":
        """Append ``classes`` further classes; the owners of ``spans`` count from the first of them.

        Each of them must have at least one span.
        """
        length = np.bincount(spans.owner, minlength=classes)
        first = self.store.put(spans) + length.cumsum() - length
        return SpansByClass(
            store=self.store,
            first=np.concatenate([self.first, first]),
            length=np.concatenate([self.length, length]),
        )

    def _rows(self, rows: IntArray, owner: IntArray) -> Spans:
        store = self.store
        return Spans(owner=owner, begin=store.begin[rows], free=store.free[rows], open=store.open[rows])


def spans_by_class(spans: Spans, *, classes: int) -> SpansByClass:
    """Store the spans of ``classes`` classes, each of which must have at least one span."""
    length = np.bincount(spans.owner, minlength=classes)
    return SpansByClass(store=SpanStore(spans), first=length.cumsum() - length, length=length)
