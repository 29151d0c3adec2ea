"""The ConfigMap with the leader's options, in the lease's namespace. Commands read it to plan as the leader does."""

from collections.abc import Mapping
from typing import Any

from lockstep.api.manifest import Manifest

USUAL_PLACE = "lockstep-system/lockstep-settings"
# All options together have fewer characters. So longer content is from another writer.
_MOST_CHARACTERS = 16_384


def published_under(lease: str) -> str:
    """The name of the ConfigMap that belongs to the lease of that name."""
    return f"{lease}-settings"


def settings_manifest(namespace: str, name: str, settings: Mapping[str, str], *, version: str) -> dict[str, Any]:
    """The ConfigMap to write.

    It replaces the ConfigMap of that ``version``, which is '' if there is no ConfigMap yet.
    """
    metadata = {"namespace": namespace, "name": name, **({"resourceVersion": version} if version else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": dict(settings)}


def parse_published(manifest: Manifest) -> dict[str, str]:
    """The options by name, without ``--``; empty if a leader can't have written the content."""
    data = manifest.get("data")
    if not isinstance(data, dict) or not all(isinstance(value, str) for value in data.values()):
        return {}
    return dict(data) if sum(map(len, data.values())) <= _MOST_CHARACTERS else {}
