"""Anti-affinity terms by the labels that they select, so that a pod's labels lead to the terms that select the pod."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from coschedule import Requirement
from lockstep.api.label_demands import LabelDemands
from lockstep.api.label_selectors import demands_of
from lockstep.belief.pods.pod_terms import LabelMap
from lockstep.facts.pods.pod import PodTerm

# The key of terms that select namespaces by label; no namespace has this name.
_ANY_NAMESPACE = ""
# The key and the value of a label; None stands for any value.
_Anchor = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class IndexedTerm:
    """A term, its number, and the number of its pods on each node.

    ``chooses`` has the demands of its namespace selector; None if the term has no such selector.
    """

    number: int
    term: PodTerm
    selects: LabelDemands
    chooses: LabelDemands | None
    nodes: Counter[str] = field(default_factory=Counter)

    def means(self, labels: LabelMap, namespace: str, labels_of_namespace: LabelMap) -> bool:
        """Whether the term selects a pod with these labels, in a namespace with those labels."""
        if namespace not in self.term.namespaces and (
            self.chooses is None or not self.chooses.pass_with(labels_of_namespace)
        ):
            return False
        return self.selects.pass_with(labels)


class TermIndex:
    """The index. Terms that were entered have to leave later. A term that selects nothing is ignored."""

    def __init__(self) -> None:
        self._entries: dict[PodTerm, IndexedTerm] = {}
        self._last = 0
        self._by_anchor: dict[str, dict[_Anchor | None, dict[int, IndexedTerm]]] = {}

    def enter(self, term: PodTerm, node: str) -> None:
        """Add a pod with that term on the node."""
        if term.selector is None:
            return
        entry = self._entries.get(term)
        if entry is None:
            self._last += 1
            chooses = None if term.namespace_selector is None else demands_of(term.namespace_selector)
            entry = self._entries[term] = IndexedTerm(self._last, term, demands_of(term.selector), chooses)
            for namespace in _namespaces(term):
                for anchor in _anchors(term):
                    self._by_anchor.setdefault(namespace, {}).setdefault(anchor, {})[entry.number] = entry
        entry.nodes[node] += 1

    def leave(self, term: PodTerm, node: str) -> None:
        """Remove a pod with that term from the node."""
        entry = self._entries.get(term)
        if entry is None:
            return
        entry.nodes[node] -= 1
        if not entry.nodes[node]:
            del entry.nodes[node]
        if not entry.nodes:
            del self._entries[term]
            for namespace in _namespaces(term):
                for anchor in _anchors(term):
                    self._drop(namespace, anchor, entry.number)

    def entry(self, term: PodTerm) -> IndexedTerm | None:
        """The entry of the term; None if no pod has the term."""
        return self._entries.get(term)

    def concerns(self, namespace: str) -> bool:
        """Whether any term may select a pod of that namespace."""
        return namespace in self._by_anchor or _ANY_NAMESPACE in self._by_anchor

    def meaning(self, labels: LabelMap, namespace: str, labels_of_namespace: LabelMap) -> Iterator[IndexedTerm]:
        """The terms that select a pod with these labels, in a namespace with those labels; each once."""
        for where in (namespace, _ANY_NAMESPACE):
            by_anchor = self._by_anchor.get(where, {})
            for anchor in _anchors_of(labels) if by_anchor else ():
                for entry in by_anchor.get(anchor, {}).values():
                    is_twice = where == _ANY_NAMESPACE and namespace in entry.term.namespaces
                    if not is_twice and entry.means(labels, namespace, labels_of_namespace):
                        yield entry

    def _drop(self, namespace: str, anchor: _Anchor | None, number: int) -> None:
        by_anchor = self._by_anchor[namespace]
        del by_anchor[anchor][number]
        if not by_anchor[anchor]:
            del by_anchor[anchor]
        if not by_anchor:
            del self._by_anchor[namespace]


def _namespaces(term: PodTerm) -> tuple[str, ...]:
    """The keys under which the term is kept. The same entry, with all nodes of the term, is at each key."""
    names = tuple(dict.fromkeys(term.namespaces))
    return names if term.namespace_selector is None else (*names, _ANY_NAMESPACE)


def _anchors(term: PodTerm) -> tuple[_Anchor | None, ...]:
    """Labels of which every selected pod has exactly one; ``(None,)`` if the term requires no label."""
    of_values = [one for one in term.selector or () if one.operator == "In" and one.values]
    if of_values:
        fewest = min(of_values, key=lambda one: len(one.values))
        return tuple((fewest.key, value) for value in dict.fromkeys(fewest.values))
    having = next((one for one in term.selector or () if _asks_for_label(one)), None)
    return (None,) if having is None else ((having.key, None),)


def _asks_for_label(one: Requirement) -> bool:
    return one.operator not in ("NotIn", "DoesNotExist")


def _anchors_of(labels: LabelMap) -> Iterator[_Anchor | None]:
    for key, value in labels.items():
        yield key, value
        yield key, None
    yield None
