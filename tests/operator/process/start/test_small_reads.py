"""What a connection with TLS keeps for what it reads, and that what is longer arrives whole."""

import asyncio
import ssl
import tracemalloc
from asyncio import sslproto
from contextlib import asynccontextmanager

import pytest

from lockstep.process.start.small_reads import read_little_at_a_time
from sandbox.pki import Authority

pytestmark = pytest.mark.asyncio

CONNECTIONS = 20
LONG = bytes(range(256)) * 4096


@pytest.fixture(autouse=True)
def reads_as_before(monkeypatch):
    monkeypatch.setattr(sslproto.SSLProtocol, "max_size", sslproto.SSLProtocol.max_size)


@pytest.fixture
def contexts(tmp_path):
    """Those of a server, and of clients that trust it."""
    authority = Authority(tmp_path / "pki")
    pair = authority.issue_server("api")
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(pair.certificate, pair.key)
    return server, ssl.create_default_context(cafile=authority.certificate)


@asynccontextmanager
async def connected(contexts):
    """Connect to a server that sends something long to each and hears nothing."""
    serving, trusting = contexts

    async def send(_, writer):
        writer.write(LONG)
        await writer.drain()

    server = await asyncio.start_server(send, "127.0.0.1", ssl=serving)
    host, port = server.sockets[0].getsockname()
    pairs = [await asyncio.open_connection(host, port, ssl=trusting) for _ in range(CONNECTIONS)]
    yield [reader for reader, _ in pairs]
    for _, writer in pairs:
        writer.transport.abort()
    server.close()


def kept_by_tls():
    """Bytes that asyncio's own code for TLS has taken and keeps."""
    taken = tracemalloc.take_snapshot().filter_traces(
        [tracemalloc.Filter(inclusive=True, filename_pattern=sslproto.__file__)]
    )
    return sum(one.size for one in taken.statistics("filename"))


async def test_connections_keep_a_fourth_of_what_they_would(contexts):
    kept = []
    tracemalloc.start()
    for prepare in (lambda: None, read_little_at_a_time):
        prepare()
        before = kept_by_tls()
        async with connected(contexts):
            kept.append(kept_by_tls() - before)
    tracemalloc.stop()

    usual, little = kept
    assert little < usual / 3


async def test_what_is_longer_than_one_read_arrives_whole(contexts):
    read_little_at_a_time()
    async with connected(contexts) as readers:
        assert [await reader.readexactly(len(LONG)) for reader in readers] == [LONG] * CONNECTIONS
