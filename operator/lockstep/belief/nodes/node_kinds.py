"""The kinds of nodes, and how much longer a gang runs on each, as learned from runs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coschedule import KindFactor, number_kinds, times_on
from lockstep.facts.cluster.node import NodeFact, kind_of_node
from lockstep.facts.past_runs import Learned


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeKinds:
    """The kinds of some nodes.

    ``by_node[n]`` is the number of the kind of node n. ``numbers`` maps the name of each kind to its number.
    """

    by_node: NDArray[np.int64]
    numbers: Mapping[str, int]

    @classmethod
    def of(cls, nodes: Iterable[NodeFact | None]) -> "NodeKinds":
        """The kinds of these nodes, in their order. None stands for a node that is gone and has no kind."""
        by_node, numbers = number_kinds([kind_of_node(node) for node in nodes])
        return cls(by_node=by_node, numbers=numbers)

    def factors(self, learned: Learned | None) -> tuple[KindFactor, ...]:
        """The factors of the existing kinds, if runs have shown that these differ."""
        factors = {} if learned is None else learned.factors
        there = ((self.numbers[name], times) for name, times in factors.items() if name in self.numbers)
        return tuple(KindFactor(kind, times) for kind, times in sorted(there))

    def times(self, learned: Learned | None) -> NDArray[np.float64]:
        """The factor of a gang's run time on each node, by the node's kind: float[n], 1 if none was learned."""
        times: NDArray[np.float64] = times_on(self.factors(learned), self.by_node)
        return times
