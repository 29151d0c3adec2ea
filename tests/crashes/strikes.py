"""What strikes at a crash point: what is killed there, and when all is up again."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Protocol

from live.operator_process import OperatorProcess
from sandbox import Component, Sandbox


class Strike(Protocol):
    """``strike`` is called while the request waits, and does not wait itself for what takes long."""

    turns_time_back: bool

    def prepare(self) -> None:
        """Get ready, before the first request of a gang's life is sent."""

    def strike(self) -> None:
        """Strike."""

    def until_over(self) -> None:
        """Return once what was killed has been started again."""


class KillOperator:
    """Ends the operator as a crash would, and starts it again."""

    turns_time_back = False

    def __init__(self, operator: OperatorProcess) -> None:
        self._operator = operator
        self._striking = Lock()

    def prepare(self) -> None:
        """Nothing is needed."""

    def strike(self) -> None:
        """Kill it, and start it again."""
        with self._striking:
            self._operator.kill()
            self._operator.launch()

    def until_over(self) -> None:
        """Return once there is a process to ask."""
        with self._striking:
            return


class Beside:
    """Does one thing at a time beside the test, in one thread: what a thread has started ends with it."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._last: Future[None] | None = None

    def start(self, work: Callable[[], None]) -> None:
        """Start it, and return at once."""
        self._last = self._thread.submit(work)

    def until_over(self) -> None:
        """Return once it is done; raise what it raised."""
        if self._last is not None:
            self._last.result()


class KillApiServer:
    """Ends the API server as a crash would, and starts it again."""

    turns_time_back = False

    def __init__(self, api: Sandbox) -> None:
        self._api = api
        self._beside = Beside()

    def prepare(self) -> None:
        """Nothing is needed."""

    def strike(self) -> None:
        """Kill it; it is started again beside the test, so that the operator meets an API server that is away."""
        self._api.kill(Component.API_SERVER)
        self._beside.start(lambda: self._api.restart(Component.API_SERVER))

    def until_over(self) -> None:
        """Return once it is ready again."""
        self._beside.until_over()


class SetBack:
    """Restores etcd to what it held before the first request about the gang: it was submitted, and no more."""

    turns_time_back = True

    def __init__(self, api: Sandbox, folder: Path) -> None:
        self._api = api
        self._folder = folder
        self._backups = 0
        self._beside = Beside()

    def prepare(self) -> None:
        """Copy what etcd holds now."""
        self._backups += 1
        self._api.back_up(self._backup)

    def strike(self) -> None:
        """Kill the API server and etcd; they are started on the backup beside the test."""
        self._api.kill(Component.API_SERVER)
        self._beside.start(lambda: self._api.set_back(self._backup))

    def until_over(self) -> None:
        """Return once they are ready again."""
        self._beside.until_over()

    @property
    def _backup(self) -> Path:
        return self._folder / str(self._backups)
