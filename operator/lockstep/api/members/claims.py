"""The claims of members: how a GangJob states them, how they are named, and the patches that are written to them.

Kubernetes creates the claim of a pod's ephemeral volume. This claim is named after the pod, and deleted with the pod.
Lockstep creates the claims of a GangJob's claim templates. Such a claim is named NAME-GANG-RANK, and is deleted with
the gang. The code calls it a kept claim.
"""

from collections.abc import Iterator, Sequence
from typing import Any, assert_never

from lockstep.api.cluster.volume import SELECTED_NODE, parse_volume_request
from lockstep.api.manifest import Manifest
from lockstep.api.membership import owner_reference
from lockstep.api.names import GANG_LABEL, RANK_LABEL, SIZE_LABEL
from lockstep.facts.cluster.volume import ClaimFact, ClaimKey, ClaimUse, Sharing
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.pod import PodKey

_BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
# No rank has more digits: a gang has at most 10,000 members.
_LONGEST_RANK = 5


def claims_in_pod(pod: Manifest, path: str) -> Iterator[ClaimUse]:
    """The claims that a pod spec names or asks for; ``path`` is the path of its template.

    Raises ``ValueError`` if a size can't be parsed.
    """
    for number, volume in enumerate(pod.get("volumes") or ()):
        if "persistentVolumeClaim" in volume:
            field = f"{path}.spec.volumes[{number}].persistentVolumeClaim"
            yield ClaimUse(field, volume["persistentVolumeClaim"]["claimName"])
        elif "ephemeral" in volume:
            template = (volume["ephemeral"] or {}).get("volumeClaimTemplate") or {}
            request = parse_volume_request(template.get("spec") or {})
            yield ClaimUse(f"{path}.spec.volumes[{number}].ephemeral", volume["name"], Sharing.EPHEMERAL, request)


def claims_by_templates(templates: Sequence[Manifest], path: str) -> Iterator[ClaimUse]:
    """The kept claims of every member of a role, from the role's claim templates; ``path`` is the path of the role."""
    for number, template in enumerate(templates):
        request = parse_volume_request(template["spec"])
        yield ClaimUse(f"{path}volumeClaimTemplates[{number}]", template["metadata"]["name"], Sharing.KEPT, request)


def claim_of(use: ClaimUse, pod: PodKey, gang: str, rank: int) -> ClaimKey:
    """The claim that one member uses."""
    match use.sharing:
        case Sharing.SHARED:
            return ClaimKey(pod.namespace, use.claim)
        case Sharing.EPHEMERAL:
            return ClaimKey(pod.namespace, f"{pod.name}-{use.claim}")
        case Sharing.KEPT:
            return ClaimKey(pod.namespace, kept_claim(use.claim, gang, rank))
        case _:
            assert_never(use.sharing)


def kept_claim(template: str, gang: str, rank: int) -> str:
    """The name of the kept claim of a rank. It is the same in every attempt."""
    return f"{kept_stem(template, gang)}-{rank}"


def kept_stem(template: str, gang: str) -> str:
    """The common prefix of the names of a claim template's kept claims."""
    return f"{template}-{gang}"


def stem_and_rank(claim: str) -> tuple[str, int] | None:
    """The prefix and the rank in the name of a kept claim; None if the name has no rank."""
    stem, dash, text = claim.rpartition("-")
    rank = as_rank(text) if dash else None
    return None if rank is None else (stem, rank)


def as_rank(text: str) -> int | None:
    """The rank that a text in a name states; None if the text is not a rank."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= _LONGEST_RANK
    return int(text) if is_number and str(int(text)) == text else None


def with_kept_claims(pod: Manifest, templates: Sequence[Manifest], gang: str, rank: int) -> Manifest:
    """The spec of a member's pod with the volumes of its kept claims. Each replaces a volume of the same name."""
    if not templates:
        return pod
    names = [template["metadata"]["name"] for template in templates]
    own = [{"name": name, "persistentVolumeClaim": {"claimName": kept_claim(name, gang, rank)}} for name in names]
    return {**pod, "volumes": [*without_volumes(pod, templates)["volumes"], *own]}


def without_volumes(pod: Manifest, templates: Sequence[Manifest]) -> Manifest:
    """The spec of a template without the volumes that kept claims replace."""
    names = {template["metadata"]["name"] for template in templates}
    return {**pod, "volumes": [volume for volume in pod.get("volumes") or () if volume["name"] not in names]}


def without_kept_claims(pod: Manifest, uses: Sequence[ClaimUse]) -> Manifest:
    """The spec of a member's pod without the volumes of kept claims, so that members of all ranks are equal."""
    kept = {use.claim for use in uses if use.sharing is Sharing.KEPT}
    if not kept:
        return pod
    return {**pod, "volumes": [one for one in pod.get("volumes") or () if not _is_kept(one, kept)]}


def _is_kept(volume: Manifest, kept: set[str]) -> bool:
    claim = (volume.get("persistentVolumeClaim") or {}).get("claimName", "")
    return volume["name"] in kept and claim.startswith(f"{volume['name']}-")


def kept_claim_manifest(gang: GangFact, template: Manifest, rank: int, size: int) -> dict[str, Any]:
    """The kept claim of one rank, for a gang of that size. The GangJob owns the claim, which is deleted with it."""
    metadata = template["metadata"]
    labels = {GANG_LABEL: gang.key.name, RANK_LABEL: str(rank), SIZE_LABEL: str(size)}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": kept_claim(metadata["name"], gang.key.name, rank),
            "namespace": gang.key.namespace,
            "labels": {**(metadata.get("labels") or {}), **labels},
            "annotations": metadata.get("annotations") or {},
            "ownerReferences": [owner_reference(gang)],
        },
        "spec": template["spec"],
    }


def selected_node_patch(version: str, node: str | None) -> dict[str, Any]:
    """A patch that sets the selected node of that version of a claim. With None, it removes the selected node."""
    return {"metadata": {"resourceVersion": version, "annotations": {SELECTED_NODE: node}}}


def reservation_patch(version: str, claim: ClaimFact) -> dict[str, Any]:
    """A patch that reserves that version of a volume for a claim. Kubernetes then binds the two."""
    reference = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "namespace": claim.key.namespace,
        "name": claim.key.name,
        "uid": claim.uid,
    }
    # With this annotation, a reserved volume becomes free again when its claim is deleted.
    metadata = {"resourceVersion": version, "annotations": {_BOUND_BY_CONTROLLER: "yes"}}
    return {"metadata": metadata, "spec": {"claimRef": reference}}
