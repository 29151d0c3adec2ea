"""Finds which clients have set a field of an object, by ``managedFields``."""

from typing import Any

from lockstep.api.manifest import Manifest


def managers_of(manifest: Manifest, *path: str) -> set[str]:
    """The managers of the field at that path. A manager whose value another one has changed is not among them."""
    entries = manifest["metadata"].get("managedFields") or ()
    return {entry.get("manager", "") for entry in entries if _has(entry.get("fieldsV1"), path)}


def _has(fields: Any, path: tuple[str, ...]) -> bool:
    for name in path:
        fields = (fields or {}).get(f"f:{name}")
    return fields is not None
