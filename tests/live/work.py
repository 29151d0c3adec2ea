"""Work that never ends: small gangs that are submitted one after the other, beside a test."""

import asyncio
import itertools
from collections.abc import Iterator
from contextlib import contextmanager

from builders.manifests import gang
from live.background import Background
from lockstep.api.client import KubeClient, Target
from lockstep.api.configuration import load_configuration
from sandbox import Sandbox

PAUSE_SECONDS = 0.1


@contextmanager
def steady_work(api: Sandbox, namespace: str, background: Background) -> Iterator[None]:
    """Submit gangs of two members, whose pods soon end, for the length of the block."""
    working = background.start(_submit(api, namespace))
    try:
        yield
    finally:
        working.cancel()


async def _submit(api: Sandbox, namespace: str) -> None:
    configuration = load_configuration(kubeconfig=str(api.kubeconfig), context=None)
    target = Target(f"/apis/lockstep.dev/v1alpha1/namespaces/{namespace}/gangjobs", "gangjobs")
    async with KubeClient(configuration, concurrency=4, observer=lambda *_: None) as client:
        for number in itertools.count():
            await client.create(target, gang(f"work-{number}", run_for="100ms"))
            await asyncio.sleep(PAUSE_SECONDS)
