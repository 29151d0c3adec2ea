"""The body of an eviction, and what its answer says."""

from http import HTTPStatus
from typing import Any

from lockstep.api.client.answer import Answer
from lockstep.facts.pods.pod import PodKey

_GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)


def eviction_manifest(pod: PodKey, uid: str, *, with_owned: bool) -> dict[str, Any]:
    """The eviction of the pod with that UID; ``with_owned`` deletes what it owns before the pod itself is gone."""
    propagation = {"propagationPolicy": "Foreground"} if with_owned else {}
    return {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"namespace": pod.namespace, "name": pod.name},
        "deleteOptions": {"preconditions": {"uid": uid}, **propagation},
    }


def why_not_evicted(answer: Answer) -> str:
    """Why a pod was not evicted; '' if it was, or if it is gone or another one by now."""
    return "" if answer.is_success or answer.code in _GONE else answer.message.rstrip(".")
