"""Whom a pod keeps away from it: the required anti-affinity among pods."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from lockstep.api.label_selectors import parse_selector
from lockstep.facts.pod import AntiAffinity

Manifest = Mapping[str, Any]

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def keeps_away(spec: Manifest, namespace: str) -> tuple[AntiAffinity, ...]:
    """The terms of a pod in that namespace; most pods have none.

    ``matchLabelKeys`` and ``mismatchLabelKeys`` need nothing here: the API server has added them to the selector.
    """
    terms = ((spec.get("affinity") or {}).get("podAntiAffinity") or {}).get(_REQUIRED)
    return _shared(tuple(_term(term, namespace) for term in terms)) if terms else ()


def _term(term: Manifest, namespace: str) -> AntiAffinity:
    namespaces, selector = tuple(term.get("namespaces") or ()), term.get("namespaceSelector")
    return AntiAffinity(
        topology_key=term["topologyKey"],
        selector=parse_selector(term.get("labelSelector")),
        namespaces=namespaces if namespaces or selector is not None else (namespace,),
        namespace_selector=parse_selector(selector),
    )


@lru_cache(maxsize=10_000)
def _shared(terms: tuple[AntiAffinity, ...]) -> tuple[AntiAffinity, ...]:
    # The pods of one workload have equal terms: they share one value.
    return terms
