"""Reserves ports on the loopback for servers that will start or restart."""

import os
import socket
import weakref

LOOPBACK = "127.0.0.1"


class KeptPort:
    """A reserved port. While this object exists, the kernel gives the port to no process that asks for any free port.

    This holds even while no server listens on the port. Our servers set SO_REUSEADDR, so they can listen on it.
    """

    def __init__(self) -> None:
        with socket.socket() as keeper:
            keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            keeper.bind((LOOPBACK, 0))
            self.number = int(keeper.getsockname()[1])
            weakref.finalize(self, os.close, keeper.detach())
