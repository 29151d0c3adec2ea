"""Whom running pods keep away from the nodes near them: required anti-affinity, seen from the other side.

Many gangs ask the same between two changes, and each answer is worked out once: which terms match, once for all gangs
that are alike in the labels which terms look at; which nodes that leaves out, once for all that match the same terms.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from lockstep.belief.pod_terms import LabelMap, means
from lockstep.facts.node import NodeFact
from lockstep.facts.pod import PodFact, PodTerm

Terms = frozenset[PodTerm]
Likeness = tuple[str, frozenset[tuple[str, str]], tuple[str | None, ...]]

# Where anti-affinities are that choose namespaces by their labels; no namespace has this name.
_ANY_NAMESPACE = ""
_NOBODY: frozenset[str] = frozenset()
_MOST_REMEMBERED = 10_000


class KeepingAway:
    """The terms of pods that are on a node, and on which nodes: whatever is entered leaves again."""

    def __init__(self) -> None:
        self._nodes: dict[str, dict[PodTerm, Counter[str]]] = {}
        self._asked: dict[str, tuple[str, ...]] = {}
        self._matching: dict[Likeness, Terms] = {}
        self._names: dict[Terms, frozenset[str]] = {}
        self._nodes_generation = -1

    def enter(self, term: PodTerm, node: str) -> None:
        """One more pod of that term is on the node."""
        for namespace in _namespaces(term):
            terms = self._nodes.setdefault(namespace, {})
            if term not in terms:
                self._forget_whoselects()
            terms.setdefault(term, Counter())[node] += 1
        self._names.clear()

    def leave(self, term: PodTerm, node: str) -> None:
        """One pod less."""
        for namespace in _namespaces(term):
            terms = self._nodes[namespace]
            terms[term][node] -= 1
            if not terms[term][node]:
                del terms[term][node]
            if not terms[term]:
                del terms[term]
                self._forget_whoselects()
            if not terms:
                del self._nodes[namespace]
        self._names.clear()

    def concerns(self, namespace: str) -> bool:
        """Whether anybody there might be kept away."""
        return namespace in self._nodes or _ANY_NAMESPACE in self._nodes

    def names(
        self,
        labels: LabelMap,
        namespace: str,
        labels_of_namespace: LabelMap,
        nodes: Mapping[str, NodeFact],
        nodes_generation: int,
        own: Iterable[PodFact] = (),
    ) -> frozenset[str]:
        """The nodes to which no pod with these labels may go, since it would come too near to another.

        What its ``own`` pods say does not count. ``nodes`` has to be the same as long as its generation is.
        """
        matching = self._terms_for(labels, namespace, labels_of_namespace)
        if not matching:
            return _NOBODY
        without = Counter((term, pod.node) for pod in own for term in pod.keeps_away)
        if without:
            return self._near(matching, nodes, without)
        if nodes_generation != self._nodes_generation:
            self._names.clear()
            self._nodes_generation = nodes_generation
        if matching not in self._names:
            _make_room_in(self._names)
            self._names[matching] = self._near(matching, nodes, without)
        return self._names[matching]

    def _terms_for(self, labels: LabelMap, namespace: str, labels_of_namespace: LabelMap) -> Terms:
        values = tuple(labels.get(key) for key in self._keys_asked_in(namespace))
        likeness = (namespace, frozenset(labels_of_namespace.items()), values)
        if likeness not in self._matching:
            _make_room_in(self._matching)
            self._matching[likeness] = frozenset(
                term
                for where in (namespace, _ANY_NAMESPACE)
                for term in self._nodes.get(where, ())
                if means(term, labels, namespace, labels_of_namespace)
            )
        return self._matching[likeness]

    def _keys_asked_in(self, namespace: str) -> tuple[str, ...]:
        """The labels at which the terms that concern a namespace look."""
        if namespace not in self._asked:
            _make_room_in(self._asked)
            terms = [term for where in (namespace, _ANY_NAMESPACE) for term in self._nodes.get(where, ())]
            self._asked[namespace] = tuple(sorted({one.key for term in terms for one in term.selector or ()}))
        return self._asked[namespace]

    def _near(
        self, terms: Terms, nodes: Mapping[str, NodeFact], without: Counter[tuple[PodTerm, str]]
    ) -> frozenset[str]:
        domains: dict[str, set[str]] = {}
        for term in terms:
            counts = self._nodes[_namespaces(term)[0]][term]
            near = (node for node, count in counts.items() if node in nodes and count > without[term, node])
            values = (nodes[node].labels.get(term.topology_key) for node in near)
            domains.setdefault(term.topology_key, set()).update(value for value in values if value is not None)
        return frozenset(
            name
            for name, node in nodes.items()
            if any(node.labels.get(key) in values for key, values in domains.items())
        )

    def _forget_whoselects(self) -> None:
        self._asked.clear()
        self._matching.clear()


def _namespaces(term: PodTerm) -> tuple[str, ...]:
    """Where the term is kept; each place knows all of its nodes."""
    return term.namespaces if term.namespace_selector is None else (*term.namespaces, _ANY_NAMESPACE)


def _make_room_in(remembered: dict[Any, Any]) -> None:
    if len(remembered) >= _MOST_REMEMBERED:
        remembered.clear()
