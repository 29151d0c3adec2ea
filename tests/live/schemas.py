"""The schemas that an API server publishes."""

from collections.abc import Mapping
from typing import Any

from eventually import eventually
from live.arena import GANGS
from sandbox import ApiError, Sandbox

OWN_KINDS = ("GangJob", "NodeBid")


def schemas_of(api: Sandbox, group: str) -> Mapping[str, Any]:
    """The schemas of a group by name, such as ``/api/v1``."""
    schemas: Mapping[str, Any] = api.request("GET", f"/openapi/v3{group}")["components"]["schemas"]
    return schemas


def own_schemas(api: Sandbox) -> Mapping[str, Any]:
    """The schemas of our kinds, once they are published; kinds are served a moment earlier."""
    return eventually(lambda: _published(api))


def _published(api: Sandbox) -> Mapping[str, Any]:
    try:
        schemas = schemas_of(api, GANGS)
    except ApiError as error:
        if error.status != 404:
            raise
        return {}
    return schemas if all(f"dev.lockstep.v1alpha1.{kind}" in schemas for kind in OWN_KINDS) else {}
