"""Installing Lockstep: what is applied to a cluster before the operator starts."""

from http import HTTPStatus

from lockstep_demo.manifests import INSTALLED
from sandbox import ApiError, Sandbox
from sandbox.waiting import wait_until

SERVED_SECONDS = 90.0
KINDS = ("gangjobs", "gangs", "nodebids")
# A kind that has just been installed is unknown at first, and then its storage is prepared.
NOT_SERVED_YET = (HTTPStatus.NOT_FOUND, HTTPStatus.TOO_MANY_REQUESTS)


def install(sandbox: Sandbox) -> None:
    """Apply the kinds and the operator's rights, and return once the API server serves the kinds."""
    sandbox.kubectl("apply", *(f"--filename={path}" for path in INSTALLED))
    wait_until(lambda: _serves_our_kinds(sandbox), seconds=SERVED_SECONDS, what="the API server to serve the kinds")


def _serves_our_kinds(sandbox: Sandbox) -> bool:
    try:
        for kind in KINDS:
            sandbox.request("GET", f"/apis/lockstep.dev/v1alpha1/{kind}")
    except ApiError as error:
        if error.status in NOT_SERVED_YET:
            return False
        raise
    return True
