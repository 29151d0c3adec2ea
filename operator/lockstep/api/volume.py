"""Volumes, the claims for them, and what nodes can attach, as they come from the API server."""

from collections.abc import Mapping
from typing import Any

from lockstep.api.node_terms import parse_terms
from lockstep.api.zones import zone_affinities
from lockstep.facts.volume import AttachLimits, Attachment, ClaimFact, ClaimKey, CsiVolume, VolumeFact

Manifest = Mapping[str, Any]


# Set on a claim once both it and its volume say that they belong together.
_BIND_COMPLETED = "pv.kubernetes.io/bind-completed"


def parse_claim(manifest: Manifest) -> ClaimFact:
    """A PersistentVolumeClaim."""
    metadata, spec, status = manifest["metadata"], manifest.get("spec") or {}, manifest.get("status") or {}
    return ClaimFact(
        key=ClaimKey(metadata["namespace"], metadata["name"]),
        is_bound=_BIND_COMPLETED in (metadata.get("annotations") or {}) and status.get("phase") != "Lost",
        is_deleting="deletionTimestamp" in metadata,
        volume=spec.get("volumeName", ""),
        modes=frozenset(spec.get("accessModes") or ()),
    )


def parse_volume(manifest: Manifest) -> VolumeFact:
    """A PersistentVolume."""
    metadata, required = manifest["metadata"], (manifest["spec"].get("nodeAffinity") or {}).get("required")
    own = () if required is None else (parse_terms(required),)
    csi = manifest["spec"].get("csi")
    return VolumeFact(
        name=metadata["name"],
        affinities=own + zone_affinities(metadata.get("labels") or {}),
        csi=None if csi is None else CsiVolume(csi["driver"], csi["volumeHandle"]),
    )


def parse_csi_node(manifest: Manifest) -> AttachLimits:
    """A CSINode: what the drivers of the node of its name say."""
    drivers = manifest["spec"].get("drivers") or ()
    counts = {driver["name"]: (driver.get("allocatable") or {}).get("count") for driver in drivers}
    return AttachLimits(
        manifest["metadata"]["name"], {name: count for name, count in counts.items() if count is not None}
    )


def parse_attachment(manifest: Manifest) -> Attachment:
    """A VolumeAttachment. One of a volume that is named in a pod is no PersistentVolume's."""
    spec = manifest["spec"]
    volume = spec["source"].get("persistentVolumeName") or ""
    return Attachment(manifest["metadata"]["name"], spec["nodeName"], spec["attacher"], volume)
