"""What is free on every node from now on, for classes of equal nodes.

Nodes with the same slow-down, the same answers to every constraint and the same free resources at every instant form a
class. The future of a class is a row of spans of time in which nothing changes. A claim takes resources from some nodes
for some time. It splits a class when it takes only some of its nodes. Timelines are values: a claim makes a new one.

Nodes are numbered by rank here: fastest first, then in the order of their names.

Example: nodes a and b are alike and have 4 CPUs free for ever: one class of width 2 with one span. A claim of 1 CPU on
a, from 10 to 20, leaves two classes of width 1: b with its one span, and a with three, free 4, 3 and 4 CPUs.
"""

from dataclasses import dataclass, replace

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.slots.segments import is_last


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

    def take(self, indices: IntArray) -> "Spans":
        """Select spans."""
        return Spans(
            owner=self.owner[indices], begin=self.begin[indices], free=self.free[indices], open=self.open[indices]
        )

    def then(self, others: "Spans") -> "Spans":
        """Append the spans of further classes."""
        return Spans(
            owner=np.concatenate([self.owner, others.owner]),
            begin=np.concatenate([self.begin, others.begin]),
            free=np.concatenate([self.free, others.free]),
            open=np.concatenate([self.open, others.open]),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Claim:
    """``counts[i]`` members that each take ``request[r]`` on the node of rank ``ranks[i]``, from start to finish.

    The ranks are distinct, and ``finish`` may be inf. With ``closes``, these nodes take no other members meanwhile.
    """

    ranks: IntArray
    counts: IntArray
    request: IntArray
    start: float
    finish: float
    closes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Timeline:
    """Axes: rank ``k`` of a node, class ``c``.

    ``node[k]`` is the node's index in the snapshot and ``class_of[k]`` its class. ``pace[c]`` is the index of the
    class's slow-down in ``slowdowns``, which rise; ``width[c]`` how many nodes it has, one at least; ``example[c]`` the
    index in the snapshot of a node that answers every constraint as its own nodes do.
    """

    now: float
    slowdowns: FloatArray
    node: IntArray
    class_of: IntArray
    pace: IntArray
    width: IntArray
    example: IntArray
    spans: Spans

    def claimed(self, claim: Claim) -> "Timeline":
        """Return the timeline after ``claim``. Taking more than is free leaves a negative amount."""
        parents, counts, group_of = _groups(self.class_of[claim.ranks], claim.counts)
        class_of = self.class_of.copy()
        class_of[claim.ranks] = len(self.width) + group_of
        taken = np.bincount(group_of)
        width = np.concatenate([self.width, taken])
        np.subtract.at(width, parents, taken)
        split = Timeline(
            now=self.now,
            slowdowns=self.slowdowns,
            node=self.node,
            class_of=class_of,
            pace=np.concatenate([self.pace, self.pace[parents]]),
            width=width,
            example=np.concatenate([self.example, self.example[parents]]),
            spans=self.spans.then(_cut(self.spans, parents, counts, claim, len(self.width))),
        )
        return split.without_empty_classes()

    def has_room_for(self, claim: Claim) -> bool:
        """Tell whether the nodes of ``claim`` are open, and have what it takes, from its start to its finish."""
        parents, counts, _ = _groups(self.class_of[claim.ranks], claim.counts)
        source, group = _spans_of(self.spans.owner, parents)
        begin = self.spans.begin[source]
        end = np.where(is_last(group), np.inf, np.append(begin[1:], np.inf)[: len(begin)])
        during = (begin < claim.finish) & (end > claim.start)
        spans, needed = source[during], counts[group[during], np.newaxis] * claim.request
        wanted = claim.request > 0
        has_room = (self.spans.free[spans] >= needed)[:, wanted].all()
        return bool(self.spans.open[spans].all() and has_room)

    def divided(self, by: IntArray) -> "Timeline":
        """Return the same timeline with classes in which all nodes also agree in ``by``, int[k]."""
        (parents, _), inverse = np.unique(np.stack([self.class_of, by]), axis=1, return_inverse=True)
        class_of = inverse.reshape(-1)
        source, owner = _spans_of(self.spans.owner, parents)
        return replace(
            self,
            class_of=class_of,
            pace=self.pace[parents],
            width=np.bincount(class_of, minlength=len(parents)),
            example=self.example[parents],
            spans=replace(self.spans.take(source), owner=owner),
        )

    def only(self, kept: BoolArray) -> "Timeline":
        """Return the timeline of the nodes for which ``kept``, bool[k], is True; they are ranked anew."""
        class_of = self.class_of[kept]
        width = np.bincount(class_of, minlength=len(self.width))
        rest = replace(self, node=self.node[kept], class_of=class_of, width=width).without_empty_classes()
        paces, pace = np.unique(rest.pace, return_inverse=True)
        return replace(rest, slowdowns=rest.slowdowns[paces], pace=pace)

    def without_empty_classes(self) -> "Timeline":
        """Return the timeline without the classes that have no nodes."""
        kept = self.width > 0
        if kept.all():
            return self
        renumbered = np.cumsum(kept) - 1
        spans = self.spans.take(np.flatnonzero(kept[self.spans.owner]))
        return replace(
            self,
            class_of=renumbered[self.class_of],
            pace=self.pace[kept],
            width=self.width[kept],
            example=self.example[kept],
            spans=replace(spans, owner=renumbered[spans.owner]),
        )


def _groups(classes: IntArray, counts: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Group nodes by class and count; return class and count of every group, and the group of every node."""
    base = int(counts.max()) + 1
    groups, group_of = np.unique(classes * base + counts, return_inverse=True)
    return groups // base, groups % base, group_of


def _cut(spans: Spans, parents: IntArray, counts: IntArray, claim: Claim, first_class: int) -> Spans:
    """Copy the spans of each group's parent class, cut where the claim begins and ends, less what it takes."""
    source, group = _spans_of(spans.owner, parents)
    source, group, begin = _with_cut(source, group, spans.begin[source], claim.start)
    if claim.finish < np.inf:
        source, group, begin = _with_cut(source, group, begin, claim.finish)
    free = spans.free[source]
    during = np.flatnonzero((begin >= claim.start) & (begin < claim.finish))
    free[during] -= counts[group[during], np.newaxis] * claim.request
    is_open = spans.open[source]
    is_open[during] &= not claim.closes
    return Spans(owner=first_class + group, begin=begin, free=free, open=is_open)


def _spans_of(owner: IntArray, classes: IntArray) -> tuple[IntArray, IntArray]:
    """List the spans of classes, which may repeat: index of each span, and of the entry of ``classes`` it is for."""
    first = np.searchsorted(owner, classes, side="left")
    lengths = np.searchsorted(owner, classes, side="right") - first
    offset = np.cumsum(lengths) - lengths
    source = np.arange(int(lengths.sum())) + np.repeat(first - offset, lengths)
    return source, np.repeat(np.arange(len(classes)), lengths)


def _with_cut(
    source: IntArray, group: IntArray, begin: FloatArray, time: float
) -> tuple[IntArray, IntArray, FloatArray]:
    """Make a span of every group begin at ``time``, by splitting the span that is going on then."""
    ends_later = is_last(group) | (np.append(begin[1:], np.inf) > time)
    going_on = np.flatnonzero((begin <= time) & ends_later)
    split = going_on[begin[going_on] < time]
    after = split + 1
    return (
        np.insert(source, after, source[split]),
        np.insert(group, after, group[split]),
        np.insert(begin, after, time),
    )
