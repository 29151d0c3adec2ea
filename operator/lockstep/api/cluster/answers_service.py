"""The APIService for answers to tenants. It makes the API server forward requests to Lockstep's server of answers."""

from typing import Any

from lockstep.api.manifest import Manifest
from lockstep.api.times import epoch_seconds

ANSWERS_GROUP = "answers.lockstep.dev"
ANSWERS_VERSION = "v1alpha1"
ANSWERS_API = f"{ANSWERS_GROUP}/{ANSWERS_VERSION}"
APISERVICE = f"{ANSWERS_VERSION}.{ANSWERS_GROUP}"
"""The name of the APIService. The API server requires that it consists of version and group."""

_GROUP_PRIORITY = 1000
_VERSION_PRIORITY = 15


def apiservice_manifest(namespace: str, service: str, port: int, authority: str) -> dict[str, Any]:
    """The APIService that points to a Service.

    ``authority`` (base64 of PEM) has signed the certificate of the server behind this Service.
    """
    return {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": APISERVICE},
        "spec": {
            "group": ANSWERS_GROUP,
            "version": ANSWERS_VERSION,
            "groupPriorityMinimum": _GROUP_PRIORITY,
            "versionPriority": _VERSION_PRIORITY,
            "service": {"namespace": namespace, "name": service, "port": port},
            "caBundle": authority,
        },
    }


def dead_since(manifest: Manifest) -> float | None:
    """Since when the server of an APIService does not answer, in seconds since 1970.

    It is None unless the condition ``Available`` is False and the APIService names a Service.
    """
    available = _available(manifest)
    if available.get("status") != "False" or not manifest["spec"].get("service"):
        return None
    return epoch_seconds(available["lastTransitionTime"])


def is_available(manifest: Manifest) -> bool:
    """Whether the server to which an APIService points answers the API server."""
    return _available(manifest).get("status") == "True"


def _available(manifest: Manifest) -> Manifest:
    conditions = (manifest.get("status") or {}).get("conditions") or ()
    return next((one for one in conditions if one["type"] == "Available"), {})
