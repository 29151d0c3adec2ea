"""Stops a pod without deleting it, by ``activeDeadlineSeconds``.

This field may be set or lowered while the pod runs. The kubelet then ends the containers with their grace period. When
none runs any more, the phase becomes ``Failed``. The pod and its logs stay.
"""

from collections.abc import Mapping
from typing import Any

# The least value that the API server accepts. No pod that should run has it.
_AT_ONCE_SECONDS = 1


def stop_patch(uid: str) -> dict[str, Any]:
    """A patch that stops the pod with that UID."""
    return {"metadata": {"uid": uid}, "spec": {"activeDeadlineSeconds": _AT_ONCE_SECONDS}}


def is_stopping(spec: Mapping[str, Any]) -> bool:
    """Whether the pod with that spec is being stopped, or has been stopped."""
    return spec.get("activeDeadlineSeconds") == _AT_ONCE_SECONDS
