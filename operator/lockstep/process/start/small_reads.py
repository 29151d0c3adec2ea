"""How much memory a connection keeps for what it reads: a hundred may be open."""

from asyncio.sslproto import SSLProtocol

_BYTES = 64 * 2**10


def read_little_at_a_time() -> None:
    """Have connections with TLS that are opened from now on read 64 KiB at a time, in the place of 256.

    asyncio keeps so much for each of them as long as it is open, and takes as much again for every read.
    """
    SSLProtocol.max_size = _BYTES
