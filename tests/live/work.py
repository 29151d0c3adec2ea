"""Work that never ends: small gangs, submitted one after the other beside a test, while earlier ones end."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from builders.manifests import gang
from live.background import Background
from lockstep.api.client.answer import Target
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import load_configuration
from sandbox import Sandbox

PAUSE_SECONDS = 1.0
MOST_UNFINISHED = 10


@contextmanager
def steady_work(api: Sandbox, namespace: str, background: Background) -> Iterator[None]:
    """Submit gangs of two members, whose pods soon end, for the length of the block."""
    working = background.start(_submit(api, namespace))
    try:
        yield
    finally:
        working.cancel()


def has_succeeded(gang: Mapping[str, Any]) -> bool:
    """Whether all members of a GangJob have ended well."""
    conditions = gang.get("status", {}).get("conditions", [])
    return any((one["type"], one["reason"]) == ("Complete", "Succeeded") for one in conditions)


async def _submit(api: Sandbox, namespace: str) -> None:
    """Submit a gang at each pause, but never more than may be unfinished: a slow machine gets no backlog."""
    configuration = load_configuration(kubeconfig=str(api.kubeconfig), context=None)
    path = f"/apis/lockstep.dev/v1alpha1/namespaces/{namespace}/gangjobs"
    async with KubeClient(configuration, concurrency=4, observer=lambda *_: None) as client:

        async def has_ended(number: int) -> bool:
            return has_succeeded((await client.get(Target(f"{path}/work-{number}", "gangjobs"))).body)

        number = 0
        while True:
            if number < MOST_UNFINISHED or await has_ended(number - MOST_UNFINISHED):
                await client.create(Target(path, "gangjobs"), gang(f"work-{number}", run_for="100ms"))
                number += 1
            await asyncio.sleep(PAUSE_SECONDS)
