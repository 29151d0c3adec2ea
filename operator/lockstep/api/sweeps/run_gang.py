"""Makes the GangJob of a run: the sweep's template with one size, a name, an owner and the parameters."""

from typing import Any

from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.names import API_VERSION, GANG_KIND
from lockstep.api.sweeps.run_marks import run_metadata
from lockstep.facts.runs.sweep_run import Parameters
from lockstep.facts.sweeps.sweep import Sweep


def run_gang(sweep: Sweep, number: int, parameters: Parameters, size: int | None) -> NewManifest:
    """The GangJob of a run. Roles whose size varies get ``size`` members. With None, the template's sizes stay."""
    spec = sweep.spec.template.decoded()
    return {
        "apiVersion": API_VERSION,
        "kind": GANG_KIND,
        "metadata": run_metadata(sweep, number, parameters),
        "spec": spec if size is None else _with_size(spec, size),
    }


def sample_gang(sweep: Sweep) -> Manifest:
    """A GangJob of the sweep, as the API server would store it: for checks of what all its GangJobs have in common."""
    metadata = {"uid": "", "resourceVersion": "0", "creationTimestamp": "1970-01-01T00:00:00Z"}
    made = run_gang(sweep, 0, (), None)
    return {**made, "metadata": {**made["metadata"], **metadata}}


def _with_size(spec: dict[str, Any], size: int) -> dict[str, Any]:
    fixed = {"min": size, "max": size}
    if "roles" not in spec:
        return {**spec, "size": fixed}
    return {**spec, "roles": [{**role, "size": fixed} if _varies(role["size"]) else role for role in spec["roles"]]}


def _varies(size: Manifest) -> bool:
    allowed = size.get("allowed")
    return len(allowed) > 1 if allowed else size["min"] < size["max"]
