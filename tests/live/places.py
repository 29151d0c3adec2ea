"""On which nodes the pods of a gang are, by one answer of the API server: two answers are of two moments."""

from collections.abc import Collection, Iterable
from typing import Any

Places = dict[str, str]
"""The node of each pod by the pod's UID; '' for a pod that is not bound."""


def places_of(pods: Iterable[dict[str, Any]]) -> Places:
    """Where these pods are."""
    return {pod["metadata"]["uid"]: pod["spec"].get("nodeName", "") for pod in pods}


def are_bound(places: Places, size: int) -> bool:
    """Whether so many pods are on nodes, and no other pod waits."""
    return len(places) == size and all(places.values())


def are_anew(places: Places, old: Collection[str], size: int) -> bool:
    """Whether there are so many pods, and none of those with these UIDs."""
    return len(places) == size and not places.keys() & set(old)


def are_bound_anew(places: Places, old: Collection[str], size: int) -> bool:
    """Whether so many pods are on nodes, and none of those with these UIDs is there."""
    return are_bound(places, size) and are_anew(places, old, size)
