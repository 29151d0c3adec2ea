"""What the members of a gang have in common at the API: the Service that names them, the ConfigMap of their files."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from coschedule import GangKey
from lockstep.api.membership import owner_reference
from lockstep.api.names import API_VERSION, GANG_KIND, GANG_LABEL
from lockstep.facts.gang.gang import GangFact

Manifest = dict[str, Any]

# What etcd takes in one object is more; the API server refuses ConfigMaps beyond it.
LARGEST_FILES = 2**20


class Owner(NamedTuple):
    """A GangJob that owns an object: a later one of its name has another UID."""

    gang: GangKey
    uid: str


def files_name(gang: str) -> str:
    """The name of the ConfigMap."""
    return f"{gang}-hosts"


def service_manifest(gang: GangFact) -> Manifest:
    """A Service without an address of its own: each pod has a name below it, from before it is ready."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": owned_metadata(gang, gang.key.name),
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
        "metadata": owned_metadata(gang, files_name(gang.key.name)),
        "data": {file_key(path): content for path, content in files.items()},
    }


def file_key(path: str) -> str:
    """Under which key the ConfigMap has the file of that path."""
    return path.rpartition("/")[2]


def owned_metadata(gang: GangFact, name: str) -> Manifest:
    """What makes an object of that name one of the gang's."""
    return {
        "name": name,
        "namespace": gang.key.namespace,
        "labels": {GANG_LABEL: gang.key.name},
        "ownerReferences": [owner_reference(gang)],
    }


def owner_uid(manifest: Mapping[str, Any], gang: GangFact) -> str | None:
    """The UID of the GangJob of that name that owns the object; None where it is somebody else's."""
    owner = owning_gang(manifest)
    return owner.uid if owner is not None and owner.gang == gang.key else None


def owning_gang(manifest: Mapping[str, Any]) -> Owner | None:
    """The GangJob that owns the object; None where it is somebody else's, as the controlling owner decides."""
    metadata = manifest["metadata"]
    for owner in metadata.get("ownerReferences") or ():
        if owner.get("controller"):
            is_gang = (owner["apiVersion"], owner["kind"]) == (API_VERSION, GANG_KIND)
            return Owner(GangKey(metadata["namespace"], owner["name"]), str(owner["uid"])) if is_gang else None
    return None
