"""The objects that all members of a gang share: its Service, and the ConfigMap with their files."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from coschedule import GangKey
from lockstep.api.manifest import NewManifest
from lockstep.api.membership import owner_reference
from lockstep.api.names import API_VERSION, GANG_KIND, GANG_LABEL
from lockstep.facts.gang.gang import GangFact

# In bytes. etcd accepts larger objects, but the API server refuses larger ConfigMaps.
LARGEST_FILES = 2**20


class Owner(NamedTuple):
    """The GangJob that owns an object; a later one of the same name has another UID."""

    gang: GangKey
    uid: str


def files_name(gang: str) -> str:
    """The name of the ConfigMap with the members' files."""
    return f"{gang}-hosts"


def service_manifest(gang: GangFact) -> NewManifest:
    """A headless Service: each pod has a DNS name below it, even before it is ready."""
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


def files_manifest(gang: GangFact, files: Mapping[str, str]) -> NewManifest:
    """The ConfigMap with the members' files. Its keys are the last parts of their paths."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": owned_metadata(gang, files_name(gang.key.name)),
        "data": {file_key(path): content for path, content in files.items()},
    }


def file_key(path: str) -> str:
    """The key of that file in the ConfigMap."""
    return path.rpartition("/")[2]


def owned_metadata(gang: GangFact, name: str) -> NewManifest:
    """The metadata of an object of that name that the gang owns."""
    return {
        "name": name,
        "namespace": gang.key.namespace,
        "labels": {GANG_LABEL: gang.key.name},
        "ownerReferences": [owner_reference(gang)],
    }


def owner_uid(manifest: Mapping[str, Any], gang: GangFact) -> str | None:
    """The UID of the gang of that name that controls an object of its namespace; None where no such gang does."""
    wanted = owner_reference(gang)
    for owner in manifest["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            is_gang = all(owner.get(field) == wanted[field] for field in ("apiVersion", "kind", "name"))
            return str(owner["uid"]) if is_gang else None
    return None


def owning_gang(manifest: Mapping[str, Any]) -> Owner | None:
    """The GangJob that controls the object; None where there is none."""
    metadata = manifest["metadata"]
    for owner in metadata.get("ownerReferences") or ():
        if owner.get("controller"):
            is_gang = (owner["apiVersion"], owner["kind"]) == (API_VERSION, GANG_KIND)
            return Owner(GangKey(metadata["namespace"], owner["name"]), str(owner["uid"])) if is_gang else None
    return None
