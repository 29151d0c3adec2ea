"""The nodes that pods' required anti-affinity excludes for a gang's members.

Terms that select the members are found by labels. The excluded nodes are computed once for all members that the same
terms select.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from lockstep.api.pods.pod_terms import EVERYWHERE
from lockstep.belief.common.kept_answers import BYTES_OF_NAME, KeptAnswers
from lockstep.belief.nodes.domains import Domains
from lockstep.belief.pods.pod_terms import LabelMap
from lockstep.belief.pods.term_index import IndexedTerm, TermIndex
from lockstep.belief.pods.understood_terms import UnderstoodTerms
from lockstep.facts.pods.pod import PodFact

_NO_NODES: frozenset[str] = frozenset()


class AntiAffinities:
    """The anti-affinity terms of pods on nodes. A pod that was entered has to leave later."""

    def __init__(self) -> None:
        self._understood = UnderstoodTerms()
        self._index = TermIndex()
        self._names = KeptAnswers[frozenset[int], frozenset[str]]()
        self._nodes_changes = -1

    def enter(self, pod: PodFact) -> None:
        """Add a pod that is on its node."""
        for term in pod.anti_affinity_terms:
            self._index.enter(self._understood.enter(term, pod.key.namespace), pod.node)
        if pod.anti_affinity_terms:
            self._names.forget()

    def leave(self, pod: PodFact) -> None:
        """Remove a pod."""
        for term in pod.anti_affinity_terms:
            self._index.leave(self._understood.leave(term, pod.key.namespace), pod.node)
        if pod.anti_affinity_terms:
            self._names.forget()

    def concerns(self, namespace: str) -> bool:
        """Whether a pod of that namespace may be excluded from nodes."""
        return self._index.concerns(namespace)

    def names(
        self,
        labels: LabelMap,
        namespace: str,
        labels_of_namespace: LabelMap,
        domains: Domains,
        own: Iterable[PodFact] = (),
    ) -> frozenset[str]:
        """The nodes to which no pod with these labels may go because of other pods' anti-affinity.

        Terms of ``own``, the pods of the same gang, do not count.
        """
        meaning = {one.number: one for one in self._index.meaning(labels, namespace, labels_of_namespace)}
        if not meaning:
            return _NO_NODES
        without = self._terms_of(own)
        if without:
            return _near(meaning.values(), domains, without)
        if domains.changes != self._nodes_changes:
            self._names.forget()
            self._nodes_changes = domains.changes
        numbers = frozenset(meaning)
        names = self._names.get(numbers)
        if names is None:
            names = _near(meaning.values(), domains, without)
            self._names.keep(numbers, names, BYTES_OF_NAME * (len(numbers) + len(names)))
        return names

    def _terms_of(self, pods: Iterable[PodFact]) -> Counter[tuple[int, str]]:
        """How many of these pods have each term, by the number of the term and the node of the pods."""
        # The pods of one workload share their terms.
        alike = Counter(
            (id(pod.anti_affinity_terms), pod.key.namespace, pod.node) for pod in pods if pod.anti_affinity_terms
        )
        terms = {id(pod.anti_affinity_terms): pod.anti_affinity_terms for pod in pods if pod.anti_affinity_terms}
        counts: Counter[tuple[int, str]] = Counter()
        for (these, namespace, node), count in alike.items():
            for term in terms[these]:
                entry = self._index.entry(self._understood.of(term, namespace))
                if entry is not None:
                    counts[entry.number, node] += count
        return counts


def _near(terms: Iterable[IndexedTerm], domains: Domains, without: Mapping[tuple[int, str], int]) -> frozenset[str]:
    """All nodes in the domains of pods with these terms. Pods that ``without`` counts are ignored."""
    nodes: dict[str, set[str]] = {}
    for one in terms:
        there = (node for node, count in one.nodes.items() if count > without.get((one.number, node), 0))
        nodes.setdefault(one.term.topology_key, set()).update(there)
    names = (domains.all if key == EVERYWHERE and those else domains.near(key, those) for key, those in nodes.items())
    return frozenset().union(*names)
