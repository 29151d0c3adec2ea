"""What identifies a GangJob or Gang among all objects, and its version."""

from typing import Any

from coschedule import GangKey
from lockstep.api.manifest import Manifest
from lockstep.api.quantities import epoch_seconds


def identity(key: GangKey, metadata: Manifest) -> dict[str, Any]:
    """The fields of ``GangIdentity``. The API server sets all of them, and nothing that users write is read."""
    return {
        "key": key,
        "uid": metadata["uid"],
        "resource_version": metadata["resourceVersion"],
        "generation": metadata.get("generation", 0),
        "created": epoch_seconds(metadata["creationTimestamp"]) or 0.0,
        "is_deleting": "deletionTimestamp" in metadata,
    }
