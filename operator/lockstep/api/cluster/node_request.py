"""ProvisioningRequests and their PodTemplates: requests to a cluster autoscaler for all nodes of a gang.

The kind and its status belong to the autoscaler: any field may be missing, or have an undocumented type.
"""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from lockstep.api.common_objects import Owner, owned_metadata
from lockstep.api.manifest import NewManifest
from lockstep.api.names import GANG_LABEL
from lockstep.api.quantities import epoch_seconds
from lockstep.facts.cluster.node_request import AnswerReason, NodeRequest, NodesAnswer
from lockstep.facts.gang.gang import AcceptedGang, GangSpec
from lockstep.facts.gang.role import RoleSpec
from lockstep.facts.reasons import Reason

GROUP_VERSION = "autoscaling.x-k8s.io/v1"
KIND = "ProvisioningRequest"

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_DIGITS = 10
_MOST_WORDS = 300
_MOST_TEMPLATES = 32
# The outcomes of a request, the latest first. For example, a booking of nodes expires after they were provisioned.
_CAME_TO: tuple[tuple[str, AnswerReason, bool], ...] = (
    ("CapacityRevoked", Reason.PROVISIONING_FAILED, True),
    ("BookingExpired", Reason.PROVISIONING_FAILED, True),
    ("Failed", Reason.PROVISIONING_FAILED, True),
    ("Provisioned", Reason.NODES_PROVISIONED, False),
    ("Accepted", Reason.REQUEST_ACCEPTED, False),
)


def request_name(gang: AcceptedGang, spec: GangSpec, provisioning_class: str) -> str:
    """The name of the request for that spec. It is the same in every process, and differs for different requirements.

    A request is immutable. So if the size or the members change, a new request is needed.
    """
    roles = [
        [role.name, count, role.request, role.template.document.decoded()]
        for role, count in zip(spec.roles, gang.fewest_to_start, strict=True)
    ]
    asked = json.dumps([gang.uid, provisioning_class, spec.one_per, spec.all_in, roles], sort_keys=True, default=str)
    return f"{gang.key.name}-{sha256(asked.encode()).hexdigest()[:_DIGITS]}"


def template_name(request: str, number: int) -> str:
    """The name of the PodTemplate of a role. Roles are numbered from 0."""
    return f"{request}-{number}"


def template_manifest(gang: AcceptedGang, name: str, role: RoleSpec, pod: Mapping[str, Any]) -> NewManifest:
    """The PodTemplate of a role's members, made from ``pod``, which admission may have changed."""
    labels = pod["metadata"].get("labels") or {}
    kept = {template.decoded()["metadata"]["name"] for template in role.claim_templates}
    spec = {**pod["spec"], "volumes": [_as_asked(volume, kept) for volume in pod["spec"].get("volumes") or ()]}
    spec = _with_placement(spec, gang.spec, gang.key.name)
    return {
        "apiVersion": "v1",
        "kind": "PodTemplate",
        "metadata": owned_metadata(gang, name),
        "template": {"metadata": {"labels": labels}, "spec": spec},
    }


def request_manifest(gang: AcceptedGang, name: str, provisioning_class: str) -> NewManifest:
    """The request for the nodes of the smallest gang that may start now."""
    sets = [
        {"podTemplateRef": {"name": template_name(name, number)}, "count": count}
        for number, count in enumerate(gang.fewest_to_start)
    ]
    return {
        "apiVersion": GROUP_VERSION,
        "kind": KIND,
        "metadata": owned_metadata(gang, name),
        "spec": {"provisioningClassName": provisioning_class, "podSets": sets},
    }


def parse_node_request(manifest: Mapping[str, Any], owner: Owner) -> NodeRequest:
    """Parse the request of the gang that owns it."""
    metadata = manifest["metadata"]
    return NodeRequest(
        gang=owner.gang,
        gang_uid=owner.uid,
        name=metadata["name"],
        uid=metadata["uid"],
        created=epoch_seconds(metadata["creationTimestamp"]) or 0.0,
        templates=tuple(_templates(metadata["name"], manifest.get("spec"))),
        answer=parse_answer(manifest.get("status")),
    )


def parse_answer(status: object) -> NodesAnswer:
    """The answer in the status of a request. Fields of a wrong type count as missing."""
    conditions = {str(one.get("type")): one for one in _entries(status, "conditions")}
    for kind, reason, is_over in _CAME_TO:
        if conditions.get(kind, {}).get("status") == "True":
            return NodesAnswer(reason, _words(conditions[kind]), is_over=is_over)
    # The autoscaler tries again if it could not provide nodes yet.
    return NodesAnswer(message=_words(conditions.get("Provisioned", {})))


def _templates(request: str, spec: object) -> Iterator[str]:
    """The names of the PodTemplates that we made for the request. Other names in the request are left out."""
    for number, one in enumerate(_entries(spec, "podSets")[:_MOST_TEMPLATES]):
        reference, name = one.get("podTemplateRef"), template_name(request, number)
        if isinstance(reference, dict) and reference.get("name") == name:
            yield name


def _entries(whole: object, field: str) -> list[NewManifest]:
    found = whole.get(field) if isinstance(whole, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _words(condition: NewManifest) -> str:
    """The message of a condition as one printable line."""
    line = " ".join(str(condition.get("message") or "").split())
    return "".join(character for character in line if character.isprintable())[:_MOST_WORDS]


def _as_asked(volume: NewManifest, kept: set[str]) -> NewManifest:
    """A volume of a member's pod, for the PodTemplate.

    If the volume's claim is created with the member, an emptyDir replaces the volume: this claim does not exist yet.
    """
    is_own = volume["name"] in kept or "ephemeral" in volume
    return {"name": volume["name"], "emptyDir": {}} if is_own else volume


def _with_placement(pod: Mapping[str, Any], spec: GangSpec, gang: str) -> NewManifest:
    """The pod with affinity terms that express ``placement``, since an autoscaler reads only pods."""
    affinity = dict(pod.get("affinity") or {})
    for kind, label in (("podAntiAffinity", spec.one_per), ("podAffinity", spec.all_in)):
        if label:
            term = {"labelSelector": {"matchLabels": {GANG_LABEL: gang}}, "topologyKey": label}
            there = affinity.get(kind) or {}
            affinity[kind] = {**there, _REQUIRED: [*(there.get(_REQUIRED) or ()), term]}
    return {**pod, **({"affinity": affinity} if affinity else {})}
