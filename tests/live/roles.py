"""The operator's roles, taken away for a while: the whole binding, or one rule."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sandbox import Sandbox

ROLES = "/apis/rbac.authorization.k8s.io/v1"
BINDINGS, ROLE = f"{ROLES}/clusterrolebindings", f"{ROLES}/clusterroles/lockstep"


@contextmanager
def without_binding(api: Sandbox) -> Iterator[None]:
    """The operator's account has no role in the cluster."""
    place = f"{BINDINGS}/lockstep"
    manifest = without_history(api.request("GET", place))
    api.request("DELETE", place)
    try:
        yield
    finally:
        api.request("POST", BINDINGS, manifest)


@contextmanager
def without_rule(api: Sandbox, resource: str) -> Iterator[None]:
    """The operator's role has no rule about that resource."""
    whole = api.request("GET", ROLE)
    narrowed = {**whole, "rules": [rule for rule in whole["rules"] if resource not in rule["resources"]]}
    assert len(narrowed["rules"]) == len(whole["rules"]) - 1
    api.request("PUT", ROLE, narrowed)
    try:
        yield
    finally:
        version = api.request("GET", ROLE)["metadata"]["resourceVersion"]
        api.request("PUT", ROLE, {**whole, "metadata": {**whole["metadata"], "resourceVersion": version}})


def without_history(manifest: Mapping[str, Any]) -> dict[str, Any]:
    return {**manifest, "metadata": {"name": manifest["metadata"]["name"]}}
