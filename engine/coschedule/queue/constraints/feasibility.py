"""Which nodes pass a gang's constraints, resources aside: the filters of kube-scheduler as one mask.

The same questions are asked of thousands of nodes that differ little. So each question is asked once per distinct
value: a requirement once per distinct value of its label, tolerations once per distinct list of taints.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import TypeVar

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray
from coschedule.queue.constraints.requirements import field_test, label_test, tolerates
from coschedule.queue.constraints.terms import Constraints, NodeTerm, Requirement, Taint, Toleration
from coschedule.queue.nodes import NodeTable

_Value = TypeVar("_Value")

_BLOCKING_EFFECTS = frozenset({"NoSchedule", "NoExecute"})
_UNSCHEDULABLE = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
# One of these is on a node that is not ready, but for the moment in which the node has not got it yet.
_NOT_READY = tuple(Taint(f"node.kubernetes.io/{key}", "", "NoSchedule") for key in ("not-ready", "unreachable"))


class Check(StrEnum):
    """What a node can fail, in the order of asking; the value completes "3 nodes ..."."""

    READY = "not ready"
    SCHEDULABLE = "cordoned"
    TAINTS = "with a taint it does not tolerate"
    SELECTOR = "without a label it selects"
    AFFINITY = "outside its affinity"
    VOLUMES = "from which its volumes can't be reached"


class Feasibility:
    """Tells which nodes of one table pass; answers are computed once per distinct constraint."""

    def __init__(self, nodes: NodeTable) -> None:
        self._nodes = nodes
        self._count = len(nodes.names)
        self._taint_lists, self._taint_list_of = _distinct(nodes.taints)
        self._columns: dict[str, tuple[list[str | None], IntArray]] = {}
        self._masks: dict[Constraints, BoolArray] = {}

    def mask(self, constraints: Constraints) -> BoolArray:
        """Tell of each node whether it passes: bool[n]. Equal constraints share one array."""
        if constraints not in self._masks:
            passes = np.ones(self._count, dtype=np.bool_)
            for _, passing in self._checks(constraints):
                passes &= passing
            self._masks[constraints] = passes
        return self._masks[constraints]

    def failures(self, constraints: Constraints) -> Mapping[str, int]:
        """Count the nodes that fail by the first check that each of them fails; a check completes "3 nodes ..."."""
        counts: dict[str, int] = {}
        left = np.ones(self._count, dtype=np.bool_)
        for check, passing in self._checks(constraints):
            failing = int((left & ~passing).sum())
            if failing:
                counts[check] = counts.get(check, 0) + failing
            left &= passing
        return counts

    def _checks(self, constraints: Constraints) -> Iterator[tuple[str, BoolArray]]:
        if not any(tolerates_any(constraints.tolerations, taint) for taint in _NOT_READY):
            yield Check.READY, self._nodes.ready
        if not tolerates_any(constraints.tolerations, _UNSCHEDULABLE):
            yield Check.SCHEDULABLE, ~self._nodes.unschedulable
        yield Check.TAINTS, self._tolerated(constraints.tolerations)
        for key, wanted in constraints.node_selector:
            yield Check.SELECTOR, self._by_label(Requirement(key, "In", (wanted,)))
        if constraints.affinity is not None:
            yield Check.AFFINITY, self._any_term(constraints.affinity)
        for terms in constraints.volumes:
            yield Check.VOLUMES, self._any_term(terms)
        for phrase, names in constraints.barred:
            yield phrase, np.array([name not in names for name in self._nodes.names], dtype=np.bool_)

    def _tolerated(self, tolerations: tuple[Toleration, ...]) -> BoolArray:
        by_list = [
            all(taint.effect not in _BLOCKING_EFFECTS or tolerates_any(tolerations, taint) for taint in taints)
            for taints in self._taint_lists
        ]
        return np.array(by_list, dtype=np.bool_)[self._taint_list_of]

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


def _distinct(values: Iterable[_Value]) -> tuple[list[_Value], IntArray]:
    """List the distinct values, and for every value its index in that list."""
    indices: dict[_Value, int] = {}
    index_of = [indices.setdefault(value, len(indices)) for value in values]
    return list(indices), np.array(index_of, dtype=np.int64)
