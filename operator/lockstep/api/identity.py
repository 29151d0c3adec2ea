"""What identifies a GangJob or Gang among all objects, and its version."""

from typing import Any

from coschedule import GangKey
from lockstep.api.manifest import Manifest
from lockstep.api.names import CREATED_BY_ANNOTATION, QUEUE_LABEL
from lockstep.api.quantities import epoch_seconds

LONGEST_USER = 256
"""In characters; of a longer name the beginning counts."""


def created_by(metadata: Manifest) -> str:
    """The user who created an object, as its annotation says; empty without one.

    Only where an admission policy writes and freezes the annotation, it is more than what a client says.
    """
    return str((metadata.get("annotations") or {}).get(CREATED_BY_ANNOTATION) or "")[:LONGEST_USER]


def queue_of(metadata: Manifest) -> str:
    """The queue of Kueue that an object names in its labels; empty without one."""
    return str((metadata.get("labels") or {}).get(QUEUE_LABEL) or "")


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
