"""A check that is interrupted while the API server takes its gang."""

import asyncio

import pytest

from fake_cluster.api import ANSWER_LOST, FakeApi
from fake_cluster.jumping import now
from fake_cluster.store import Place
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


async def test_gang_whose_creation_is_not_answered_is_awaited_and_deleted():
    async with FakeApi(now) as api:
        faults = iter([ANSWER_LOST])
        api.fault = lambda request: next(faults, None) if request.verb == "POST" else None
        placing = module.check(api.configuration, namespace="default", image="i", within=60.0, waiting=lambda: None)
        checking = asyncio.create_task(placing)
        await asyncio.sleep(2)
        [gang] = api.store.objects("gangjobs")
        place = Place("gangjobs", "default", gang["metadata"]["name"])
        api.store.change(place, status={"conditions": [{"type": "Placed", "status": "True"}]})

        assert await checking < 60.0
        assert api.store.objects("gangjobs") == []
