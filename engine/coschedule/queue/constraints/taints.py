"""Which nodes have which taints of the effects NoSchedule and NoExecute."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.constraints.node_sets import NOWHERE, NodeSet
from coschedule.queue.constraints.staying import stays_by_node
from coschedule.queue.constraints.terms import Taint, Toleration
from coschedule.queue.constraints.tolerance import Tolerance

_BLOCKING_EFFECTS = frozenset({"NoSchedule", "NoExecute"})

Taints = tuple[Taint, ...]


class TaintIndex:
    """The taints of the nodes of one table: ``taints[n]``."""

    def __init__(self, taints: Sequence[Taints]) -> None:
        self._taints = taints

    def not_covered(self, tolerance: Tolerance) -> NodeSet:
        """Find the nodes with a taint that the tolerations do not cover."""
        found = NOWHERE
        for taint, nodes in self._nodes.items():
            if not tolerance.covers(taint):
                found |= nodes
        return found

    def by_first(self, tolerance: Tolerance, nodes: BoolArray) -> Mapping[Taint, int]:
        """Count ``nodes``, bool[n], by the first of their taints that is not covered."""
        lists, list_of = self._lists
        counts: Counter[Taint] = Counter()
        for taints, count in zip(lists, np.bincount(list_of[nodes], minlength=len(lists)).tolist(), strict=True):
            if count:
                counts.update(dict.fromkeys(_first_not_covered(taints, tolerance), count))
        return counts

    def stays(self, tolerations: Sequence[Toleration]) -> FloatArray | None:
        """Return how many seconds a pod may stay on each node, float[n]; ``None`` if no node limits the stay."""
        return stays_by_node(*self._lists, tolerations)

    @cached_property
    def _nodes(self) -> Mapping[Taint, NodeSet]:
        nodes: dict[Taint, NodeSet] = {}
        for number, taints in enumerate(self._taints):
            for taint in filter(_blocks, taints):
                nodes[taint] = nodes.get(taint, NOWHERE) | 1 << number
        return nodes

    @cached_property
    def _lists(self) -> tuple[Sequence[Taints], IntArray]:
        """The distinct lists of taints, and the index of the list of each node."""
        indices: dict[Taints, int] = {}
        list_of = [indices.setdefault(taints, len(indices)) for taints in self._taints]
        return tuple(indices), np.array(list_of, dtype=np.int64)


def _blocks(taint: Taint) -> bool:
    return taint.effect in _BLOCKING_EFFECTS


def _first_not_covered(taints: Iterable[Taint], tolerance: Tolerance) -> list[Taint]:
    """Return a list with the first taint that is not covered; an empty list if all taints are covered."""
    return [taint for taint in filter(_blocks, taints) if not tolerance.covers(taint)][:1]
