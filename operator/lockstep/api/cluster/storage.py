"""Parses StorageClasses, CSIDrivers and CSIStorageCapacities."""

from coschedule import NodeTerm, Requirement
from lockstep.api.label_selectors import parse_selector
from lockstep.api.manifest import Manifest
from lockstep.api.quantities import epoch_seconds, whole_bytes
from lockstep.facts.cluster.volume import CapacityKey, CsiDriver, StorageCapacity, StorageClass

_WAITS = "WaitForFirstConsumer"
# Old clusters use the second annotation.
_DEFAULT = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")


def parse_storage_class(manifest: Manifest) -> StorageClass:
    """Parse a StorageClass. Either of two annotations makes it the default class."""
    metadata, topologies = manifest["metadata"], manifest.get("allowedTopologies")
    annotations = metadata.get("annotations") or {}
    return StorageClass(
        name=metadata["name"],
        provisioner=manifest["provisioner"],
        waits=manifest.get("volumeBindingMode") == _WAITS,
        topologies=tuple(map(_term, topologies)) if topologies else None,
        is_default=any(annotations.get(key) == "true" for key in _DEFAULT),
        created=epoch_seconds(metadata.get("creationTimestamp")) or 0.0,
    )


def parse_csi_driver(manifest: Manifest) -> CsiDriver:
    """Parse the name of a CSIDriver, and whether it publishes its capacity."""
    return CsiDriver(manifest["metadata"]["name"], (manifest.get("spec") or {}).get("storageCapacity") is True)


def parse_capacity(manifest: Manifest) -> StorageCapacity:
    """Parse a CSIStorageCapacity.

    If it does not state the largest size of a volume, the remaining capacity counts as this size.
    """
    metadata = manifest["metadata"]
    largest = manifest.get("maximumVolumeSize")
    if largest is None:
        largest = manifest.get("capacity")
    return StorageCapacity(
        key=CapacityKey(metadata["namespace"], metadata["name"]),
        storage_class=manifest["storageClassName"],
        largest=None if largest is None else whole_bytes(largest),
        nodes=parse_selector(manifest.get("nodeTopology")),
    )


def _term(topology: Manifest) -> NodeTerm:
    """The node labels that an allowed topology requires. A topology without requirements allows no node."""
    expressions = topology.get("matchLabelExpressions") or ()
    return NodeTerm(tuple(Requirement(one["key"], "In", tuple(one.get("values") or ())) for one in expressions), ())
