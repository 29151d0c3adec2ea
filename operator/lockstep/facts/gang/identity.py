"""The identity of a GangJob or Gang among all objects, and its version."""

from dataclasses import dataclass, fields
from typing import Any

from coschedule import GangKey


@dataclass(frozen=True, slots=True, kw_only=True)
class GangIdentity:
    """The object of a gang, and its version. ``created`` is in seconds since 1970."""

    key: GangKey
    uid: str
    resource_version: str
    generation: int
    created: float
    is_deleting: bool

    def identity(self) -> dict[str, Any]:
        """The fields of ``GangIdentity`` by name, without those of a subclass."""
        return {one.name: getattr(self, one.name) for one in fields(GangIdentity)}
