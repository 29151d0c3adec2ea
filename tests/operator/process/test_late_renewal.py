"""A renewal of the lease that is answered late: the fence was closed for a moment, and the process leads on."""

import asyncio
import itertools
from contextlib import suppress

import orjson
import pytest
from aiohttp import web
from aiohttp.test_utils import RawTestServer

from fake_cluster.jumping import now, until
from lockstep.api.client.answer import Target
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import Configuration
from lockstep.api.client.fence import Fence
from lockstep.api.cluster.lease import LeaseHolder
from lockstep.process.election.elector import ElectionTerms, Elector

pytestmark = pytest.mark.asyncio

TERMS = ElectionTerms(namespace="ns", name="lockstep", lease_duration=15, renew_deadline=10, retry_period=2)
PODS = Target("/api/v1/namespaces/ns/pods", "pods")
UNUSED = {"metadata": {"uid": "u", "resourceVersion": "1"}, "spec": {}}


async def test_write_that_met_the_closed_fence_goes_out_after_the_renewal(monkeypatch):
    monkeypatch.setattr(Fence, "now", staticmethod(now))
    # The lease is won, the first renewal gets no answer, the second one gets it when the fence has been closed for 1 s.
    async with SlowServer(put_seconds=[0, 3600, 2]) as configuration:
        fence = Fence(open_until=0)
        async with client_of(configuration) as own, client_of(configuration, fence) as client:
            elector = Elector(own, fence, TERMS, holder=LeaseHolder.of_instance("one"), now=now)
            await elector.win()
            holding = asyncio.create_task(elector.hold())
            await until(lambda: not fence.is_open)
            write = asyncio.create_task(client.create(PODS, {"metadata": {"name": "p"}}))
            await until(lambda: fence.is_open)
            assert not holding.done()
            await until(write.done, seconds=5)
            holding.cancel()


class SlowServer:
    """An API server with one lease. Writes of it take these seconds, one after the other, and then none."""

    def __init__(self, *, put_seconds):
        self._seconds = itertools.chain(put_seconds, itertools.repeat(0))
        self._closing = asyncio.Event()
        self._lease, self._version = UNUSED, itertools.count(2)

    async def __aenter__(self):
        self._server = RawTestServer(self._serve)
        await self._server.start_server()
        configuration = Configuration()
        configuration.host = str(self._server.make_url("")).rstrip("/")
        return configuration

    async def __aexit__(self, *_):
        self._closing.set()
        await self._server.close()

    async def _serve(self, http):
        if "watch" in http.query:
            await self._closing.wait()
        elif http.method == "PUT":
            await self._rest(next(self._seconds))
            written = await http.json()
            metadata = {**written["metadata"], "uid": "u", "resourceVersion": str(next(self._version))}
            self._lease = {**written, "metadata": metadata}
        response = web.Response(body=orjson.dumps(self._lease))
        response.force_close()
        return response

    async def _rest(self, seconds):
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._closing.wait()


def client_of(configuration, fence=None):
    return KubeClient(configuration, concurrency=1, observer=lambda *_: None, fence=fence)
