"""Makes the pod of a member: the gang's template with a name, an owner and environment variables."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

from coschedule import Members
from lockstep.api.manifest import NewManifest
from lockstep.api.members.claims import with_kept_claims
from lockstep.api.members.dealer import PORT, key_variable, of_rank, room_annotations
from lockstep.api.members.mounts import with_files
from lockstep.api.members.run_parameters import run_annotations, run_variables, with_run_file
from lockstep.api.membership import member_labels, owner_reference, pod_name
from lockstep.api.names import GO_ANNOTATION, RANK_LABEL, ROOM_ANNOTATION, SCHEDULER_NAME
from lockstep.api.parts import format_part
from lockstep.api.rendezvous.common import FOLDER
from lockstep.api.rendezvous.meeting import Meeting, meeting_of
from lockstep.api.rendezvous.sets import files, variables
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.role import RoleSpec

_VARIABLES: Mapping[str, Callable[[str | int, int], tuple[str, str]]] = {
    "share": lambda share, _: ("LOCKSTEP_SHARE", str(share)),
    "pieces": lambda count, first: ("LOCKSTEP_PIECES", f"{first} {count}"),
}
"""The environment variable for each form of a member's part of the work. ``first`` is the number of its first piece."""


class MemberPods:
    """Makes the pods of one attempt. Pods of one role share parts, so callers must not change the pods.

    A pod is the gang's template with additions: a name, labels, an owner, variables, files with the other members'
    hosts, volumes of the member's claims, and the gang's priority class. No addition gives the author of the template
    more rights. The requirements of the node pool, and the gate, are in the gang's template already.
    """

    def __init__(
        self, gang: AcceptedGang, attempt: int, members: Sequence[Members], ranks: Iterable[int] | None = None
    ) -> None:
        self._gang = gang
        self._attempt = attempt
        self._meeting = meeting_of(gang, attempt, members, ranks)
        self._kinds = {role.name: _RoleTemplate.of(gang, role, self._meeting) for role in gang.spec.roles}
        self._owner = owner_reference(gang)
        self._shared_variables = {
            "LOCKSTEP_GANG": gang.key.name,
            "LOCKSTEP_ATTEMPT": str(attempt),
            **run_variables(gang.run),
        }
        self._dealing = gang.spec.dealing
        self._variables_by_position = list(_variables_by_position(members))

    def pod(self, position: int) -> NewManifest:
        """The pod of the member at a position in the order of ranks.

        If no rank is missing, the position is the rank.
        """
        kind, rank = self._kinds[self._meeting.roles[position]], self._meeting.ranks[position]
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": self._name(rank),
                "namespace": self._gang.key.namespace,
                "labels": {**kind.labels, RANK_LABEL: str(rank)},
                "annotations": kind.annotations,
                "ownerReferences": [self._owner],
            },
            "spec": self._spec_of(kind, position, rank),
        }

    def _name(self, rank: int) -> str:
        return pod_name(self._gang.key.name, self._attempt, rank)

    def _spec_of(self, kind: "_RoleTemplate", position: int, rank: int) -> NewManifest:
        given = {
            **self._shared_variables,
            **variables(self._meeting, position),
            **self._variables_by_position[position],
        }
        own = with_kept_claims(kind.spec, kind.claim_templates, self._gang.key.name, rank)
        spec = {**own, "hostname": own.get("hostname") or self._name(rank)}
        if self._dealing is not None:
            spec = of_rank(spec, rank, self._gang.key.name, self._dealing.pieces)
        ours = [*({"name": name, "value": value} for name, value in given.items()), *self._of_dealer()]
        for field in ("initContainers", "containers"):
            if spec.get(field):
                spec[field] = [_with_variables(container, ours) for container in spec[field]]
        return spec

    def _of_dealer(self) -> Sequence[NewManifest]:
        """The variables with the dealer's address and key; none if the gang has no dealer."""
        if self._dealing is None:
            return ()
        address = f"http://{self._meeting.first_host}:{PORT}"
        key = key_variable(self._gang.key.name, self._attempt)
        return ({"name": "LOCKSTEP_DEALER", "value": address}, key)


class _RoleTemplate(NamedTuple):
    """The parts that the pods of one role share."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    spec: NewManifest
    claim_templates: Sequence[Mapping[str, Any]]

    @classmethod
    def of(cls, gang: AcceptedGang, role: RoleSpec, meeting: Meeting) -> Self:
        """Make the parts that the pods of a role share in an attempt."""
        template = role.template.document.decoded()
        folder = "" if meeting.changes is None else FOLDER
        own = with_files(template["spec"], gang.key.name, files(meeting).keys(), folder=folder)
        own = with_run_file(own, gang.run)
        wanted = {"schedulerName": SCHEDULER_NAME, "subdomain": own.get("subdomain") or gang.key.name}
        priority = {"priorityClassName": gang.spec.priority_class} if gang.spec.priority_class else {}
        annotations = dict((template.get("metadata") or {}).get("annotations") or {})
        # A template must not open the gate of its members, nor keep the room of a dealer.
        annotations.pop(GO_ANNOTATION, None)
        annotations.pop(ROOM_ANNOTATION, None)
        if gang.spec.dealing is not None:
            annotations |= room_annotations(is_elastic=gang.spec.elastic is not None)
        annotations |= run_annotations(gang.run)
        spec = {"restartPolicy": "Never", **own, **wanted, **priority}
        return cls(
            member_labels(gang.key, role, meeting.attempt),
            annotations,
            spec,
            [one.decoded() for one in role.claim_templates],
        )


def _variables_by_position(members: Iterable[Members]) -> Iterator[Mapping[str, str]]:
    """The variables for each member's part of the work: its share, or its first piece and the number of its pieces.

    Pieces of a role are numbered from 0 in the order of its ranks. So its members together have each piece once. If all
    members have equal parts, there are no variables.
    """
    first: Counter[str] = Counter()
    for entry in members:
        part = format_part(entry.part)
        for _ in range(entry.count):
            yield dict(_VARIABLES[name](value, first[entry.role]) for name, value in part.items())
            first[entry.role] += int(part.get("pieces", 0))


def _with_variables(container: Mapping[str, Any], ours: Sequence[NewManifest]) -> NewManifest:
    """The container with our variables before its own. So its own variables can refer to ours or replace them."""
    return {**container, "env": [*ours, *(container.get("env") or ())]}
