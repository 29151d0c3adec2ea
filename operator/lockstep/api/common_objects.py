"""What the members of a gang have in common at the API: the Service that names them, the ConfigMap of their files."""

from collections.abc import Mapping
from typing import Any

from lockstep.api.membership import owner_reference
from lockstep.api.names import API_VERSION, GANG_KIND, GANG_LABEL
from lockstep.facts.gang import GangFact

Manifest = dict[str, Any]

# What etcd takes in one object is more; the API server refuses ConfigMaps beyond it.
LARGEST_FILES = 2**20


def files_name(gang: str) -> str:
    """The name of the ConfigMap."""
    return f"{gang}-hosts"


def service_manifest(gang: GangFact) -> Manifest:
    """A Service without an address of its own: each pod has a name below it, from before it is ready."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _metadata(gang, gang.key.name),
        "spec": {
            "clusterIP": "None",
            "publishNotReadyAddresses": True,
            "selector": {GANG_LABEL: gang.key.name},
        },
    }


def files_manifest(gang: GangFact, files: Mapping[str, str]) -> Manifest:
    """The members' files, by the last parts of their paths."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _metadata(gang, files_name(gang.key.name)),
        "data": {file_key(path): content for path, content in files.items()},
    }


def file_key(path: str) -> str:
    """Under which key the ConfigMap has the file of that path."""
    return path.rpartition("/")[2]


def owner_uid(manifest: Mapping[str, Any], gang: GangFact) -> str | None:
    """The UID of the GangJob of that name that owns the object; None where it is somebody else's."""
    for owner in manifest["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            is_of_name = (owner["apiVersion"], owner["kind"], owner["name"]) == (API_VERSION, GANG_KIND, gang.key.name)
            return str(owner["uid"]) if is_of_name else None
    return None


def _metadata(gang: GangFact, name: str) -> Manifest:
    return {
        "name": name,
        "namespace": gang.key.namespace,
        "labels": {GANG_LABEL: gang.key.name},
        "ownerReferences": [owner_reference(gang)],
    }
