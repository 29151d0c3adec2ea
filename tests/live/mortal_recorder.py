"""Recorders in processes of their own, each of which a signal kills at a chosen step.

A step is a statement to the file, before SQLite carries it out, or the removal of a ConfigMap: before and after it.
All processes are forked off one that has imported everything, which runs this file.
"""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import Configuration
from lockstep.recorder.database import Retention
from lockstep.recorder.process import Recorder, RecorderSettings

NAMESPACE = "lockstep-system"
TIME = 5000.0
NEVER = 10**9
_RETENTION = Retention(records=1e12, users=1e12, most_bytes=2**30)
_connect, _delete = sqlite3.connect, KubeClient.delete


class MortalRecorders:
    """Recorders of the API server at one address, one after the other."""

    def __init__(self, parent: "subprocess.Popen[str]") -> None:
        self._parent = parent

    def record(self, database: Path, *, killed_at: int = NEVER) -> int:
        """Record all that is there. Returns how the process has ended: 0, or minus the signal that killed it."""
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.write(f"{killed_at} {database}\n")
        self._parent.stdin.flush()
        return int(self._parent.stdout.readline())


@contextmanager
def mortal_recorders(host: str) -> Iterator[MortalRecorders]:
    """Let recorders of that API server begin while the block runs."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "live.mortal_recorder", host]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        yield MortalRecorders(parent)


def _fork_for_each_line(host: str) -> None:
    for line in sys.stdin:
        killed_at, _, database = line.rstrip("\n").partition(" ")
        child = os.fork()
        if not child:
            _record(host, Path(database), int(killed_at))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _record(host: str, database: Path, killed_at: int) -> None:
    left = killed_at

    def step(*_: object) -> None:
        nonlocal left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    def connect(*args: Any, **more: Any) -> sqlite3.Connection:
        connection = _connect(*args, **more)
        connection.set_trace_callback(step)
        return connection

    async def delete(*args: Any, **more: Any) -> Any:
        step()
        answer = await _delete(*args, **more)
        step()
        return answer

    sqlite3.connect = connect
    KubeClient.delete = delete  # type: ignore[method-assign]
    asyncio.run(_round(host, database))


async def _round(host: str, database: Path) -> None:
    configuration = Configuration()
    configuration.host = host
    async with KubeClient(configuration, concurrency=1, observer=lambda *_: None) as client:
        settings = RecorderSettings(namespace=NAMESPACE, path=database, retention=_RETENTION)
        recorder = Recorder(client, settings, lambda: TIME)
        assert await recorder.round(), "nothing is in its way"
        recorder.close()


if __name__ == "__main__":
    _fork_for_each_line(sys.argv[1])
