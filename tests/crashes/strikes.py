"""What strikes at a crash point: what is killed there, and when all is up again."""

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Protocol

from lockstep_demo.operator_process import OperatorProcess
from sandbox import Component, Sandbox


class Backup:
    """What etcd held before the first request about the gang that lives now: it was submitted, and no more."""

    def __init__(self, api: Sandbox, folder: Path) -> None:
        self._api = api
        self._folder = folder
        self._taken = 0

    def take(self) -> None:
        """Copy what etcd holds now, in the place of what was taken before."""
        self._taken += 1
        self._api.back_up(self._newest)

    def restore(self) -> None:
        """Let the API server and etcd run on the newest copy."""
        self._api.set_back(self._newest)

    @property
    def _newest(self) -> Path:
        return self._folder / str(self._taken)


class Strike(Protocol):
    """``strike`` is called while the request waits, and does not wait itself for what takes long.

    Where there is a ``backup`` it turns time back to it.
    """

    backup: Backup | None

    def strike(self) -> None:
        """Strike."""

    def until_over(self) -> None:
        """Return once what was killed has been started again."""

    def pause(self) -> AbstractContextManager[object]:
        """Begin the block once what was killed has been started again, and let the operator live as long as it runs."""


class KillOperator:
    """Ends the operator as a crash would, and starts it again."""

    backup = None

    def __init__(self, operator: OperatorProcess) -> None:
        self._operator = operator
        self._striking = Lock()

    def strike(self) -> None:
        """Kill it, and start it again."""
        with self._striking:
            self._operator.kill()
            self._operator.launch()

    def until_over(self) -> None:
        """Return once there is a process to ask."""
        with self._striking:
            return

    def pause(self) -> AbstractContextManager[object]:
        """Strike no process during the block."""
        return self._striking


class KillApiServer:
    """Ends the API server as a crash would, and starts it again: on the backup, where there is one."""

    def __init__(self, api: Sandbox, backup: Backup | None = None) -> None:
        self.backup = backup
        self._api = api
        # What a thread has started ends with it.
        self._thread = ThreadPoolExecutor(1)
        self._last: Future[None] | None = None

    def strike(self) -> None:
        """Kill it; it is started again beside the test, so that the operator meets an API server that is away."""
        self._api.kill(Component.API_SERVER)
        self._last = self._thread.submit(self._start)

    def until_over(self) -> None:
        """Return once it is ready again; raise what its start raised."""
        if self._last is not None:
            self._last.result()

    def pause(self) -> AbstractContextManager[object]:
        """Begin the block once it is ready again; the operator is never struck."""
        self.until_over()
        return nullcontext()

    def _start(self) -> None:
        if self.backup is None:
            self._api.restart(Component.API_SERVER)
        else:
            self.backup.restore()
