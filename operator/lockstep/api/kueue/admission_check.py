"""AdmissionChecks of Kueue whose controller is Lockstep, and the condition that reports them to Kueue as active."""

from typing import Any

from lockstep.api.client.answer import Target
from lockstep.api.client.object_names import segment
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.kueue import KUEUE_VERSION
from lockstep.api.times import rfc3339
from lockstep.facts.gang.workload import AdmissionCheck

CONTROLLER = "lockstep.dev/placement"
"""The controller name in an AdmissionCheck that asks Lockstep."""
ALL_CHECKS = Target(f"/apis/{KUEUE_VERSION}/admissionchecks", "admissionchecks")
_ACTIVE = "Active"


def parse_check(check: Manifest) -> AdmissionCheck:
    """Parse any AdmissionCheck."""
    conditions = (check.get("status") or {}).get("conditions") or ()
    is_active = any((one["type"], one["status"]) == (_ACTIVE, "True") for one in conditions)
    return AdmissionCheck(check["metadata"]["name"], check["spec"]["controllerName"] == CONTROLLER, is_active)


def check_at(name: str) -> Target:
    """The place of one AdmissionCheck in the API."""
    return Target(f"{ALL_CHECKS.path}/{segment(name)}", ALL_CHECKS.resource)


def check_status_at(name: str) -> Target:
    """The place of the status of one AdmissionCheck in the API."""
    return Target(f"{check_at(name).path}/status", f"{ALL_CHECKS.resource}/status")


def active_patch(check: Manifest, now: float) -> dict[str, Any]:
    """The merge patch of the status that reports the check as active, since the check has a controller.

    It applies only to the version that was read.
    """
    others = [one for one in (check.get("status") or {}).get("conditions") or () if one["type"] != _ACTIVE]
    condition = {
        "type": _ACTIVE,
        "status": "True",
        "reason": "Active",
        "message": "Lockstep plans Workloads with this check.",
        "lastTransitionTime": rfc3339(now),
        "observedGeneration": check["metadata"].get("generation", 0),
    }
    metadata = {name: check["metadata"][name] for name in ("uid", "resourceVersion")}
    return {"metadata": metadata, "status": {"conditions": [*others, condition]}}
