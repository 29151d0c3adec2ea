"""Installs Lockstep: applies the manifests that a cluster needs before the operator starts."""

from http import HTTPStatus

from lockstep_demo.manifests import INSTALLED
from sandbox import ApiError, Sandbox
from sandbox.waiting import wait_until

SERVED_SECONDS = 90.0
KINDS = ("gangjobs", "gangs", "nodebids")
# After a kind was installed, the API server does not know the kind at first. Then it prepares the storage of the kind.
NOT_SERVED_YET = (HTTPStatus.NOT_FOUND, HTTPStatus.TOO_MANY_REQUESTS)


def install(sandbox: Sandbox) -> None:
    """Apply the CRDs and the operator's rights, and return when the API server serves the kinds."""
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
