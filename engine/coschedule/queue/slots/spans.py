"""The resources that are free on the nodes of each class, in each span of time."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spans:
    """Spans of time of several classes: grouped by class, in the order of time within a class.

    Axes: span ``b``, resource ``r``. Span ``b`` belongs to class ``owner[b]``. It begins at ``begin[b]`` and ends where
    the next span of its class begins; the last span of a class never ends. During the span, each node of the class has
    ``free[b, r]`` free, and takes members only if ``open[b]``.
    """

    owner: IntArray
    begin: FloatArray
    free: IntArray
    open: BoolArray

    def take(self, indices: IntArray | slice) -> "Spans":
        """Return the spans at ``indices``, with the same class numbers."""
        return Spans(
            owner=self.owner[indices], begin=self.begin[indices], free=self.free[indices], open=self.open[indices]
        )

    def dated(self) -> "DatedSpans":
        """Number the times at which these spans begin."""
        times, begin = np.unique(self.begin, return_inverse=True)
        return DatedSpans(self, times, begin)


class DatedSpans(NamedTuple):
    """Spans with numbered times: span ``b`` begins at ``times[begin[b]]``; the times rise."""

    spans: Spans
    times: FloatArray
    begin: IntArray
