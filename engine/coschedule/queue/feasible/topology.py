"""Topology domains: a domain is all nodes with one value of a label."""

from collections.abc import Hashable, Iterable

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.problem.nodes import NodeTable
from coschedule.queue.problem.terms import Term


class Topology:
    """Numbers the domains of one table of nodes, once per label.

    Labels with the same domains share one array, and so do all labels that no node has. So the memory is bounded by the
    labels of nodes, however many labels gangs name.
    """

    def __init__(self, nodes: NodeTable) -> None:
        self._nodes = nodes
        self._domains: dict[str, IntArray] = {}
        self._distinct: dict[bytes, IntArray] = {}
        self._in_none = self._shared(np.full(len(nodes.names), -1, dtype=np.int64))

    def domains(self, key: str) -> IntArray:
        """Return the domain of each node: int[n], -1 without the label."""
        if not self._nodes.answers.labels.has(key):
            return self._in_none
        if key not in self._domains:
            numbers: dict[str, int] = {}
            values = [labels.get(key) for labels in self._nodes.labels]
            numbered = [-1 if value is None else numbers.setdefault(value, len(numbers)) for value in values]
            self._domains[key] = self._shared(np.array(numbered, dtype=np.int64))
        return self._domains[key]

    def common_domains(self, keys: Iterable[str]) -> IntArray:
        """Return the domain of each node by several labels together: int[n], -1 where a node lacks one of them."""
        common, *others = {id(domains): domains for domains in map(self.domains, keys)}.values()
        for domains in others:
            _, both = np.unique(common * len(domains) + domains, return_inverse=True)
            common = np.where((common < 0) | (domains < 0), -1, both)
        return common

    def distinct(self, terms: Iterable[Term]) -> tuple[Term, ...]:
        """Return the terms, but only the first of several terms that differ only in labels with the same domains."""
        kept: dict[Hashable, Term] = {}
        for term in terms:
            domains = self.domains(term.topology_key)
            kept.setdefault((term.kind, id(domains), term.roles, term.towards), term)
        return tuple(kept.values())

    def _shared(self, domains: IntArray) -> IntArray:
        return self._distinct.setdefault(domains.tobytes(), domains)


def are_single_nodes(domains: IntArray) -> bool:
    """Return whether no two nodes share a domain."""
    inside = domains[domains >= 0]
    return len(np.unique(inside)) == len(inside)


def is_within(fine: IntArray, coarse: IntArray) -> bool:
    """Return whether each domain of ``fine`` is in one domain of ``coarse``, or has no node in any of them."""
    inside = np.flatnonzero(fine >= 0)
    coarse_of = np.zeros(int(fine.max(initial=-1)) + 1, dtype=np.int64)
    coarse_of[fine[inside]] = coarse[inside]
    return bool((coarse_of[fine[inside]] == coarse[inside]).all())
