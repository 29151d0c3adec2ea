"""Which nodes pass a gang's constraints, resources aside: the filters of kube-scheduler as one mask.

The same questions are asked of thousands of nodes that differ little. So each question is asked once per distinct
value: a requirement once per distinct value of its label, tolerations once per distinct list of taints.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.constraints.phrases import outside_affinity, with_taint, without_label
from coschedule.queue.constraints.requirements import field_test, label_test, tolerates
from coschedule.queue.constraints.staying import stays_by_node
from coschedule.queue.constraints.terms import Constraints, NodeTerm, Requirement, Taint, Toleration
from coschedule.queue.nodes import NodeTable

_Value = TypeVar("_Value")

_BLOCKING_EFFECTS = frozenset({"NoSchedule", "NoExecute"})
_UNSCHEDULABLE = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
# One of these is on a node that is not ready, but for the moment in which the node has not got it yet.
_NOT_READY = tuple(Taint(f"node.kubernetes.io/{key}", "", "NoSchedule") for key in ("not-ready", "unreachable"))


# Nodes may have a taint each: so many are named.
_MOST_TAINTS = 3


class Phrase(StrEnum):
    """What a node can fail without a name of its own; the value completes "3 nodes ..."."""

    NOT_READY = "not ready"
    CORDONED = "cordoned"
    OTHER_TAINTS = "with other untolerated taints"
    VOLUMES = "from which its volumes can't be reached"


class _Check(NamedTuple):
    """Which nodes pass, bool[n]; ``in_words`` counts those that fail, bool[n], by phrase."""

    passing: BoolArray
    in_words: Callable[[BoolArray], Mapping[str, int]]


class Feasibility:
    """Tells which nodes of one table pass; answers are computed once per distinct constraint."""

    def __init__(self, nodes: NodeTable) -> None:
        self._nodes = nodes
        self._count = len(nodes.names)
        self._taint_lists, self._taint_list_of = _distinct(nodes.taints)
        self._columns: dict[str, tuple[list[str | None], IntArray]] = {}
        self._index = nodes.index
        self._by_tolerations: dict[tuple[Toleration, ...], _Check] = {}
        self._stays: dict[tuple[Toleration, ...], FloatArray | None] = {}
        self._masks: dict[Constraints, BoolArray] = {}
        self._failures: dict[Constraints, Mapping[str, int]] = {}

    def mask(self, constraints: Constraints) -> BoolArray:
        """Tell of each node whether it passes: bool[n]. Equal constraints share one array."""
        mask = self._masks.get(constraints)
        if mask is None:
            mask = self._masks[constraints] = self._passes(constraints)
        return mask

    def stays(self, constraints: Constraints) -> FloatArray | None:
        """Return for how many seconds from its start a run may be on each node: float[n]; ``None`` without a limit."""
        tolerations = constraints.tolerations
        if tolerations not in self._stays:
            self._stays[tolerations] = stays_by_node(self._taint_lists, self._taint_list_of, tolerations)
        return self._stays[tolerations]

    def answers(self, constraints: Constraints) -> Iterator[BoolArray]:
        """List all in which nodes differ for these constraints: whether they pass, and how long a run may be there."""
        yield self.mask(constraints)
        stays = self.stays(constraints)
        if stays is not None:
            yield from (stays >= limit for limit in np.unique(stays[stays < np.inf]).tolist())
            yield stays == np.inf

    def failures(self, constraints: Constraints) -> Mapping[str, int]:
        """Count the nodes by the first requirement that each of them fails, by a phrase that completes "3 nodes ...".

        In the order of asking; of the taints of a node, the first one that is not tolerated counts. Equal constraints
        share one answer, which has a few phrases more than there are requirements at most.
        """
        if constraints not in self._failures:
            self._failures[constraints] = self._counted(constraints)
        return self._failures[constraints]

    def _counted(self, constraints: Constraints) -> Mapping[str, int]:
        counts: Counter[str] = Counter()
        left = np.ones(self._count, dtype=np.bool_)
        for check in self._checks(constraints):
            failing = left & ~check.passing
            if failing.any():
                counts.update(check.in_words(failing))
            left &= check.passing
        return counts

    def _passes(self, constraints: Constraints) -> BoolArray:
        passes = np.ones(self._count, dtype=np.bool_)
        for check in self._checks(constraints):
            passes &= check.passing
        return passes

    def _checks(self, constraints: Constraints) -> Iterator[_Check]:
        if not any(tolerates_any(constraints.tolerations, taint) for taint in _NOT_READY):
            yield _Check(self._nodes.ready, _all_as(Phrase.NOT_READY))
        if not tolerates_any(constraints.tolerations, _UNSCHEDULABLE):
            yield _Check(~self._nodes.unschedulable, _all_as(Phrase.CORDONED))
        yield self._tolerated(constraints.tolerations)
        for key, wanted in constraints.node_selector:
            yield self._has_label(Requirement(key, "In", (wanted,)))
        if constraints.affinity is not None:
            yield from self._matches(constraints.affinity)
        for terms in constraints.volumes:
            yield _Check(self._any_term(terms), _all_as(Phrase.VOLUMES))
        for phrase, names in constraints.barred:
            yield _Check(self._none_of(names), _all_as(phrase))

    def _none_of(self, names: frozenset[str]) -> BoolArray:
        passing = np.ones(self._count, dtype=np.bool_)
        passing[[self._index[name] for name in names if name in self._index]] = False
        return passing

    def _tolerated(self, tolerations: tuple[Toleration, ...]) -> _Check:
        if tolerations not in self._by_tolerations:
            self._by_tolerations[tolerations] = self._ask_taints(tolerations)
        return self._by_tolerations[tolerations]

    def _ask_taints(self, tolerations: tuple[Toleration, ...]) -> _Check:
        kept_off = [_first_untolerated(taints, tolerations) for taints in self._taint_lists]
        by_list = np.array([taint is None for taint in kept_off], dtype=np.bool_)
        return _Check(by_list[self._taint_list_of], partial(self._by_taint, kept_off))

    def _by_taint(self, kept_off: list[Taint | None], failing: BoolArray) -> Mapping[str, int]:
        """Count by the taint that keeps members off each of the lists: the most frequent by name."""
        by_list = np.bincount(self._taint_list_of[failing], minlength=len(kept_off)).tolist()
        taints: Counter[Taint] = Counter()
        for taint, count in zip(kept_off, by_list, strict=True):
            if taint is not None and count:
                taints[taint] += count
        ordered = sorted(taints.items(), key=lambda item: (-item[1], item[0]))
        named: Counter[str] = Counter()
        for number, (taint, count) in enumerate(ordered):
            named[with_taint(taint) if number < _MOST_TAINTS else Phrase.OTHER_TAINTS] += count
        return named

    def _has_label(self, requirement: Requirement) -> _Check:
        return _Check(self._by_label(requirement), _all_as(without_label(requirement)))

    def _matches(self, affinity: tuple[NodeTerm, ...]) -> Iterator[_Check]:
        """Ask a single term requirement by requirement; of several, nobody knows which one was to match."""
        if len(affinity) != 1 or affinity[0].fields or not affinity[0].labels:
            yield _Check(self._any_term(affinity), _all_as(outside_affinity(affinity)))
            return
        for requirement in affinity[0].labels:
            yield self._has_label(requirement)

    def _any_term(self, terms: tuple[NodeTerm, ...]) -> BoolArray:
        matches = np.zeros(self._count, dtype=np.bool_)
        for term in terms:
            matches |= self._term(term)
        return matches

    def _term(self, term: NodeTerm) -> BoolArray:
        """Match one term; without requirements it matches nothing."""
        matches = np.full(self._count, bool(term.labels or term.fields))
        for requirement in term.labels:
            matches &= self._by_label(requirement)
        for requirement in term.fields:
            matches &= self._by_field(requirement)
        return matches

    def _by_label(self, requirement: Requirement) -> BoolArray:
        key, test = requirement.key, label_test(requirement)
        if key not in self._columns:
            self._columns[key] = _distinct(labels.get(key) for labels in self._nodes.labels)
        values, value_of = self._columns[key]
        return np.array([test(value) for value in values], dtype=np.bool_)[value_of]

    def _by_field(self, requirement: Requirement) -> BoolArray:
        """Test the one field nodes have; any other reads as empty, as in Kubernetes."""
        test = field_test(requirement)
        if requirement.key != "metadata.name":
            return np.full(self._count, test(""), dtype=np.bool_)
        return np.array([test(name) for name in self._nodes.names], dtype=np.bool_)


def tolerates_any(tolerations: Iterable[Toleration], taint: Taint) -> bool:
    """Whether one of the tolerations covers a taint."""
    return any(tolerates(toleration, taint) for toleration in tolerations)


def _first_untolerated(taints: Iterable[Taint], tolerations: tuple[Toleration, ...]) -> Taint | None:
    blocking = (taint for taint in taints if taint.effect in _BLOCKING_EFFECTS)
    return next((taint for taint in blocking if not tolerates_any(tolerations, taint)), None)


def _all_as(phrase: str) -> Callable[[BoolArray], Mapping[str, int]]:
    return lambda failing: {phrase: int(failing.sum())}


def _distinct(values: Iterable[_Value]) -> tuple[list[_Value], IntArray]:
    """List the distinct values, and for every value its index in that list."""
    indices: dict[_Value, int] = {}
    index_of = [indices.setdefault(value, len(indices)) for value in values]
    return list(indices), np.array(index_of, dtype=np.int64)
