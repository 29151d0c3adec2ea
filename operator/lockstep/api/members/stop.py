"""Stops a pod without deleting it, by ``activeDeadlineSeconds``.

This field may be set or lowered while the pod runs. The kubelet then ends its containers with the grace period. The
phase becomes ``Failed`` when none runs any more. The pod and its logs stay.
"""

from collections.abc import Mapping
from typing import Any

# The least that the API server accepts. No pod that is meant to run has it.
_AT_ONCE_SECONDS = 1


def stop_patch(uid: str) -> dict[str, Any]:
    """A patch that stops the pod with that UID."""
    return {"metadata": {"uid": uid}, "spec": {"activeDeadlineSeconds": _AT_ONCE_SECONDS}}


def is_stopping(spec: Mapping[str, Any]) -> bool:
    """Whether the pod with that spec is being stopped, or was."""
    return spec.get("activeDeadlineSeconds") == _AT_ONCE_SECONDS
