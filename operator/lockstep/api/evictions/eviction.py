"""The body of an eviction, and the meaning of its answer."""

from typing import Any

from lockstep.api.client.answer import Answer
from lockstep.facts.pods.pod import PodKey


def eviction_manifest(pod: PodKey, uid: str, *, with_owned: bool) -> dict[str, Any]:
    """The eviction of the pod with that UID.

    ``with_owned`` deletes the objects that the pod owns before the pod itself.
    """
    propagation = {"propagationPolicy": "Foreground"} if with_owned else {}
    return {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"namespace": pod.namespace, "name": pod.name},
        "deleteOptions": {"preconditions": {"uid": uid}, **propagation},
    }


def why_not_evicted(answer: Answer) -> str:
    """The reason why a pod was not evicted; '' if it was, or if a pod with this UID no longer exists."""
    return "" if answer.is_success or answer.is_gone_or_changed else answer.message.rstrip(".")
