"""Ports on the loopback for servers that are yet to start, or to start again."""

import os
import socket
import weakref

LOOPBACK = "127.0.0.1"


class KeptPort:
    """A port that no other process is given while this object lives, whether a server listens on it or not.

    A server can listen on the port if it sets SO_REUSEADDR, as servers do. The kernel gives this port to no other
    process that asks for any free port.
    """

    def __init__(self) -> None:
        with socket.socket() as keeper:
            keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            keeper.bind((LOOPBACK, 0))
            self.number = int(keeper.getsockname()[1])
            weakref.finalize(self, os.close, keeper.detach())
