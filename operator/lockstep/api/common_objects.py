"""The objects that all members of a gang share: a Service, and a ConfigMap with files."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from coschedule import GangKey
from lockstep.api.manifest import NewManifest
from lockstep.api.membership import owner_reference
from lockstep.api.names import API_VERSION, GANG_KIND, GANG_LABEL
from lockstep.facts.gang.gang import GangFact

# The most bytes of all files. etcd accepts larger objects, but the API server refuses larger ConfigMaps.
LARGEST_FILES = 2**20


class Owner(NamedTuple):
    """The GangJob that owns an object. A later GangJob of the same name has another UID."""

    gang: GangKey
    uid: str


def files_name(gang: str) -> str:
    """The name of the ConfigMap with the members' files."""
    return f"{gang}-hosts"


def service_manifest(gang: GangFact) -> NewManifest:
    """A headless Service, which gives each pod a DNS name, even before the pod is ready."""
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
    """The ConfigMap with the members' files. Its keys are the file names without their folders."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": owned_metadata(gang, files_name(gang.key.name)),
        "data": {file_key(path): content for path, content in files.items()},
    }


def file_key(path: str) -> str:
    """The key in the ConfigMap of the file at that path: the file name without its folders."""
    return path.rpartition("/")[2]


def owned_metadata(gang: GangFact, name: str) -> NewManifest:
    """The metadata of an object of that name, which the gang owns."""
    return {
        "name": name,
        "namespace": gang.key.namespace,
        "labels": {GANG_LABEL: gang.key.name},
        "ownerReferences": [owner_reference(gang)],
    }


def owner_uid(manifest: Mapping[str, Any], gang: GangFact) -> str | None:
    """The UID in the owner reference of an object, if its controller has the gang's kind and name; otherwise None."""
    wanted = owner_reference(gang)
    for owner in manifest["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            is_gang = all(owner.get(field) == wanted[field] for field in ("apiVersion", "kind", "name"))
            return str(owner["uid"]) if is_gang else None
    return None


def owning_gang(manifest: Mapping[str, Any]) -> Owner | None:
    """The GangJob that controls the object; None if no GangJob does."""
    metadata = manifest["metadata"]
    for owner in metadata.get("ownerReferences") or ():
        if owner.get("controller"):
            is_gang = (owner["apiVersion"], owner["kind"]) == (API_VERSION, GANG_KIND)
            return Owner(GangKey(metadata["namespace"], owner["name"]), str(owner["uid"])) if is_gang else None
    return None
