"""The resources that are free on each node from now on, by classes of equal nodes.

A class is the nodes with the same slow-down, the same answers to all constraints and the same free resources at all
times. Its future is a row of spans of time in which nothing changes. A claim takes resources from some nodes for some
time. It splits a class if it takes only some of its nodes. Timelines are values: a claim makes a new one.

Nodes are numbered by rank: fastest first, then in the order of their names.

Example: nodes a and b are alike and always have 4 CPUs free: one class of width 2 with one span. A claim of 1 CPU on a,
from 10 to 20, leaves two classes of width 1: b with its one span, and a with three spans of 4, 3 and 4 free CPUs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.slots.claims import Claim, cut, group_nodes, taken_together
from coschedule.queue.slots.segments import is_last
from coschedule.queue.slots.spans import Spans
from coschedule.queue.slots.spans_by_class import SpansByClass
from coschedule.queue.slots.stretches import Stretches

Asked = tuple[bytes, bytes]
"""The request of a member, and the nodes it may run on."""


def no_kinds() -> IntArray:
    """Return an empty array: nodes without kinds."""
    return np.zeros(0, dtype=np.int64)


class KeptStretches(NamedTuple):
    """The stretches of classes with these stamps."""

    stamp: IntArray
    stretches: Stretches


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Timeline:
    """The resources that are free from now on. Axes: rank ``k`` of a node, class ``c``.

    ``node[k]`` is the index of the node in the snapshot, ``class_of[k]`` its class. ``pace[c]`` is the index of the
    class's slow-down in ``slowdowns``, which rise. ``width[c]`` is its number of nodes, at least one. ``example[c]`` is
    the snapshot index of a node with the same answers to all constraints.

    ``stamp[c]`` rises and is below ``stamps``. It is unique among all classes of this timeline and of the timelines
    that it was made from by claims. ``kept`` has stretches that were found on one of these timelines, by request; see
    ``stretches_for``.

    ``safer`` are copies on which nodes are also closed while their owners are likely to come back. Each copy allows a
    higher risk than the copy before it (``owners.safer``). All claims are made on these copies too.

    ``kinds[n]`` is the kind of each node by snapshot index. It is empty if ``slowdowns`` already have a gang's factors.
    """

    now: float
    slowdowns: FloatArray
    node: IntArray
    class_of: IntArray
    pace: IntArray
    width: IntArray
    example: IntArray
    spans_of: SpansByClass
    stamp: IntArray
    stamps: int
    kept: dict[Asked, KeptStretches] = field(default_factory=dict)
    safer: tuple["Timeline", ...] = ()
    kinds: IntArray = field(default_factory=no_kinds)

    @property
    def spans(self) -> Spans:
        """The spans of all classes, copied on the first access."""
        return self.spans_of.flat

    def claimed(self, claim: Claim) -> "Timeline":
        """Return the timeline after ``claim``. Taking more than is free leaves a negative amount."""
        return self.claimed_all([claim])

    def claimed_all(self, claims: Sequence[Claim]) -> "Timeline":
        """Return the timeline after all of the claims, as if they were made one after the other."""
        if not claims:
            return self
        groups = group_nodes(self.class_of, claims)
        width = self.width.copy()
        np.subtract.at(width, groups.parent, groups.width)
        left = np.flatnonzero(width)
        parents = np.concatenate([left, groups.parent])
        class_of = (np.cumsum(width > 0) - 1)[self.class_of]
        class_of[groups.ranks] = len(left) + groups.group_of
        spans = cut(self.spans_of.of(groups.parent), groups, claims)
        return replace(
            self,
            class_of=class_of,
            pace=self.pace[parents],
            width=np.concatenate([width[left], groups.width]),
            example=self.example[parents],
            spans_of=self.spans_of.only(left).then(spans, classes=len(groups.parent)),
            stamp=np.concatenate([self.stamp[left], np.arange(self.stamps, self.stamps + len(groups.parent))]),
            stamps=self.stamps + len(groups.parent),
            kept=self.kept.copy(),
            safer=tuple(one.claimed_all(claims) for one in self.safer),
        )

    def has_room_for(self, claim: Claim) -> bool:
        """Return whether the nodes of ``claim`` are open and have enough free, from its start to its finish."""
        return self.has_room_for_all([claim])

    def has_room_for_all(self, claims: Sequence[Claim]) -> bool:
        """Return whether there is room for several claims together, which must have the same start and finish."""
        ranks, taken, wanted = taken_together(claims)
        spans = self.spans_of.of(self.class_of[ranks])
        during = (spans.begin < claims[0].finish) & (_ends(spans) > claims[0].start)
        owner = spans.owner[during]
        has_room = (spans.free[during] >= taken[owner]) | ~wanted[owner]
        return bool(spans.open[during].all() and has_room.all())

    def crowded(self, claims: Sequence[Claim]) -> list[bool]:
        """Return which of these claims, all already made, are on nodes that are closed or overcommitted meanwhile."""
        return [
            may_be and not self.has_room_for(replace(claim, counts=np.zeros_like(claim.counts)))
            for claim, may_be in zip(claims, self._may_be_crowded(claims), strict=True)
        ]

    def _may_be_crowded(self, claims: Sequence[Claim]) -> list[bool]:
        """Return which claims overlap the time from the first to the last crowded span of one of their nodes."""
        if not claims:
            return []
        classes = self.class_of[np.concatenate([claim.ranks for claim in claims])]
        index = np.repeat(np.arange(len(claims)), [len(claim.ranks) for claim in claims])
        start, finish = np.array([(claim.start, claim.finish) for claim in claims]).T
        first, last = self._crowded_times()
        may_be = np.zeros(len(claims), dtype=np.bool_)
        may_be[index[(first[classes] < finish[index]) & (last[classes] > start[index])]] = True
        found: list[bool] = may_be.tolist()
        return found

    def _crowded_times(self) -> tuple[FloatArray, FloatArray]:
        """Return the begin of the first closed or overcommitted span of each class, and the end of the last one.

        They are inf and -inf for a class without such spans.
        """
        spans, classes = self.spans, len(self.width)
        crowded = np.flatnonzero(~spans.open | (spans.free < 0).any(axis=1))
        first, last = np.full(classes, np.inf), np.full(classes, -np.inf)
        np.minimum.at(first, spans.owner[crowded], spans.begin[crowded])
        np.maximum.at(last, spans.owner[crowded], _ends(spans)[crowded])
        return first, last

    def divided(self, by: IntArray) -> "Timeline":
        """Return the timeline with classes in which all nodes also agree in ``by``, int[k]; without ``safer``."""
        kinds, kind = np.unique(by, return_inverse=True)
        parts, class_of = np.unique(self.class_of * len(kinds) + kind, return_inverse=True)
        parents = parts // max(1, len(kinds))
        return replace(
            self,
            class_of=class_of,
            pace=self.pace[parents],
            width=np.bincount(class_of, minlength=len(parents)),
            example=self.example[parents],
            spans_of=self.spans_of.only(parents),
            stamp=np.arange(len(parents)),
            stamps=len(parents),
            kept={},
            safer=(),
        )

    def of_ranks(self, ranks: IntArray) -> "Timeline":
        """Return the timeline of the nodes of these ranks, which rise, with new ranks; without ``safer``.

        The time of this call depends only on the number of these nodes.
        """
        classes, class_of = np.unique(self.class_of[ranks], return_inverse=True)
        paces, pace = np.unique(self.pace[classes], return_inverse=True)
        return replace(
            self,
            slowdowns=self.slowdowns[paces],
            node=self.node[ranks],
            class_of=class_of,
            pace=pace,
            width=np.bincount(class_of, minlength=len(classes)),
            example=self.example[classes],
            spans_of=self.spans_of.only(classes),
            stamp=self.stamp[classes],
            kept={},
            safer=(),
        )


def _ends(spans: Spans) -> FloatArray:
    """Return the end of each span: the begin of the next span of its class, or inf for the last span of a class."""
    return np.where(is_last(spans.owner), np.inf, np.append(spans.begin[1:], np.inf)[: len(spans.begin)])
