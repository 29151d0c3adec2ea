"""Which pods a term of affinity or anti-affinity means: one rule for all who ask."""

from collections.abc import Mapping
from functools import lru_cache

from coschedule import LabelTest, Requirement, label_test
from lockstep.api.pod_terms import in_namespace
from lockstep.facts.pod import LabelSelector, PodTerm, WrittenTerm

LabelMap = Mapping[str, str]


def means(term: PodTerm, labels: LabelMap, namespace: str, labels_of_namespace: LabelMap) -> bool:
    """Whether a pod with these labels, in a namespace with those, is one of the term's."""
    chosen = namespace in term.namespaces or matches(term.namespace_selector, labels_of_namespace)
    return chosen and matches(term.selector, labels)


def matches(selector: LabelSelector | None, labels: LabelMap) -> bool:
    """Whether the labels match; no selector matches nothing, an empty one everything."""
    return selector is not None and all(test(labels.get(key)) for key, test in _tests(selector))


def term_of(written: WrittenTerm, labels: LabelMap, namespace: str) -> PodTerm:
    """The term of a pod with these labels, as the API server completes it."""
    term = in_namespace(written.term, namespace)
    if term.selector is None:
        return term
    more = [Requirement(key, "In", (labels[key],)) for key in written.alike if key in labels]
    more += [Requirement(key, "NotIn", (labels[key],)) for key in written.unlike if key in labels]
    return term._replace(selector=(*term.selector, *more))


@lru_cache(maxsize=10_000)
def _tests(selector: LabelSelector) -> tuple[tuple[str, LabelTest], ...]:
    return tuple((requirement.key, label_test(requirement)) for requirement in selector)
