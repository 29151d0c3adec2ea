"""Stopping a pod without deleting it: its kubelet ends what is active for longer than the pod's spec says.

``activeDeadlineSeconds`` of a pod may be set, or lowered, while it runs. The kubelet then ends its containers, with the
grace period, and says ``Failed`` when none runs any more; the pod stays, and what it wrote.
"""

from collections.abc import Mapping
from typing import Any

# The least that the API server takes. No pod that is meant to run has it.
_AT_ONCE_SECONDS = 1


def stop_patch(uid: str) -> dict[str, Any]:
    """What has the pod of that UID stopped."""
    return {"metadata": {"uid": uid}, "spec": {"activeDeadlineSeconds": _AT_ONCE_SECONDS}}


def is_stopping(spec: Mapping[str, Any]) -> bool:
    """Whether the pod of that spec is to be stopped, or was."""
    return spec.get("activeDeadlineSeconds") == _AT_ONCE_SECONDS
