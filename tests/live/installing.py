"""Everything of ours that is applied to a cluster."""

from pathlib import Path

from eventually import eventually
from sandbox import ApiError, Sandbox

ROOT = Path(__file__).parents[2]


def install(api: Sandbox) -> None:
    """Apply the kinds and the operator's rights, and return once the API server serves them."""
    for path in ("crds/gangjobs.yaml", "crds/nodebids.yaml", "operator/rbac.yaml"):
        api.apply(ROOT / path)
    eventually(lambda: _knows_our_kinds(api))


def _knows_our_kinds(api: Sandbox) -> bool:
    try:
        listed = api.request("GET", "/apis/lockstep.dev/v1alpha1")["resources"]
    except ApiError:
        return False
    return {"gangjobs", "nodebids"} <= {one["name"] for one in listed}
