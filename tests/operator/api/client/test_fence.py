"""Behind a closed fence no write goes out, wherever it waits."""

import asyncio

import pytest

from fake_cluster.jumping import until
from fake_cluster.rig import end
from fake_cluster.scripted import ScriptedServer, Step, reply, status
from lockstep.api.client.answer import Target
from lockstep.api.client.client import KubeClient
from lockstep.api.client.fence import Fence
from lockstep.api.client.paths import TOKEN_REVIEWS
from lockstep.api.client.review import token_review
from lockstep.api.client.turns import Urgency

pytestmark = pytest.mark.asyncio

PODS = Target("/api/v1/namespaces/default/pods", "pods")
POD = {"metadata": {"name": "p"}}
FOREVER = float("inf")


def client_of(server, fence):
    return KubeClient(server.configuration, concurrency=1, observer=lambda *_: None, fence=fence)


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(lambda client: client.create(PODS, POD), id="create"),
        pytest.param(lambda client: client.dry_run(PODS, POD), id="dry run"),
        pytest.param(lambda client: client.patch(PODS, POD), id="patch"),
        pytest.param(lambda client: client.replace(PODS, POD), id="replace"),
        pytest.param(lambda client: client.delete(PODS, uid="u"), id="delete"),
    ],
)
async def test_no_write_goes_out(write):
    async with ScriptedServer(reply(200)) as server, client_of(server, Fence(open_until=0)) as client:
        assert await is_kept_waiting(write(client))
        assert server.asked == []


async def test_reads_go_on():
    async with ScriptedServer(reply(200)) as server, client_of(server, Fence(open_until=0)) as client:
        assert (await client.get(PODS)).is_success


async def test_questions_that_are_posted_go_on():
    async with ScriptedServer(reply(201)) as server, client_of(server, Fence(open_until=0)) as client:
        assert (await client.review(TOKEN_REVIEWS, token_review("t"))).is_success


async def test_fence_is_closed_when_its_time_is_up():
    async with ScriptedServer(reply(200)) as server, client_of(server, Fence(open_until=0)) as client:
        client._fence.open_until(Fence.now() + 3600)
        assert (await client.create(PODS, POD)).is_success
        client._fence.open_until(Fence.now())
        assert await is_kept_waiting(client.create(PODS, POD))


async def test_what_waits_goes_out_when_the_fence_opens_again():
    """As where a renewal is answered after the deadline of the one before, and the process leads on."""
    async with ScriptedServer(reply(200)) as server, client_of(server, Fence(open_until=0)) as client:
        write = asyncio.create_task(client.create(PODS, POD))
        await asyncio.sleep(1)
        client._fence.open_until(FOREVER)
        await until(write.done)

    assert len(server.asked) == 1


async def test_fence_that_was_closed_stays_closed():
    fence = Fence(open_until=FOREVER)
    fence.close()
    fence.open_until(FOREVER)

    assert not fence.is_open


async def test_what_waits_for_its_turn_does_not_go_out():
    fence = Fence(open_until=FOREVER)
    async with ScriptedServer(reply(200)) as server, client_of(server, fence) as client:
        async with client._writes.turn(Urgency.ACT):
            write = asyncio.create_task(client.create(PODS, POD))
            await asyncio.sleep(1)
            fence.close()
        assert await is_kept_waiting(write)
        assert server.asked == []


async def test_what_waits_for_its_next_try_does_not_go_out():
    fence = Fence(open_until=FOREVER)
    async with ScriptedServer(status(503), reply(200)) as server, client_of(server, fence) as client:
        write = asyncio.create_task(client.create(PODS, POD))
        await until(lambda: server.asked)
        fence.close()
        assert await is_kept_waiting(write)
        assert len(server.asked) == 1


async def test_what_is_being_sent_goes_out_and_is_waited_for():
    fence = Fence(open_until=FOREVER)
    async with ScriptedServer(Step.SILENCE, reply(200)) as server, client_of(server, fence) as client:
        write = asyncio.create_task(client.create(PODS, POD))
        await until(lambda: server.asked)
        fence.close()

        assert not await client.wait_until_idle(at_most_seconds=1)
        # The one that gets no answer gives its turn back, and has no second try.
        assert await client.wait_until_idle(at_most_seconds=60)
        assert len(server.asked) == 1
        write.cancel()


async def test_what_was_sent_is_waited_for_though_its_caller_has_given_up():
    fence = Fence(open_until=FOREVER)
    async with ScriptedServer(Step.SILENCE) as server, client_of(server, fence) as client:
        write = asyncio.create_task(client.create(PODS, POD))
        await until(lambda: server.asked)
        await end([write])
        fence.close()

        assert not await client.wait_until_idle(at_most_seconds=0.9)
        assert await client.wait_until_idle(at_most_seconds=0.2)


async def test_what_was_not_sent_ends_with_its_caller(monkeypatch):
    """As where its connection is being made still."""
    async with ScriptedServer(Step.SILENCE) as server, client_of(server, Fence(open_until=FOREVER)) as client:
        monkeypatch.setattr(client._connection._session.connector, "connect", forever)
        write = asyncio.create_task(client.create(PODS, POD))
        await asyncio.sleep(1)
        await end([write])

        assert await client.wait_until_idle(at_most_seconds=0.1)
        assert server.asked == []


async def test_fence_that_closes_just_before_the_bytes_are_handed_over_keeps_them(monkeypatch):
    """As where the process is stopped there, and goes on much later."""
    fence = Fence(open_until=FOREVER)
    async with ScriptedServer(Step.SILENCE) as server, client_of(server, fence) as client:
        opened = client._connection.open

        def close_and_open(*arguments, **options):
            fence.close()
            return opened(*arguments, **options)

        monkeypatch.setattr(client._connection, "open", close_and_open)
        assert await is_kept_waiting(client.create(PODS, POD))
        assert server.asked == []


async def is_kept_waiting(write):
    """Whether a write has not ended after a minute; it is given up then."""
    task = asyncio.ensure_future(write)
    await asyncio.sleep(60)
    is_waiting = not task.done()
    task.cancel()
    return is_waiting


async def forever(*_, **__):
    """Never end."""
    await asyncio.get_running_loop().create_future()
