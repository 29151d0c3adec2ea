"""Callers who connect to a page and say nothing."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

MANY = 400


@contextmanager
def silent_callers(url: str) -> Iterator[list[socket.socket]]:
    """So many of them, in the order in which they came."""
    address = urlsplit(url)
    with ExitStack() as stack:
        yield [
            stack.enter_context(socket.create_connection((address.hostname, address.port or 0))) for _ in range(MANY)
        ]


def is_hung_up(caller: socket.socket) -> bool:
    """Whether the other side has closed the connection."""
    caller.setblocking(False)  # noqa: FBT003 - the name is not ours
    try:
        return caller.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
