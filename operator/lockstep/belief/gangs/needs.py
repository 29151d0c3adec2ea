"""Compares and combines the needs of members in the plan with the needs that admission has set."""

import math
from dataclasses import replace
from itertools import product

from coschedule import Constraints, NodeTerm, Requirement, Toleration
from lockstep.facts.cluster.volume import ClaimUse
from lockstep.facts.gang.role import Needs
from lockstep.facts.pods.pod import PodAffinity, WrittenTerm

# The API server adds these to every pod. A plan may ignore them.
_OF_EVERY_POD = frozenset(
    Toleration(f"node.kubernetes.io/{what}", "Exists", "", "NoExecute") for what in ("not-ready", "unreachable")
)


def as_compared(planned: Needs, pod: Needs) -> Needs:
    """The needs of a created pod without defaults of the API server: equal to ``planned`` if nothing else differs."""
    wanted = planned.constraints.tolerations
    kept = tuple(one for one in pod.constraints.tolerations if one in wanted or _for_ever(one) not in _OF_EVERY_POD)
    tolerations = wanted if set(kept) == set(wanted) else kept
    claims = planned.claims if _claims(planned) == _claims(pod) else pod.claims
    affinity = _as_written(pod.pod_affinity)
    if affinity == _as_written(planned.pod_affinity):
        affinity = planned.pod_affinity
    return Needs(pod.request, replace(pod.constraints, tolerations=tolerations), claims, affinity)


def combined(one: Needs, other: Needs) -> Needs:
    """Needs that include both: the larger amount of each resource, and the constraints of both."""
    if one == other:
        return one
    amounts = dict(one.request)
    for name, amount in other.request:
        amounts[name] = max(amount, amounts.get(name, 0))
    more = tuple(use for use in other.claims if _asked(use) not in _claims(one))
    constraints = _combined_constraints(one.constraints, other.constraints)
    affinity = _combined_pod_affinity(one.pod_affinity, other.pod_affinity)
    return Needs(tuple(sorted(amounts.items())), constraints, one.claims + more, affinity)


def is_within(needs: Needs, planned: Needs) -> bool:
    """Whether every node that suits the ``planned`` needs suits these needs too."""
    return combined(planned, needs) == planned


def _claims(needs: Needs) -> set[ClaimUse]:
    return set(map(_asked, needs.claims))


def _asked(use: ClaimUse) -> ClaimUse:
    """The use of a claim, without the name of the field that asks for it."""
    return use._replace(field="")


def _combined_constraints(one: Constraints, other: Constraints) -> Constraints:
    selector = {*one.node_selector, *other.node_selector}
    return replace(
        one,
        node_selector=tuple(sorted(selector)),
        affinity=_combined_affinity(one.affinity, other.affinity),
        tolerations=_combined_tolerations(one.tolerations, other.tolerations),
    )


def _combined_tolerations(one: tuple[Toleration, ...], other: tuple[Toleration, ...]) -> tuple[Toleration, ...]:
    """The tolerations of both, each for the shorter time."""
    seconds = {_for_ever(toleration): toleration.seconds for toleration in reversed(other)}
    return tuple(
        toleration._replace(seconds=min(toleration.seconds, seconds[_for_ever(toleration)]))
        for toleration in one
        if _for_ever(toleration) in seconds
    )


def _for_ever(toleration: Toleration) -> Toleration:
    """The toleration without its time limit."""
    return toleration._replace(seconds=math.inf)


def _combined_affinity(
    one: tuple[NodeTerm, ...] | None, other: tuple[NodeTerm, ...] | None
) -> tuple[NodeTerm, ...] | None:
    """Node terms that match a node exactly if a term of ``one`` and a term of ``other`` match it."""
    if one == other or other is None:
        return one
    if one is None:
        return other
    # A term without any requirement matches no node.
    pairs = ((a, b) for a, b in product(one, other) if any(a) and any(b))
    return tuple(dict.fromkeys(NodeTerm(_joined(a.labels, b.labels), _joined(a.fields, b.fields)) for a, b in pairs))


def _joined(one: tuple[Requirement, ...], other: tuple[Requirement, ...]) -> tuple[Requirement, ...]:
    return tuple(dict.fromkeys(one + other))


def _combined_pod_affinity(one: PodAffinity, other: PodAffinity) -> PodAffinity:
    return PodAffinity(tuple(dict.fromkeys(one.near + other.near)), tuple(dict.fromkeys(one.apart + other.apart)))


def _as_written(affinity: PodAffinity) -> PodAffinity:
    """The affinity without the selectors that the API server adds for ``matchLabelKeys`` and ``mismatchLabelKeys``."""
    return PodAffinity(tuple(map(_without_added, affinity.near)), tuple(map(_without_added, affinity.apart)))


def _without_added(written: WrittenTerm) -> WrittenTerm:
    if written.term.selector is None:
        return written
    added = {*((key, "In") for key in written.alike), *((key, "NotIn") for key in written.unlike)}
    own = tuple(one for one in written.term.selector if (one.key, one.operator) not in added)
    return written._replace(term=written.term._replace(selector=own))
