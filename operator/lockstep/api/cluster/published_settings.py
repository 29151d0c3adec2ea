"""The ConfigMap beside the lease in which the leader publishes by which options it plans, for all who ask why."""

from collections.abc import Mapping
from typing import Any

Manifest = Mapping[str, Any]

USUAL_PLACE = "lockstep-system/lockstep-settings"
# More than all options together can have; what is larger was written by somebody else.
_MOST_CHARACTERS = 16_384


def published_under(lease: str) -> str:
    """The name of the ConfigMap of those who agree by a lease of that name."""
    return f"{lease}-settings"


def settings_manifest(namespace: str, name: str, settings: Mapping[str, str], *, version: str) -> dict[str, Any]:
    """What stands there next; ``version`` is what it replaces, and empty where there is none."""
    metadata = {"namespace": namespace, "name": name, **({"resourceVersion": version} if version else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": dict(settings)}


def parse_published(manifest: Manifest) -> dict[str, str]:
    """Options by their names, without ``--``, as one types them; nothing where that can't be what a leader wrote."""
    data = manifest.get("data")
    if not isinstance(data, dict) or not all(isinstance(value, str) for value in data.values()):
        return {}
    return dict(data) if sum(map(len, data.values())) <= _MOST_CHARACTERS else {}
