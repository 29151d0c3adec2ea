"""What is free on the nodes of each class, span of time by span of time."""

from dataclasses import dataclass

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spans:
    """Spans of time of several classes: grouped by class, in the order of time within a class.

    Axes: span ``b``, resource ``r``. Span ``b`` belongs to class ``owner[b]``. It lasts from ``begin[b]`` to the begin
    of the next span of its class; the last span of a class never ends. During the span, each node of the class has
    ``free[b, r]`` free, and takes members only if ``open[b]``.
    """

    owner: IntArray
    begin: FloatArray
    free: IntArray
    open: BoolArray

    def take(self, indices: IntArray | slice) -> "Spans":
        """Select spans."""
        return Spans(
            owner=self.owner[indices], begin=self.begin[indices], free=self.free[indices], open=self.open[indices]
        )

    def without(self, classes: IntArray) -> "Spans":
        """Leave out the spans of some classes, which rise; the others are numbered anew, in their order."""
        return self.replaced(classes, self.take(np.zeros(0, dtype=np.int64)))

    def replaced(self, classes: IntArray, others: "Spans") -> "Spans":
        """Leave out the spans of some classes, and put those of ``others`` behind, which are numbered as they are."""
        begins = np.append(0, np.searchsorted(self.owner, classes, side="right")).tolist()
        ends = np.append(np.searchsorted(self.owner, classes), len(self.owner)).tolist()
        # What is left are long runs, which are copied faster than span by span.
        runs = [slice(begin, end) for begin, end in zip(begins, ends, strict=True)]
        owners = [self.owner[run] - before for before, run in enumerate(runs)]
        return Spans(
            owner=np.concatenate([*owners, others.owner]),
            begin=np.concatenate([*(self.begin[run] for run in runs), others.begin]),
            free=np.concatenate([*(self.free[run] for run in runs), others.free]),
            open=np.concatenate([*(self.open[run] for run in runs), others.open]),
        )

    def of(self, classes: IntArray) -> tuple[IntArray, IntArray]:
        """List the spans of classes, which may repeat: index of each, and of the entry of ``classes`` it is for."""
        first = np.searchsorted(self.owner, classes, side="left")
        lengths = np.searchsorted(self.owner, classes, side="right") - first
        offset = np.cumsum(lengths) - lengths
        source = np.arange(int(lengths.sum())) + np.repeat(first - offset, lengths)
        return source, np.repeat(np.arange(len(classes)), lengths)
