"""Checks that the operator works: submits a gang with one small member, and deletes the gang when it is placed."""

import asyncio
import secrets
from collections.abc import Callable, Mapping
from http import HTTPStatus
from time import monotonic
from typing import Any

from coschedule import GangKey
from lockstep.api.client import paths
from lockstep.api.client.answer import Answer, Target
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import Configuration
from lockstep.api.names import API_VERSION, GANG_KIND

_POLL_SECONDS = 0.2
_NOT_SEEN = "No operator has read it."


class CheckError(Exception):
    """The gang was not placed; the message says why."""


async def check(
    configuration: Configuration, *, namespace: str, image: str, within: float, waiting: Callable[[], None]
) -> float:
    """Submit a gang in that namespace; returns the seconds until it was placed, or raises ``CheckError``.

    ``waiting`` is called after each read in which the gang is not placed yet. The gang is deleted in any case. This
    needs the verbs create, get and delete on GangJobs in the namespace.
    """
    async with KubeClient(configuration, concurrency=1, observer=lambda *_: None) as client:
        manifest = _gang(namespace, image)
        gang = paths.gang(GangKey(namespace, manifest["metadata"]["name"]))
        submitting = asyncio.create_task(_submit(client, gang, manifest))
        try:
            # An interruption does not cancel the request, since the API server might still carry it out.
            submitted = await asyncio.shield(submitting)
            if not submitted.is_success:
                raise CheckError(f"The API server refuses a GangJob in {namespace}: {submitted.message}.")
            return await _seconds_until_placed(client, gang, within, waiting)
        finally:
            submitted = await submitting
            if submitted.is_success:
                await client.delete(gang, uid=submitted.body["metadata"]["uid"])


async def _submit(client: KubeClient, gang: Target, manifest: Mapping[str, Any]) -> Answer:
    """Create the gang; returns it also if an earlier try has created it, and the answer to that try was lost.

    The name of the gang is random. So if the name exists, it is from an earlier try.
    """
    answer = await client.create(paths.gangs_of(manifest["metadata"]["namespace"]), manifest)
    return await client.get(gang) if answer.code == HTTPStatus.CONFLICT else answer


async def _seconds_until_placed(client: KubeClient, gang: Target, within: float, waiting: Callable[[], None]) -> float:
    begun = monotonic()
    while True:
        seen = await client.get(gang)
        if not seen.is_success:
            raise CheckError(f"The gang can't be read: {seen.message}.")
        conditions = {one["type"]: one for one in seen.body.get("status", {}).get("conditions", ())}
        if conditions.get("Placed", {}).get("status") == "True":
            return monotonic() - begun
        if monotonic() - begun > within:
            raise CheckError(f"The gang was not placed within {within:g} s. {_reason(conditions)}")
        waiting()
        await asyncio.sleep(_POLL_SECONDS)


def _reason(conditions: Mapping[str, Mapping[str, Any]]) -> str:
    """The message of the first condition that is False."""
    for name in ("Accepted", "Planned", "Placed"):
        if conditions.get(name, {}).get("status") == "False":
            return str(conditions[name]["message"])
    return _NOT_SEEN if not conditions else "It is still being placed."


def _gang(namespace: str, image: str) -> dict[str, Any]:
    """The manifest of a gang that the Pod Security Standard ``restricted`` admits, with very small requests."""
    return {
        "apiVersion": API_VERSION,
        "kind": GANG_KIND,
        "metadata": {"name": f"lockstep-check-{secrets.token_hex(3)}", "namespace": namespace},
        "spec": {"size": {"min": 1, "max": 1}, "template": {"spec": _pod(image)}},
    }


def _pod(image: str) -> dict[str, Any]:
    return {
        "automountServiceAccountToken": False,
        "securityContext": {"runAsNonRoot": True, "runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [
            {
                "name": "member",
                "image": image,
                # With this argument the operator's image exits with 0. The pause image ignores it.
                "args": ["--version"],
                "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"memory": "128Mi"}},
                "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
            }
        ],
    }
