"""The ConfigMap in which the pods of a Gang find all its pods and their nodes.

No ConfigMap of a GangJob has such a name: the names of its ConfigMaps end with a hyphen and a word.
"""

from collections.abc import Sequence
from typing import NamedTuple

from lockstep.api.manifest import NewManifest
from lockstep.api.membership import owner_reference
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import object_name

HOSTS_KEY = "hosts"
MEMBERS_KEY = "members"


class ListedPod(NamedTuple):
    """A pod of the list. Pods compare in the order of the list. ``host`` is '' if the pod has no name in DNS."""

    rank: int
    name: str
    node: str
    host: str


def host_list_name(gang: str) -> str:
    """The name of the ConfigMap of the Gang of that name."""
    return f"{gang}.hosts"


def host_list_data(pods: Sequence[ListedPod]) -> dict[str, str]:
    """The contents of the ConfigMap: a list of hosts, and a list of ranks, names and nodes, with one line per pod."""
    return {
        HOSTS_KEY: "".join(f"{pod.host or pod.name}\n" for pod in pods),
        MEMBERS_KEY: "".join(f"{pod.rank} {pod.name} {pod.node}\n" for pod in pods),
    }


def host_list_manifest(gang: GangFact, data: dict[str, str]) -> NewManifest:
    """The ConfigMap. It is deleted with the Gang."""
    metadata = {
        "name": host_list_name(object_name(gang.key)),
        "namespace": gang.key.namespace,
        "ownerReferences": [owner_reference(gang)],
    }
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
