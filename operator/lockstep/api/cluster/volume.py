"""Parses PersistentVolumes, PersistentVolumeClaims, CSINodes and VolumeAttachments."""

from lockstep.api.cluster.node_terms import parse_terms
from lockstep.api.cluster.zones import zone_affinities
from lockstep.api.label_selectors import parse_selector
from lockstep.api.manifest import Manifest
from lockstep.api.names import API_VERSION, GANG_KIND, SIZE_LABEL
from lockstep.api.quantities import whole_bytes
from lockstep.facts.cluster.volume import (
    AttachLimits,
    Attachment,
    ClaimFact,
    ClaimKey,
    CsiVolume,
    VolumeFact,
    VolumeHolder,
    VolumeOffer,
    VolumeRequest,
)

SELECTED_NODE = "volume.kubernetes.io/selected-node"
"""Annotation of a claim: the node for which its volume is made.

If a provisioner can't make the volume, it removes the annotation.
"""

# The annotation of a claim that is set when the claim and its volume are bound to each other.
_BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
# The annotation with the class of claims and volumes, from before the field existed. It has priority over the field.
_BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
# The most digits of a gang's size: a gang has at most 10,000 members.
_LONGEST_SIZE = 5
_STORAGE = "storage"


def parse_claim(manifest: Manifest) -> ClaimFact:
    """Parse a PersistentVolumeClaim. Raises ``ValueError`` if its requirements can't be parsed."""
    metadata, spec, status = manifest["metadata"], manifest.get("spec") or {}, manifest.get("status") or {}
    annotations = metadata.get("annotations") or {}
    request = parse_volume_request(spec)
    return ClaimFact(
        key=ClaimKey(metadata["namespace"], metadata["name"]),
        is_bound=_BIND_COMPLETED in annotations and status.get("phase") != "Lost",
        is_deleting="deletionTimestamp" in metadata,
        volume=spec.get("volumeName") or "",
        request=request._replace(storage_class=annotations.get(_BETA_CLASS, request.storage_class)),
        uid=metadata.get("uid", ""),
        selected_node=annotations.get(SELECTED_NODE, ""),
        owner=_owner(metadata),
        gang_size=_whole_number((metadata.get("labels") or {}).get(SIZE_LABEL, "")),
    )


def parse_volume_request(spec: Manifest) -> VolumeRequest:
    """The requirements in the spec of a claim. Raises ``ValueError`` if they can't be parsed."""
    return VolumeRequest(
        storage_class=spec.get("storageClassName"),
        size=whole_bytes(((spec.get("resources") or {}).get("requests") or {}).get(_STORAGE, "0")),
        modes=frozenset(spec.get("accessModes") or ()),
        is_block=spec.get("volumeMode") == "Block",
        selector=parse_selector(spec.get("selector")),
        attributes_class=spec.get("volumeAttributesClassName") or "",
    )


def parse_volume(manifest: Manifest) -> VolumeFact:
    """Parse a PersistentVolume. Its labels for zones and regions count as node affinities."""
    metadata, required = manifest["metadata"], (manifest["spec"].get("nodeAffinity") or {}).get("required")
    own = () if required is None else (parse_terms(required),)
    csi = manifest["spec"].get("csi")
    return VolumeFact(
        name=metadata["name"],
        affinities=own + zone_affinities(metadata.get("labels") or {}),
        csi=None if csi is None else CsiVolume(csi["driver"], csi["volumeHandle"]),
        offer=_offer(manifest),
    )


def parse_csi_node(manifest: Manifest) -> AttachLimits:
    """Parse a CSINode: how many volumes each driver can attach to the node of the same name."""
    drivers = manifest["spec"].get("drivers") or ()
    counts = {driver["name"]: (driver.get("allocatable") or {}).get("count") for driver in drivers}
    return AttachLimits(
        manifest["metadata"]["name"], {name: count for name, count in counts.items() if count is not None}
    )


def parse_attachment(manifest: Manifest) -> Attachment:
    """Parse a VolumeAttachment. If it is for an inline volume of a pod, it names no PersistentVolume."""
    spec = manifest["spec"]
    volume = spec["source"].get("persistentVolumeName") or ""
    return Attachment(manifest["metadata"]["name"], spec["nodeName"], spec["attacher"], volume)


def _owner(metadata: Manifest) -> str:
    """The UID of the GangJob or pod that controls a claim; '' if there is none."""
    kinds = ((API_VERSION, GANG_KIND), ("v1", "Pod"))
    owners = metadata.get("ownerReferences") or ()
    return next(
        (one["uid"] for one in owners if one.get("controller") and (one["apiVersion"], one["kind"]) in kinds), ""
    )


def _whole_number(text: str) -> int:
    """The number in a label; 0 if we did not write the label."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _LONGEST_SIZE else 0


def _offer(manifest: Manifest) -> VolumeOffer:
    metadata, spec = manifest["metadata"], manifest["spec"]
    beta = (metadata.get("annotations") or {}).get(_BETA_CLASS)
    return VolumeOffer(
        storage_class=beta if beta is not None else spec.get("storageClassName") or "",
        size=whole_bytes((spec.get("capacity") or {}).get(_STORAGE, "0")),
        modes=frozenset(spec.get("accessModes") or ()),
        is_block=spec.get("volumeMode") == "Block",
        labels=metadata.get("labels") or {},
        attributes_class=spec.get("volumeAttributesClassName") or "",
        is_available=(manifest.get("status") or {}).get("phase") == "Available",
        is_deleting="deletionTimestamp" in metadata,
        holder=_holder(spec.get("claimRef")),
    )


def _holder(claim: Manifest | None) -> VolumeHolder | None:
    if claim is None:
        return None
    return VolumeHolder(ClaimKey(claim.get("namespace") or "", claim.get("name") or ""), claim.get("uid") or "")
