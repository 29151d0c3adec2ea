"""The address by which pods know the API server, in front of one that listens on the loopback only."""

import asyncio
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from live.background import Background
from sandbox import Sandbox
from sandbox.pki import SERVICE_ADDRESS


@contextmanager
def service_address(sandbox: Sandbox) -> Iterator[None]:
    """Have the service ``kubernetes`` answer, in this network namespace."""
    add_address(str(SERVICE_ADDRESS))
    background = Background()
    server = background.run(_serve(urlsplit(sandbox.server).port))
    try:
        yield
    finally:
        background.run(_close(server))
        background.stop()


def add_address(address: str) -> None:
    """Have an address that servers of this network namespace can listen on, and its pods reach."""
    subprocess.run(["ip", "address", "replace", f"{address}/32", "dev", "lo"], check=True)


async def _serve(port: int | None) -> asyncio.Server:
    async def link(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to_read, to_write = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(_pour(reader, to_write), _pour(to_read, writer), return_exceptions=True)

    return await asyncio.start_server(link, str(SERVICE_ADDRESS), 443)


async def _pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while part := await reader.read(2**16):
            writer.write(part)
            await writer.drain()
    finally:
        writer.close()


async def _close(server: asyncio.Server) -> None:
    server.close()
