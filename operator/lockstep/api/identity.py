"""Parses the metadata of GangJobs, Gangs and GangSweeps: identity, version, user and queue."""

from typing import Any

from coschedule import GangKey
from lockstep.api.manifest import Manifest
from lockstep.api.names import CREATED_BY_ANNOTATION, QUEUE_LABEL
from lockstep.api.quantities import epoch_seconds

LONGEST_USER = 256
"""The most characters of a user's name that are kept."""


def created_by(metadata: Manifest) -> str:
    """The user who created an object, by its annotation; '' without the annotation.

    Clients may write any name, unless an admission policy writes the annotation and protects it.
    """
    return str((metadata.get("annotations") or {}).get(CREATED_BY_ANNOTATION) or "")[:LONGEST_USER]


def queue_of(metadata: Manifest) -> str:
    """Kueue's queue that the labels of an object name; '' without the label."""
    return str((metadata.get("labels") or {}).get(QUEUE_LABEL) or "")


def identity(key: GangKey, metadata: Manifest) -> dict[str, Any]:
    """The fields of ``GangIdentity``. Users choose only the key; the API server sets all other fields."""
    return {
        "key": key,
        "uid": metadata["uid"],
        "resource_version": metadata["resourceVersion"],
        "generation": metadata.get("generation", 0),
        "created": epoch_seconds(metadata["creationTimestamp"]) or 0.0,
        "is_deleting": "deletionTimestamp" in metadata,
    }
