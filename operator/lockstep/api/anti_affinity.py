"""Whom a pod keeps away from it: the required anti-affinity among pods."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from coschedule import Requirement
from lockstep.facts.pod import AntiAffinity, LabelSelector

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
        selector=_selector(term.get("labelSelector")),
        namespaces=namespaces if namespaces or selector is not None else (namespace,),
        namespace_selector=_selector(selector),
    )


def _selector(selector: Manifest | None) -> LabelSelector | None:
    if selector is None:
        return None
    labels = tuple(Requirement(key, "In", (value,)) for key, value in (selector.get("matchLabels") or {}).items())
    return labels + tuple(
        Requirement(one["key"], one["operator"], tuple(one.get("values") or ()))
        for one in selector.get("matchExpressions") or ()
    )


@lru_cache(maxsize=10_000)
def _shared(terms: tuple[AntiAffinity, ...]) -> tuple[AntiAffinity, ...]:
    # The pods of one workload have equal terms: they share one value.
    return terms
