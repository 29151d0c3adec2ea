"""Which pods a term of affinity or anti-affinity selects: all callers use these functions."""

from collections.abc import Mapping

from coschedule import Requirement
from lockstep.api.label_selectors import selects
from lockstep.api.pods.pod_terms import in_namespace
from lockstep.facts.pods.pod import PodTerm, WrittenTerm

LabelMap = Mapping[str, str]


def means(term: PodTerm, labels: LabelMap, namespace: str, labels_of_namespace: LabelMap) -> bool:
    """Whether the term selects a pod with these labels, in a namespace with those labels."""
    chosen = namespace in term.namespaces or selects(term.namespace_selector, labels_of_namespace)
    return chosen and selects(term.selector, labels)


def term_of(written: WrittenTerm, labels: LabelMap, namespace: str) -> PodTerm:
    """The term of a pod with these labels, as the API server completes it."""
    term = in_namespace(written.term, namespace)
    if term.selector is None:
        return term
    more = [Requirement(key, "In", (labels[key],)) for key in written.alike if key in labels]
    more += [Requirement(key, "NotIn", (labels[key],)) for key in written.unlike if key in labels]
    return term._replace(selector=(*term.selector, *more))
