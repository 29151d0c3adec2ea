"""Starts, finds and ends the processes of a sandbox.

There are no pid files. Each process has a mark in its environment, and the kernel's list of processes shows which
processes have it. So no file can be out of date, and no signal goes to a later process with the same number.
"""

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from sandbox import leash

MARK = "LOCKSTEP_SANDBOX_PROCESS"
PROC = Path("/proc")
# While a process becomes another program, its environment is empty for a moment, or longer on a busy machine.
BIRTH_CHECKS = 50
BIRTH_SECONDS = 0.002


class Lifetime(StrEnum):
    """How long a sandbox's processes live if they are not stopped."""

    DETACHED = "until stopped, whatever becomes of the starter"
    OWNED = "no longer than the thread that started them"


class Mark(NamedTuple):
    """The mark that each process of a sandbox has in its environment."""

    folder: Path
    component: str


def start(command: Sequence[str], *, mark: Mark, log: Path, lifetime: Lifetime) -> int:
    """Start ``command`` in a new session, and return its pid. Its output is appended to ``log``."""
    argv = owned(command) if lifetime is Lifetime.OWNED else list(command)
    log.parent.mkdir(parents=True, exist_ok=True)
    append = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    return os.posix_spawn(
        argv[0],
        argv,
        environment(mark),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), append, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
    )


def owned(command: Sequence[str]) -> list[str]:
    """Return a command that runs ``command``.

    When the thread that has started the returned command ends, the kernel kills the process.
    """
    return [sys.executable, "-I", "-S", leash.__file__, str(os.getpid()), *command]


def environment(mark: Mark) -> dict[str, str]:
    """Return the environment for a process with this mark.

    The environment has only variables that a program needs to start. The user's proxy and KUBECONFIG are not among
    them.
    """
    kept = {
        name: os.environ[name] for name in ("PATH", "HOME", "GOGC", "GOMEMLIMIT", "GOMAXPROCS") if name in os.environ
    }
    return kept | {MARK: f"{mark.folder}:{mark.component}"}


def running(folder: Path) -> dict[int, str]:
    """Return the processes of the sandbox in ``folder``: the component of each, by pid."""
    prefix = f"{MARK}={folder}:".encode()
    found = {}
    for pid in _pids():
        for variable in _environment_of(pid):
            if variable.startswith(prefix):
                found[pid] = variable[len(prefix) :].decode()
    return found


def end(mark: Mark, *, patience_seconds: float) -> None:
    """End every process with this mark, and return when none is left.

    SIGTERM asks the processes to end. Processes that still run after ``patience_seconds`` are killed.
    """
    with _handles(mark) as handles:
        _signal(handles, signal.SIGTERM)
        _wait(handles, patience_seconds)
    kill(mark)


def kill(mark: Mark) -> None:
    """Kill every process with this mark, and return when none is left."""
    while True:
        with _handles(mark) as handles:
            if not handles:
                return
            _signal(handles, signal.SIGKILL)
            _wait(handles, None)


def reap(pid: int) -> bool:
    """Return whether the child ``pid`` has ended. If it has, also remove it from the process table."""
    ended, _ = os.waitpid(pid, os.WNOHANG)
    return ended == pid


def _pids() -> list[int]:
    return [int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit()]


def _environment_of(pid: int) -> list[bytes]:
    entry = PROC / str(pid)
    # The process may belong to another user, or may have just ended.
    with contextlib.suppress(OSError):
        for _ in range(BIRTH_CHECKS):
            found = (entry / "environ").read_bytes()
            if found:
                return found.split(b"\0")
            # This raises for the kernel's own processes and for processes that have ended: they have no program.
            (entry / "exe").readlink()
            time.sleep(BIRTH_SECONDS)
    return []


@contextlib.contextmanager
def _handles(mark: Mark) -> Iterator[list[int]]:
    """Yield a pidfd for each process with the mark.

    A pidfd never refers to a later process, but a pid may be used again.
    """
    with contextlib.ExitStack() as opened:
        handles = []
        for pid in running(mark.folder):
            with contextlib.suppress(ProcessLookupError):
                handle = os.pidfd_open(pid)
                opened.callback(os.close, handle)
                # The mark is read after the handle was opened, so the mark and the handle belong to the same process.
                if f"{MARK}={mark.folder}:{mark.component}".encode() in _environment_of(pid):
                    handles.append(handle)
        yield handles


def _signal(handles: Sequence[int], number: signal.Signals) -> None:
    for handle in handles:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(handle, number)


def _wait(handles: Sequence[int], seconds: float | None) -> None:
    deadline = None if seconds is None else time.monotonic() + seconds
    alive = set(handles)
    while alive:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        ended, _, _ = select.select(alive, (), (), left)
        if not ended:
            return
        alive.difference_update(ended)
