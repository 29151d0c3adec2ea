"""Domains of nodes: all nodes with one value of a label."""

from collections.abc import Iterable

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.nodes import NodeTable


class Topology:
    """Numbers the domains of one table of nodes, once per label."""

    def __init__(self, nodes: NodeTable) -> None:
        self._nodes = nodes
        self._domains: dict[str, IntArray] = {}

    def domains(self, key: str) -> IntArray:
        """Tell the domain of each node, -1 where it has no such label: int[n]."""
        if key not in self._domains:
            numbers: dict[str, int] = {}
            values = [labels.get(key) for labels in self._nodes.labels]
            self._domains[key] = np.array(
                [-1 if value is None else numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64
            )
        return self._domains[key]

    def common_domains(self, keys: Iterable[str]) -> IntArray:
        """Number the domains of nodes that agree in several labels, -1 where a node lacks one of them: int[n]."""
        columns = np.stack([self.domains(key) for key in keys])
        _, common = np.unique(columns, axis=1, return_inverse=True)
        common = common.reshape(-1)
        return np.where((columns < 0).any(axis=0), -1, common)


def are_single_nodes(domains: IntArray) -> bool:
    """Tell whether no two nodes share a domain."""
    inside = domains[domains >= 0]
    return len(np.unique(inside)) == len(inside)


def is_within(fine: IntArray, coarse: IntArray) -> bool:
    """Tell whether every domain of ``fine`` is in one domain of ``coarse``, or its nodes are in none of them."""
    inside = fine >= 0
    pairs = np.unique(np.stack([fine[inside], coarse[inside]]), axis=1)
    return len(np.unique(pairs[0])) == len(pairs[0])
