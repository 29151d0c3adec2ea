"""Accepts a limited number of connections.

At the limit, a new connection closes the oldest connection of the address that has the most connections. Otherwise
clients could use up the file descriptors of the process, and the process would have none for its own requests. A
connection counts from the start of its handshake.
"""

import asyncio
import logging
import socket
import ssl
from asyncio import BaseProtocol
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

_BACKLOG = 128
_IN_A_TURN = 16
_HANDSHAKE_SECONDS = 10.0
_PAUSE_SECONDS = 1.0

log = logging.getLogger(__name__)


class _ClientConnection(NamedTuple):
    """A connection and the client's address."""

    connection: socket.socket
    address: str


class ConnectionAcceptor:
    """Listens at ``address``, and has ``most`` connections at once.

    ``serve`` makes the protocol of each connection. Without ``tls``, connections are not encrypted. Raises ``OSError``
    if the address can't be used.
    """

    def __init__(
        self, host: str, port: int, serve: Callable[[], BaseProtocol], *, tls: ssl.SSLContext | None, most: int
    ) -> None:
        self._serve = serve
        self._most = most
        self._tls = tls
        self._listening = _listen(host, port)
        self.address: tuple[str, int] = self._listening.getsockname()[:2]
        # In the order in which the connections were accepted.
        self._open: list[_ClientConnection] = []
        self._handshakes: set[asyncio.Task[None]] = set()
        self._accepting = asyncio.create_task(self._keep_accepting())

    async def close(self) -> None:
        """Accept no more connections. Open ones stay."""
        over = (self._accepting, *self._handshakes)
        for task in over:
            task.cancel()
        await asyncio.gather(*over, return_exceptions=True)
        self._listening.close()

    async def _keep_accepting(self) -> None:
        while True:
            try:
                for _ in range(_IN_A_TURN):
                    await self._accept()
            except OSError as error:
                log.warning("port %d can't accept connections: %s", self.address[1], error)
                await asyncio.sleep(_PAUSE_SECONDS)
            # Let other tasks of the event loop run, however many connections wait.
            await asyncio.sleep(0)

    async def _accept(self) -> None:
        connection, (address, *_) = await asyncio.get_running_loop().sock_accept(self._listening)
        self._make_room()
        self._open.append(_ClientConnection(connection, address))
        handshake = asyncio.create_task(self._shake_hands(connection))
        self._handshakes.add(handshake)
        handshake.add_done_callback(self._handshakes.discard)

    async def _shake_hands(self, connection: socket.socket) -> None:
        seconds = None if self._tls is None else _HANDSHAKE_SECONDS
        # A failed handshake is the client's fault, so it is not logged.
        with suppress(OSError):
            await asyncio.get_running_loop().connect_accepted_socket(
                self._serve, connection, ssl=self._tls, ssl_handshake_timeout=seconds
            )

    def _make_room(self) -> None:
        if len(self._open) < self._most:
            return
        # A connection without a descriptor is closed: its protocol closes the socket at the end.
        self._open = [one for one in self._open if one.connection.fileno() >= 0]
        if len(self._open) >= self._most:
            leaving = _of_largest(self._open)
            self._open.remove(leaving)
            with suppress(OSError):
                leaving.connection.shutdown(socket.SHUT_RDWR)


def _of_largest(connections: list[_ClientConnection]) -> _ClientConnection:
    """The oldest connection of the address that has most connections.

    So a client with many connections harms no other client.
    """
    counts = Counter(one.address for one in connections)
    return max(connections, key=lambda one: counts[one.address])


def _listen(host: str, port: int) -> socket.socket:
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setblocking(False)  # noqa: FBT003 - the standard library gives the parameter no name
        listening.bind(address)
        listening.listen(_BACKLOG)
    except OSError:
        listening.close()
        raise
    return listening
