"""The properties of a role's members that matter for affinity: labels, and terms of affinity and anti-affinity."""

from collections.abc import Mapping
from typing import NamedTuple

from coschedule import GangKey
from lockstep.api.membership import member_labels
from lockstep.api.names import RANK_LABEL
from lockstep.belief.pods.pod_terms import term_of
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.role import RoleSpec
from lockstep.facts.pods.pod import PodTerm


class MemberKind(NamedTuple):
    """Members of one role. They differ only in their rank; the labels here are those of rank 0."""

    role: str
    namespace: str
    labels: Mapping[str, str]
    near: tuple[PodTerm, ...]
    apart: tuple[PodTerm, ...]


def kinds_of(gang: AcceptedGang, attempt: int) -> tuple[MemberKind, ...]:
    """The members of each role in that attempt."""
    return tuple(_kind(gang.key, role, attempt) for role in gang.spec.roles)


def _kind(gang: GangKey, role: RoleSpec, attempt: int) -> MemberKind:
    labels = (
        dict(role.template.labels) if is_pod_gang(gang) else {**member_labels(gang, role, attempt), RANK_LABEL: "0"}
    )
    near, apart = (
        tuple(term_of(one, labels, gang.namespace) for one in terms)
        for terms in (role.pod_affinity.near, role.pod_affinity.apart)
    )
    return MemberKind(role.name, gang.namespace, labels, near, apart)
