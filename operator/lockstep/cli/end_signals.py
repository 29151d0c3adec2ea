"""SIGTERM and SIGINT in a process without an event loop: a thread waits for them."""

from signal import SIG_BLOCK, SIGINT, SIGTERM, pthread_sigmask, sigwait
from threading import Event, Thread

_ENDS = frozenset({SIGINT, SIGTERM})


def set_by_end_signals() -> Event:
    """An event that SIGTERM and SIGINT set. Call this before the process starts other threads.

    A signal handler must not set an event. It interrupts the main thread at any point, even in a wait for that event.
    The wait holds the lock that the handler needs, so both would wait for ever.
    """
    pthread_sigmask(SIG_BLOCK, _ENDS)
    stop = Event()

    def wait() -> None:
        sigwait(_ENDS)
        stop.set()

    Thread(target=wait, name="end-signals", daemon=True).start()
    return stop
