"""What strikes at a crash point: what is killed there, and when all is up again."""

from pathlib import Path
from threading import Lock, Thread
from typing import Protocol

from live.operator_process import OperatorProcess
from sandbox import Component, Sandbox


class Strike(Protocol):
    """``strike`` is called while the request waits, and does not wait itself for what takes long."""

    def prepare(self) -> None:
        """Get ready, before the first request of a gang's life is sent."""

    def strike(self) -> None:
        """Strike."""

    def until_over(self) -> None:
        """Return once what was killed has been started again."""


class KillOperator:
    """Ends the operator as a crash would, and starts it again."""

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


class KillApiServer:
    """Ends the API server as a crash would, and starts it again."""

    def __init__(self, api: Sandbox) -> None:
        self._api = api
        self._starting = Thread()

    def prepare(self) -> None:
        """Nothing is needed."""

    def strike(self) -> None:
        """Kill it; it is started again beside the test, so that the operator meets an API server that is away."""
        self._api.kill(Component.API_SERVER)
        self._starting = Thread(target=self._api.restart, args=(Component.API_SERVER,))
        self._starting.start()

    def until_over(self) -> None:
        """Return once it is ready again."""
        if self._starting.ident is not None:
            self._starting.join()


class SetBack:
    """Restores etcd to what it held before the first request about the gang: it was submitted, and no more."""

    def __init__(self, api: Sandbox, folder: Path) -> None:
        self._api = api
        self._folder = folder
        self._backups = 0
        self._starting = Thread()

    def prepare(self) -> None:
        """Copy what etcd holds now."""
        self._backups += 1
        self._api.back_up(self._backup)

    def strike(self) -> None:
        """Kill the API server and etcd; they are started on the backup beside the test."""
        self._api.kill(Component.API_SERVER)
        self._starting = Thread(target=self._api.set_back, args=(self._backup,))
        self._starting.start()

    def until_over(self) -> None:
        """Return once they are ready again."""
        if self._starting.ident is not None:
            self._starting.join()

    @property
    def _backup(self) -> Path:
        return self._folder / str(self._backups)
