"""Lets connections in: so many at once, the one that is open longest makes way for one more.

Whoever may connect could otherwise open as many as the process may have files, and leave none for its own requests. The
limit counts from the handshake on.
"""

import asyncio
import logging
import socket
import ssl
from asyncio import BaseProtocol
from collections import deque
from collections.abc import Callable
from contextlib import suppress

_MOST_AT_ONCE = 128
_BACKLOG = 128
_IN_A_TURN = 16
_HANDSHAKE_SECONDS = 10.0
_PAUSE_SECONDS = 1.0

log = logging.getLogger(__name__)


class Door:
    """One ``address``. ``serve`` makes what speaks with whoever comes in; without ``tls`` it speaks plainly.

    Raises ``OSError`` where the address can't be had.
    """

    def __init__(self, host: str, port: int, serve: Callable[[], BaseProtocol], *, tls: ssl.SSLContext | None) -> None:
        self._serve = serve
        self._tls = tls
        self._listening = _listen(host, port)
        self.address: tuple[str, int] = self._listening.getsockname()[:2]
        self._open: deque[socket.socket] = deque()
        self._entering: set[asyncio.Task[None]] = set()
        self._accepting = asyncio.create_task(self._keep_accepting())

    async def close(self) -> None:
        """Let nobody in any more. Who is in stays."""
        over = (self._accepting, *self._entering)
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
                log.warning("nobody can be let in at port %d: %s", self.address[1], error)
                await asyncio.sleep(_PAUSE_SECONDS)
            # However many stand in line, whatever else there is to do has its turn.
            await asyncio.sleep(0)

    async def _accept(self) -> None:
        connection, _ = await asyncio.get_running_loop().sock_accept(self._listening)
        self._make_room()
        self._open.append(connection)
        entering = asyncio.create_task(self._let_in(connection))
        self._entering.add(entering)
        entering.add_done_callback(self._entering.discard)

    async def _let_in(self, connection: socket.socket) -> None:
        seconds = None if self._tls is None else _HANDSHAKE_SECONDS
        # What ends a handshake is the fault of whoever comes: it is nothing to log.
        with suppress(OSError):
            await asyncio.get_running_loop().connect_accepted_socket(
                self._serve, connection, ssl=self._tls, ssl_handshake_timeout=seconds
            )

    def _make_room(self) -> None:
        if len(self._open) < _MOST_AT_ONCE:
            return
        # Whoever is served closes the socket when it is over.
        self._open = deque(one for one in self._open if one.fileno() >= 0)
        if len(self._open) >= _MOST_AT_ONCE:
            with suppress(OSError):
                self._open.popleft().shutdown(socket.SHUT_RDWR)


def _listen(host: str, port: int) -> socket.socket:
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setblocking(False)  # noqa: FBT003 - the name is not ours
        listening.bind(address)
        listening.listen(_BACKLOG)
    except OSError:
        listening.close()
        raise
    return listening
