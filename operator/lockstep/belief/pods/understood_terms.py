"""Simplifies the anti-affinity terms of a namespace that has very many of them.

A simplified term excludes more than the exact term. This is safe: no gang goes where an exact term excludes it. Only
pods of the same namespace cause the wider exclusion.
"""

from collections import Counter
from dataclasses import dataclass, field

from lockstep.api.pods.pod_terms import EVERYWHERE, of_any_labels
from lockstep.facts.pods.pod import PodTerm

MOST_OF_NAMESPACE = 1_000
"""How many distinct terms that select only pods of their own namespace are used exactly, for each namespace."""
MOST_ABOUT_OTHERS = 100
"""How many distinct terms that may select pods elsewhere are used exactly, for each namespace.

Such terms cost the gangs of other tenants time.
"""
_MOST_LABELS = 64


@dataclass(slots=True)
class _Understood:
    """A term as it is used, and the number of pods that have it."""

    term: PodTerm
    pods: int = 0
    is_exact: bool = True


@dataclass(slots=True)
class _TermsOfNamespace:
    """The terms of a namespace's pods, and the form in which each is used.

    ``exactly[True]`` is the number of exact terms that may select pods of other namespaces. ``exactly[False]`` is the
    number of all other exact terms. ``as_other`` has, by simplified term, the number of terms that it replaces.
    """

    terms: dict[PodTerm, _Understood] = field(default_factory=dict)
    exactly: Counter[bool] = field(default_factory=Counter)
    as_other: Counter[PodTerm] = field(default_factory=Counter)

    def understand(self, term: PodTerm, namespace: str) -> _Understood:
        about_others = _is_about_others(term, namespace)
        if self.exactly[about_others] < (MOST_ABOUT_OTHERS if about_others else MOST_OF_NAMESPACE):
            self.exactly[about_others] += 1
            return _Understood(term)
        other = of_any_labels(term.topology_key, None if about_others else namespace)
        if other not in self.as_other and len(self.as_other) >= _MOST_LABELS:
            other = other._replace(topology_key=EVERYWHERE)
        self.as_other[other] += 1
        return _Understood(other, is_exact=False)

    def forget(self, term: PodTerm, known: _Understood, namespace: str) -> None:
        if known.is_exact:
            self.exactly[_is_about_others(term, namespace)] -= 1
            return
        self.as_other[known.term] -= 1
        if not self.as_other[known.term]:
            del self.as_other[known.term]


class UnderstoodTerms:
    """The anti-affinity terms of all namespaces, each in exact or simplified form.

    A term keeps its form until all pods with it are gone. Terms that were entered have to leave later.
    """

    def __init__(self) -> None:
        self._namespaces: dict[str, _TermsOfNamespace] = {}

    def enter(self, term: PodTerm, namespace: str) -> PodTerm:
        """Add a pod of the namespace with that term. Returns the term as it is used."""
        of_namespace = self._namespaces.setdefault(namespace, _TermsOfNamespace())
        known = of_namespace.terms.get(term)
        if known is None:
            known = of_namespace.terms[term] = of_namespace.understand(term, namespace)
        known.pods += 1
        return known.term

    def leave(self, term: PodTerm, namespace: str) -> PodTerm:
        """Remove a pod with that term. Returns the term as it was used."""
        of_namespace = self._namespaces[namespace]
        known = of_namespace.terms[term]
        known.pods -= 1
        if not known.pods:
            del of_namespace.terms[term]
            of_namespace.forget(term, known, namespace)
            if not of_namespace.terms:
                del self._namespaces[namespace]
        return known.term

    def of(self, term: PodTerm, namespace: str) -> PodTerm:
        """The form in which a term of that namespace is used; the term itself if no pod has it."""
        of_namespace = self._namespaces.get(namespace)
        known = None if of_namespace is None else of_namespace.terms.get(term)
        return term if known is None else known.term


def _is_about_others(term: PodTerm, namespace: str) -> bool:
    return term.namespace_selector is not None or set(term.namespaces) != {namespace}
