"""The required affinity and anti-affinity among pods: near which pods one has to be, and whom it keeps away."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from lockstep.api.label_selectors import parse_selector
from lockstep.facts.pod import NO_POD_AFFINITY, PodAffinity, PodTerm, WrittenTerm

Manifest = Mapping[str, Any]

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def keeps_away(spec: Manifest, namespace: str) -> tuple[PodTerm, ...]:
    """Whom a pod in that namespace keeps away; most pods keep away nobody.

    ``matchLabelKeys`` and ``mismatchLabelKeys`` need nothing here: the API server has added them to the selector.
    """
    terms = _terms(spec, "podAntiAffinity")
    return _shared(tuple(in_namespace(_term(term), namespace) for term in terms)) if terms else ()


def pod_affinity(spec: Manifest) -> PodAffinity:
    """What a template requires of other pods."""
    near, apart = _terms(spec, "podAffinity"), _terms(spec, "podAntiAffinity")
    if not near and not apart:
        return NO_POD_AFFINITY
    return PodAffinity(tuple(map(_written, near)), tuple(map(_written, apart)))


def in_namespace(term: PodTerm, namespace: str) -> PodTerm:
    """The term of a pod in that namespace, which is meant where no other is."""
    if term.namespaces or term.namespace_selector is not None:
        return term
    return term._replace(namespaces=(namespace,))


def _terms(spec: Manifest, kind: str) -> list[Manifest]:
    return ((spec.get("affinity") or {}).get(kind) or {}).get(_REQUIRED) or []


def _written(term: Manifest) -> WrittenTerm:
    alike, unlike = term.get("matchLabelKeys") or (), term.get("mismatchLabelKeys") or ()
    return WrittenTerm(_term(term), tuple(alike), tuple(unlike))


def _term(term: Manifest) -> PodTerm:
    return PodTerm(
        topology_key=term["topologyKey"],
        selector=parse_selector(term.get("labelSelector")),
        namespaces=tuple(term.get("namespaces") or ()),
        namespace_selector=parse_selector(term.get("namespaceSelector")),
    )


@lru_cache(maxsize=10_000)
def _shared(terms: tuple[PodTerm, ...]) -> tuple[PodTerm, ...]:
    # The pods of one workload have equal terms: they share one value.
    return terms
