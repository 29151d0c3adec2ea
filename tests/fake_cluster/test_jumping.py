"""The clock of a jumping loop stands while anything is on its way between two ends of a connection."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from fake_cluster.jumping import MIDDAY, JumpingLoop, now

HOUR = 3600.0


def on_jumping_clock(scene):
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(scene())


@asynccontextmanager
async def connected():
    """A connection, and the other end of it."""
    ends = asyncio.Queue()
    server = await asyncio.start_server(lambda *end: ends.put_nowait(end), "127.0.0.1", 0)
    async with server:
        near = await asyncio.open_connection(*server.sockets[0].getsockname())
        far = await ends.get()
        yield near, far
        for _, writer in (near, far):
            writer.close()


async def send(writer):
    writer.write(b"x")


async def send_lines(writer):
    writer.writelines([b"x"])


async def end(writer):
    writer.close()


@pytest.mark.parametrize("act", [send, send_lines, end])
def test_clock_stands_until_the_other_end_knows(act):
    async def scene():
        async with connected() as ((_, writer), (reader, _)):
            # Nothing is on its way by then.
            await asyncio.sleep(HOUR)
            heard = asyncio.create_task(asyncio.wait_for(reader.read(1), HOUR))
            await asyncio.sleep(HOUR / 2)
            await act(writer)
            await heard
            return now()

    assert on_jumping_clock(scene) == pytest.approx(MIDDAY + 1.5 * HOUR)


def test_clock_stands_while_a_connection_is_made():
    async def scene():
        await asyncio.sleep(HOUR)
        async with asyncio.timeout(1), connected():
            return now()

    assert on_jumping_clock(scene) == pytest.approx(MIDDAY + HOUR)


def test_clock_stands_while_a_thread_works():
    async def scene():
        await asyncio.sleep(HOUR)
        await asyncio.wait_for(asyncio.to_thread(sum, range(10**6)), 1)
        return now()

    assert on_jumping_clock(scene) == pytest.approx(MIDDAY + HOUR)
