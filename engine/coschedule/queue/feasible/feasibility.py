"""Which nodes pass a gang's constraints, apart from resources: the filters of kube-scheduler as one mask.

An index of labels gives the set of nodes for each requirement (``labels``). Each distinct taint is checked against the
tolerations once (``tolerance``). So a mask costs a step for each part of the constraints (``Constraints.length``) and
a few steps for each node, not the product of both. A mask is cached while the nodes do not change and some gang has
these constraints.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray
from coschedule.queue.constraints.node_sets import NOWHERE, NodeSet, all_of, as_mask
from coschedule.queue.constraints.phrases import outside_affinity, with_taint, without_label
from coschedule.queue.constraints.terms import Constraints, NodeTerm, Requirement, Taint
from coschedule.queue.constraints.tolerance import Tolerance
from coschedule.queue.problem.nodes import NodeTable

_UNSCHEDULABLE = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
# A node that is not ready has one of these taints, apart from a moment before the taint is added.
_NOT_READY = tuple(Taint(f"node.kubernetes.io/{key}", "", "NoSchedule") for key in ("not-ready", "unreachable"))


# Nodes may all have different taints, so only some are named.
_MOST_TAINTS = 3


class Phrase(StrEnum):
    """Failures that are not about one requirement; the value completes "3 nodes ..."."""

    NOT_READY = "not ready"
    CORDONED = "cordoned"
    OTHER_TAINTS = "with other untolerated taints"
    VOLUMES = "from which its volumes can't be reached"


class _Check(NamedTuple):
    """The nodes that pass; ``by_phrase`` counts failing nodes by phrase."""

    passing: NodeSet
    by_phrase: Callable[[NodeSet], Mapping[str, int]]


class Feasibility:
    """Decides which nodes of one table pass; results are computed once for each distinct constraints."""

    def __init__(self, nodes: NodeTable) -> None:
        self._nodes = nodes
        self._answers = nodes.answers
        self._count = len(nodes.names)
        self._everywhere = all_of(self._count)
        self._by_object: dict[int, tuple[Constraints, BoolArray]] = {}
        self._masks: dict[NodeSet, BoolArray] = {}
        self._stays: dict[int, tuple[Constraints, FloatArray | None]] = {}
        self._failures: dict[Constraints, Mapping[str, int]] = {}

    def mask(self, constraints: Constraints) -> BoolArray:
        """Return whether each node passes: bool[n]. Constraints with the same passing nodes share one array."""
        # Comparing long constraints is slow, and most calls are for the same object.
        known = self._by_object.get(id(constraints))
        if known is None:
            known = self._by_object[id(constraints)] = constraints, self._as_mask(self._passing(constraints))
        return known[1]

    def stays(self, constraints: Constraints) -> FloatArray | None:
        """Return how many seconds from its start a run may be on each node: float[n]; ``None`` without a limit."""
        known = self._stays.get(id(constraints))
        if known is None:
            stays = self._answers.taints.stays(constraints.tolerations)
            known = self._stays[id(constraints)] = constraints, stays
        return known[1]

    def limits(self, constraints: Constraints) -> Iterator[BoolArray]:
        """List, for each distinct limit from the shortest on, the nodes on which a run may stay that long: bool[n].

        The last entry has the nodes without a limit. Nothing is listed if no node has a limit.
        """
        stays = self.stays(constraints)
        if stays is not None:
            yield from (stays >= limit for limit in np.unique(stays[stays < np.inf]).tolist())
            yield stays == np.inf

    def failures(self, constraints: Constraints) -> Mapping[str, int]:
        """Count the nodes by the first requirement that each fails, as a phrase that completes "3 nodes ...".

        Phrases are in the order of the checks. A node with taints counts for its first taint that is not tolerated.
        Equal constraints share one result, which has no more phrases than there are nodes.
        """
        if constraints not in self._failures:
            self._failures[constraints] = self._counted(constraints)
        return self._failures[constraints]

    def _as_mask(self, nodes: NodeSet) -> BoolArray:
        if nodes not in self._masks:
            self._masks[nodes] = as_mask(nodes, self._count)
        return self._masks[nodes]

    def _passing(self, constraints: Constraints) -> NodeSet:
        passing = self._answers.passing.get(constraints)
        if passing is None:
            passing = self._answers.passing[constraints] = self._computed(constraints)
        return passing

    def _computed(self, constraints: Constraints) -> NodeSet:
        left = self._everywhere
        for check in self._checks(constraints):
            left &= check.passing
            if not left:
                break
        return left

    def _counted(self, constraints: Constraints) -> Mapping[str, int]:
        counts: Counter[str] = Counter()
        left = self._everywhere
        for check in self._checks(constraints):
            failing = left & ~check.passing
            if failing:
                counts.update(check.by_phrase(failing))
                left ^= failing
            if not left:
                break
        return counts

    def _checks(self, constraints: Constraints) -> Iterator[_Check]:
        tolerance = Tolerance(constraints.tolerations)
        if not any(map(tolerance.covers, _NOT_READY)):
            yield _Check(self._answers.ready, _all_as(lambda: Phrase.NOT_READY))
        if not tolerance.covers(_UNSCHEDULABLE):
            yield _Check(self._everywhere ^ self._answers.unschedulable, _all_as(lambda: Phrase.CORDONED))
        not_covered = self._answers.taints.not_covered(tolerance)
        yield _Check(self._everywhere ^ not_covered, partial(self._by_taint, tolerance))
        for key, wanted in constraints.node_selector:
            yield self._has_label(Requirement(key, "In", (wanted,)))
        if constraints.affinity is not None:
            yield from self._matches(constraints.affinity)
        for terms in constraints.volumes:
            yield _Check(self._any_term(terms), _all_as(lambda: Phrase.VOLUMES))
        for phrase, names in constraints.barred:
            yield _Check(self._everywhere ^ self._named(names), _all_as(partial(str, phrase)))

    def _named(self, names: Iterable[str]) -> NodeSet:
        found, index = NOWHERE, self._answers.index
        for name in names:
            if name in index:
                found |= 1 << index[name]
        return found

    def _by_taint(self, tolerance: Tolerance, failing: NodeSet) -> Mapping[str, int]:
        """Count the nodes by their first untolerated taint; only the most frequent taints are named."""
        taints = self._answers.taints.by_first(tolerance, as_mask(failing, self._count))
        ordered = sorted(taints.items(), key=lambda item: (-item[1], item[0]))
        named: Counter[str] = Counter()
        for number, (taint, count) in enumerate(ordered):
            named[with_taint(taint) if number < _MOST_TAINTS else Phrase.OTHER_TAINTS] += count
        return named

    def _has_label(self, requirement: Requirement) -> _Check:
        return _Check(self._answers.labels.matching(requirement), _all_as(partial(without_label, requirement)))

    def _matches(self, affinity: tuple[NodeTerm, ...]) -> Iterator[_Check]:
        """Check a single term requirement by requirement; several alternatives only as a whole."""
        if len(affinity) != 1 or affinity[0].fields or not affinity[0].labels:
            yield _Check(self._any_term(affinity), _all_as(partial(outside_affinity, affinity)))
            return
        for requirement in affinity[0].labels:
            yield self._has_label(requirement)

    def _any_term(self, terms: tuple[NodeTerm, ...]) -> NodeSet:
        found = NOWHERE
        for term in terms:
            found |= self._term(term)
            if found == self._everywhere:
                break
        return found

    def _term(self, term: NodeTerm) -> NodeSet:
        """Return the nodes that match one term; an empty term matches none."""
        found = self._everywhere if term.labels or term.fields else NOWHERE
        for requirement in term.labels:
            if not found:
                break
            found &= self._answers.labels.matching(requirement)
        for requirement in term.fields if found else ():
            found &= self._by_field(requirement)
        return found

    def _by_field(self, requirement: Requirement) -> NodeSet:
        """Return the nodes that match a requirement on ``metadata.name``; other fields are empty, as in Kubernetes."""
        operator, values = requirement.operator, requirement.values
        if operator not in ("In", "NotIn") or len(values) != 1:
            return NOWHERE
        same = self._named(values) if requirement.key == "metadata.name" else self._same_as_empty(values[0])
        return same if operator == "In" else self._everywhere ^ same

    def _same_as_empty(self, value: str) -> NodeSet:
        return NOWHERE if value else self._everywhere


def _all_as(phrase: Callable[[], str]) -> Callable[[NodeSet], Mapping[str, int]]:
    return lambda failing: {phrase(): failing.bit_count()}
