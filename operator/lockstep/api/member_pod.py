"""The pod of one member: the gang's template, with its name, its owner and what it must know about itself."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

from coschedule import Members
from lockstep.api.membership import member_labels, pod_name
from lockstep.api.names import API_VERSION, GANG_KIND, RANK_LABEL, SCHEDULER_NAME
from lockstep.api.parts import spelled_part
from lockstep.facts.gang import GangFact, GangSpec
from lockstep.facts.role import RoleSpec

Manifest = dict[str, Any]

_VARIABLES: Mapping[str, Callable[[str | int, int], tuple[str, str]]] = {
    "share": lambda share, _: ("LOCKSTEP_SHARE", str(share)),
    "pieces": lambda count, first: ("LOCKSTEP_PIECES", f"{first} {count}"),
}
"""The variable that tells a member its part; its pieces are numbered from ``first`` on."""


class MemberPods:
    """Makes the pods of one attempt. What those of a role share is built once; pods must not be changed afterwards.

    Adds nothing that widens what the template's writer may do: names, labels, an owner, variables, and the gang's
    priority class. What the node pool asks of members stands in the gang's template already.
    """

    def __init__(self, gang: GangFact, attempt: int, members: Sequence[Members]) -> None:
        assert gang.spec is not None, "a refused gang has no members"
        self._gang = gang
        self._attempt = attempt
        self._kinds = {role.name: _Kind.of(gang, gang.spec, role, attempt) for role in gang.spec.roles}
        self._roles = [entry.role for entry in members for _ in range(entry.count)]
        self._owner = {
            "apiVersion": API_VERSION,
            "kind": GANG_KIND,
            "name": gang.key.name,
            "uid": gang.uid,
            "controller": True,
            # True would need a right over the GangJob's finalizers, and only delays its foreground deletion.
            "blockOwnerDeletion": False,
        }
        self._shared_variables = {
            "LOCKSTEP_GANG": gang.key.name,
            "LOCKSTEP_ATTEMPT": str(attempt),
            "LOCKSTEP_SIZE": str(sum(entry.count for entry in members)),
        }
        self._variables_by_rank = list(_variables_by_rank(members))

    def pod(self, rank: int) -> Manifest:
        """The pod of that rank."""
        kind = self._kinds[self._roles[rank]]
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": pod_name(self._gang.key.name, self._attempt, rank),
                "namespace": self._gang.key.namespace,
                "labels": {**kind.labels, RANK_LABEL: str(rank)},
                "annotations": kind.annotations,
                "ownerReferences": [self._owner],
            },
            "spec": self._spec_of(kind, rank),
        }

    def _spec_of(self, kind: "_Kind", rank: int) -> Manifest:
        variables = {**self._shared_variables, "LOCKSTEP_RANK": str(rank), **self._variables_by_rank[rank]}
        spec = dict(kind.spec)
        for field in ("initContainers", "containers"):
            if spec.get(field):
                spec[field] = [_with_variables(container, variables) for container in spec[field]]
        return spec


class _Kind(NamedTuple):
    """What the pods of one role share."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    spec: Manifest

    @classmethod
    def of(cls, gang: GangFact, spec: GangSpec, role: RoleSpec, attempt: int) -> Self:
        """What the pods of that role of an attempt share."""
        own = {"restartPolicy": "Never", **role.template["spec"], "schedulerName": SCHEDULER_NAME}
        priority = {"priorityClassName": spec.priority_class} if spec.priority_class else {}
        annotations = (role.template.get("metadata") or {}).get("annotations") or {}
        return cls(member_labels(gang.key, role, attempt), annotations, {**own, **priority})


def _variables_by_rank(members: Iterable[Members]) -> Iterator[Mapping[str, str]]:
    """What each rank is told of its part of the work: a share, or its first piece and how many; else nothing.

    Pieces are numbered from 0 along the ranks, so that together the members have each of them once.
    """
    first = 0
    for entry in members:
        told = spelled_part(entry.part)
        for _ in range(entry.count):
            yield dict(_VARIABLES[name](value, first) for name, value in told.items())
            first += int(told.get("pieces", 0))


def _with_variables(container: Mapping[str, Any], variables: Mapping[str, str]) -> Manifest:
    """Ours come first, so that the container's own variables can refer to them, or replace them."""
    ours = [{"name": name, "value": value} for name, value in variables.items()]
    return {**container, "env": [*ours, *(container.get("env") or ())]}
