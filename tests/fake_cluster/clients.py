"""A fake API server with the operator's client of it."""

from contextlib import asynccontextmanager

from fake_cluster.api import FakeApi
from fake_cluster.jumping import now
from lockstep.api.client.client import KubeClient


@asynccontextmanager
async def api_and_client(clock=now, **options):
    """Yields a fake API server and a client with these options, while the block runs."""
    async with (
        FakeApi(clock) as api,
        KubeClient(api.configuration, concurrency=4, observer=lambda *_: None, **options) as client,
    ):
        yield api, client
