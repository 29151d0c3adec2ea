"""An event loop whose clock jumps: what sleeps an hour is woken at once, an hour later by the loop's own clock.

Time passes only while nothing else can happen. So a test of pauses, time-outs and back-off takes milliseconds, and
gives the same figures on every machine. For one process that talks to itself over the loopback: a byte that was
written is there to be read before the clock jumps, and while a thread works the clock stands. Where nothing was
written since the last jump, the clock jumps without a wait.
"""

import asyncio
import selectors
import socket
from asyncio import selector_events

MIDDAY = 1_800_000_000.0
"""Seconds since the epoch at which every such loop begins; its ``time()`` also serves as the time of day."""

# A connection is there after three packets, each of which the kernel sends when it takes the one before.
_PACKETS = 3
_DEADLOCK_SECONDS = 90.0


class _Loopback:
    """A connection of its own, for one byte at a time. The kernel takes packets of the loopback in their order."""

    def __init__(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            self._near = socket.create_connection(server.getsockname(), _DEADLOCK_SECONDS)
            self._far, _ = server.accept()
        self._near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._far.settimeout(_DEADLOCK_SECONDS)

    def settle(self):
        """Return once all that was written before has arrived, and what the kernel has answered, too."""
        for _ in range(_PACKETS):
            self._near.send(b".")
            assert self._far.recv(1)

    def close(self):
        """Close both ends."""
        self._near.close()
        self._far.close()


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self):
        super().__init__()
        self.now = MIDDAY
        self.working = set()
        # Whether anything may be on its way through the kernel.
        self.is_any_sent = True
        self._loopback = _Loopback()

    def close(self):
        """Also end the connection."""
        super().close()
        self._loopback.close()

    def select(self, timeout=None):
        """Wait for input, or let the clock jump by ``timeout`` where there is none."""
        if timeout is None or (self.working and timeout > 0):
            ready = super().select(_DEADLOCK_SECONDS)
            assert ready, "nothing can happen any more: no time is waited for, or a thread does not end"
            self.is_any_sent = True
            return ready
        ready = super().select(0)
        if not ready and timeout > 0 and self.is_any_sent:
            self._loopback.settle()
            ready = super().select(0)
        if ready:
            self.is_any_sent = True
        elif timeout > 0:
            self.is_any_sent = False
            self.now += timeout
        return ready


class _Transport(selector_events._SelectorSocketTransport):
    """A transport that says to the selector when it sends anything, also that a connection has ended."""

    def write(self, data):
        self._loop._jumping.is_any_sent = True
        super().write(data)

    def writelines(self, list_of_data):
        self._loop._jumping.is_any_sent = True
        super().writelines(list_of_data)

    def _call_connection_lost(self, exc):
        self._loop._jumping.is_any_sent = True
        super()._call_connection_lost(exc)


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop on that clock."""

    def __init__(self):
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)
        # Coarser than the spacing of floats at MIDDAY: a timer must not stay in the future by a rounding.
        self._clock_resolution = 1e-5

    def run_in_executor(self, executor, func, *args):
        """Let a thread do it; the clock stands until it is done."""
        work = super().run_in_executor(executor, func, *args)
        self._jumping.working.add(work)
        work.add_done_callback(self._jumping.working.discard)
        return work

    async def sock_connect(self, sock, address):
        """Connect a socket, which sends."""
        self._jumping.is_any_sent = True
        return await super().sock_connect(sock, address)

    def _make_socket_transport(self, sock, protocol, waiter=None, *, extra=None, server=None):
        return _Transport(self, sock, protocol, waiter, extra, server)

    def time(self):
        """Seconds since the epoch."""
        return self._jumping.now

    def hold(self, seconds):
        """Be busy with one callback for so long: time passes, and nothing else happens."""
        self._jumping.now += seconds


def now():
    """The running loop's time of day."""
    return asyncio.get_running_loop().time()


async def until(probe, *, seconds=600.0):
    """Let time pass until ``probe`` returns something true, and return that."""
    deadline = now() + seconds
    pause = 0.01
    while not (found := probe()):
        assert now() < deadline, f"still {found!r} after {seconds:g} seconds"
        await asyncio.sleep(pause)
        pause = min(1.5 * pause, 0.5)
    return found
