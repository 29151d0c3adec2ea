"""Parses required affinity and anti-affinity among pods."""

from collections.abc import Sequence
from functools import lru_cache

from lockstep.api.label_selectors import parse_selector
from lockstep.api.manifest import Manifest
from lockstep.api.pods.pod_size import TooLongError
from lockstep.facts.pods.pod import NO_POD_AFFINITY, PodAffinity, PodTerm, WrittenTerm

EVERYWHERE = ""
"""The topology key of a term that excludes pods from all nodes. No label of a node has this name."""

MOST_TERMS_OF_POD = 32
"""The most required anti-affinity terms of one pod that are parsed one by one. Workloads have one or two."""
_MOST_WORDS_OF_POD = 1_000
# Larger sets of terms are not cached, so pods do not share them.
_MOST_WORDS_SHARED = 50

MOST_TERMS_OF_ROLE = 64
"""The most required terms of affinity and anti-affinity in a template."""
_MOST_WORDS_OF_ROLE = 10_000

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def anti_affinity_terms(spec: Manifest, namespace: str) -> tuple[PodTerm, ...]:
    """The required anti-affinity terms of a pod in that namespace. Most pods have none.

    A pod with too many terms counts as excluding all pods from the domains that it names. ``matchLabelKeys`` and
    ``mismatchLabelKeys`` are in the selector already, since the API server adds them.
    """
    terms = _terms(spec, "podAntiAffinity")
    if not terms:
        return ()
    if not _are_few(terms, MOST_TERMS_OF_POD, _MOST_WORDS_OF_POD):
        labels = {term["topologyKey"] for term in terms}
        return tuple(
            of_any_labels(label) for label in (sorted(labels) if len(labels) <= MOST_TERMS_OF_POD else [EVERYWHERE])
        )
    parsed = tuple(in_namespace(_term(term), namespace) for term in terms)
    return _shared(parsed) if _are_few(terms, MOST_TERMS_OF_POD, _MOST_WORDS_SHARED) else parsed


def of_any_labels(topology_key: str, namespace: str | None = None) -> PodTerm:
    """A term that selects all pods of a namespace, or of all namespaces."""
    if namespace is None:
        return PodTerm(topology_key, (), (), ())
    return PodTerm(topology_key, (), (namespace,), None)


def pod_affinity(spec: Manifest) -> PodAffinity:
    """The affinity and anti-affinity terms that a template requires. Raises ``TooLongError``."""
    near, apart = _terms(spec, "podAffinity"), _terms(spec, "podAntiAffinity")
    if not near and not apart:
        return NO_POD_AFFINITY
    if not _are_few([*near, *apart], MOST_TERMS_OF_ROLE, _MOST_WORDS_OF_ROLE):
        raise TooLongError(
            f"affinity: podAffinity and podAntiAffinity have {len(near) + len(apart)} required terms. At most "
            f"{MOST_TERMS_OF_ROLE} are allowed, with at most {_MOST_WORDS_OF_ROLE} keys, values and namespaces"
        )
    return PodAffinity(tuple(map(_written, near)), tuple(map(_written, apart)))


def in_namespace(term: PodTerm, namespace: str) -> PodTerm:
    """The term of a pod in that namespace: if the term names no namespaces, it selects pods in the pod's namespace."""
    if term.namespaces or term.namespace_selector is not None:
        return term
    return term._replace(namespaces=(namespace,))


def _terms(spec: Manifest, kind: str) -> list[Manifest]:
    return ((spec.get("affinity") or {}).get(kind) or {}).get(_REQUIRED) or []


def _are_few(terms: Sequence[Manifest], most: int, words: int) -> bool:
    """Whether there are at most ``most`` terms, with at most ``words`` keys, values and namespaces together."""
    return len(terms) <= most and sum(map(_words, terms)) <= words


def _words(term: Manifest) -> int:
    selectors = (term.get("labelSelector") or {}, term.get("namespaceSelector") or {})
    expressions = (one for selector in selectors for one in selector.get("matchExpressions") or ())
    labels = sum(len(selector.get("matchLabels") or ()) for selector in selectors)
    names = (len(term.get(field) or ()) for field in ("namespaces", "matchLabelKeys", "mismatchLabelKeys"))
    return labels + sum(names) + sum(1 + len(one.get("values") or ()) for one in expressions)


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
    # The pods of a workload have equal terms, and share one object for them.
    return terms
