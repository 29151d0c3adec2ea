"""A check that is interrupted while the API server takes its gang."""

import asyncio

import pytest

from lockstep.api.client.answer import Answer
from lockstep.process.start import check as module

pytestmark = pytest.mark.asyncio


class SlowServer:
    """In the place of a client: the API server takes the gang when it is ``ready``."""

    def __init__(self):
        self.asked, self.ready, self.deleted = asyncio.Event(), asyncio.Event(), []

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.left = True

    async def create(self, _target, manifest):
        self.asked.set()
        await self.ready.wait()
        return Answer(201, {"metadata": {**manifest["metadata"], "uid": "u1"}})

    async def delete(self, _target, *, uid):
        self.deleted.append(uid)


async def test_gang_is_deleted_that_was_on_its_way_when_the_check_was_interrupted(monkeypatch):
    server = SlowServer()
    monkeypatch.setattr(module, "KubeClient", lambda *_, **__: server)
    checking = asyncio.create_task(module.check(None, namespace="n", image="i", within=1.0, waiting=lambda: None))
    await server.asked.wait()

    checking.cancel()
    await asyncio.sleep(0)
    server.ready.set()

    with pytest.raises(asyncio.CancelledError):
        await checking
    assert server.deleted == ["u1"]
