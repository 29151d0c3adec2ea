"""The condition DisruptionTarget of evicted members."""

from typing import Any

from lockstep.api.quantities import rfc3339

DISRUPTION_TARGET = "DisruptionTarget"
_BY_SCHEDULER = "PreemptionByScheduler"


def disruption_manifest(uid: str, why: str, now: float) -> dict[str, Any]:
    """A patch that writes the condition DisruptionTarget to the pod with that UID."""
    condition = {
        "type": DISRUPTION_TARGET,
        "status": "True",
        "reason": _BY_SCHEDULER,
        "message": why,
        "lastTransitionTime": rfc3339(now),
    }
    return {"metadata": {"uid": uid}, "status": {"conditions": [condition]}}
