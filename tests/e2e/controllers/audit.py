"""What the API server has recorded of the operator's requests for the end of pods."""

from collections.abc import Iterable, Mapping
from typing import Any

OPERATOR = "system:serviceaccount:lockstep-system:lockstep"
DELETIONS = ("delete", "deletecollection")


def pods_ended_by_operator(events: Iterable[Mapping[str, Any]]) -> list[str]:
    """The operator's deletions and evictions of pods, whatever came of them."""
    return [f"{one['verb']} {one['requestURI']}" for one in requests_of_operator(events) if _ends_a_pod(one)]


def requests_of_operator(events: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """All of the operator's requests: there are some."""
    own = [one for one in events if _is_by_operator(one)]
    assert own, "a log that has nothing of the operator proves nothing"
    return own


def _is_by_operator(event: Mapping[str, Any]) -> bool:
    return bool(event["user"]["username"] == OPERATOR)


def _ends_a_pod(event: Mapping[str, Any]) -> bool:
    about = event.get("objectRef") or {}
    is_eviction = about.get("subresource") == "eviction"
    return about.get("resource") == "pods" and (is_eviction or event["verb"] in DELETIONS)
