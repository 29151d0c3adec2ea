"""Limits the read buffer of TLS connections, since a hundred connections may be open."""

from asyncio.sslproto import SSLProtocol

_BYTES = 64 * 2**10


def read_little_at_a_time() -> None:
    """Let TLS connections that open from now on read 64 KiB at a time instead of 256 KiB.

    asyncio keeps a buffer of that size for each open connection, and allocates as much again for every read.
    """
    SSLProtocol.max_size = _BYTES
