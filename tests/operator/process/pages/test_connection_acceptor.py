"""A crowd of connections from one address closes none of another."""

import asyncio

import pytest
import pytest_asyncio

from lockstep.process.pages.connection_acceptor import ConnectionAcceptor
from sandbox.ports import LOOPBACK

pytestmark = pytest.mark.asyncio

MOST = 16


class Quiet(asyncio.Protocol):
    """A connection that is accepted, and says so."""

    def connection_made(self, transport):
        transport.write(b"hello")


@pytest_asyncio.fixture
async def acceptor():
    acceptor = ConnectionAcceptor(LOOPBACK, 0, Quiet, tls=None, most=MOST)
    yield acceptor
    await acceptor.close()


async def connected(acceptor, source):
    reader, writer = await asyncio.open_connection(*acceptor.address, local_addr=(source, 0))
    assert await reader.readexactly(5) == b"hello"
    return reader, writer


async def test_new_connection_closes_the_oldest_of_the_address_that_has_most(acceptor):
    patient = await connected(acceptor, "127.0.0.2")
    crowd = [await connected(acceptor, LOOPBACK) for _ in range(MOST - 1)]

    crowd.append(await connected(acceptor, LOOPBACK))

    assert await crowd[0][0].read() == b""
    assert not patient[0].at_eof()
    for _, writer in (patient, *crowd):
        writer.close()
