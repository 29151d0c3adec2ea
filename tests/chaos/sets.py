"""ReplicaSets of the walk, whose pods name a Gang that a user writes: some are to be evicted if they have to go."""

from collections.abc import Mapping
from typing import Any

from builders.manifests import API_VERSION, member_container
from live.pod_gangs import MEMBER_OF

SET_NAMES = ("set0", "set1")
EVICT, KEEP = "Evict", "Keep"


def gang_of_set(how: Mapping[str, Any]) -> dict[str, Any]:
    """The Gang of a ReplicaSet, as a step describes it."""
    spec = {"size": {"min": how["size"]}, "undo": how["undo"]}
    return {"apiVersion": API_VERSION, "kind": "Gang", "metadata": {"name": how["name"]}, "spec": spec}


def replica_set(how: Mapping[str, Any], node_selector: Mapping[str, str]) -> dict[str, Any]:
    """A ReplicaSet as a step describes it: it makes a new pod for each that is gone, and counts nothing."""
    labels = {MEMBER_OF: how["name"]}
    pod = {
        "schedulerName": "lockstep",
        "nodeSelector": node_selector,
        "terminationGracePeriodSeconds": 1,
        "containers": [member_container(how["cpu"])],
    }
    spec = {
        "replicas": how["size"],
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": pod},
    }
    return {"metadata": {"name": how["name"]}, "spec": spec}
