"""The ConfigMap beside the lease with the options of the leader, for commands that plan as it does."""

from collections.abc import Mapping
from typing import Any

from lockstep.api.manifest import Manifest

USUAL_PLACE = "lockstep-system/lockstep-settings"
# More characters than all options can have together: longer content was not written by us.
_MOST_CHARACTERS = 16_384


def published_under(lease: str) -> str:
    """The name of the ConfigMap that belongs to a lease of that name."""
    return f"{lease}-settings"


def settings_manifest(namespace: str, name: str, settings: Mapping[str, str], *, version: str) -> dict[str, Any]:
    """The next content of the ConfigMap; ``version`` is that of the one it replaces, empty where there is none."""
    metadata = {"namespace": namespace, "name": name, **({"resourceVersion": version} if version else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": dict(settings)}


def parse_published(manifest: Manifest) -> dict[str, str]:
    """Options by name, without ``--``; empty where a leader can't have written that."""
    data = manifest.get("data")
    if not isinstance(data, dict) or not all(isinstance(value, str) for value in data.values()):
        return {}
    return dict(data) if sum(map(len, data.values())) <= _MOST_CHARACTERS else {}
