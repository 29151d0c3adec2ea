"""Processes of the operator forked off one that has imported everything already: a start in a fifth of the time."""

import multiprocessing
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import lockstep.cli

CONTEXT = multiprocessing.get_context("forkserver")
# Only what is installed can be named: the process knows no other folder, and is silent where an import fails.
CONTEXT.set_forkserver_preload([f"{lockstep.cli.__name__}.run"])


class Forked:
    """The command ``lockstep`` in a process of its own, to be handled as a Popen is."""

    def __init__(self, arguments: Sequence[str], log: Path, *, pod: str = "") -> None:
        self._process = CONTEXT.Process(target=_become, args=(list(arguments), str(log), pod), daemon=True)
        self._process.start()

    @property
    def pid(self) -> int:
        """The number of the process."""
        assert self._process.pid is not None, "it was started"
        return self._process.pid

    def kill(self) -> None:
        """End it as a crash would."""
        self._process.kill()

    def terminate(self) -> None:
        """Ask it to end."""
        self._process.terminate()

    def poll(self) -> int | None:
        """How it has ended, if it has."""
        return self._process.exitcode

    def wait(self, seconds: float) -> int:
        """Wait until it has ended, and return how; raise TimeoutExpired where it does not."""
        self._process.join(seconds)
        code = self._process.exitcode
        if code is None:
            raise subprocess.TimeoutExpired("lockstep", seconds)
        self._process.close()
        return code


def finished(
    arguments: Sequence[str], environment: Mapping[str, str], *, seconds: float
) -> "subprocess.CompletedProcess[str]":
    """Run the command ``lockstep`` to its end, with this environment; raise TimeoutExpired where it goes on."""
    with TemporaryDirectory() as folder:
        outputs = [Path(folder, name) for name in ("stdout", "stderr")]
        process = CONTEXT.Process(
            target=_become_in, args=(dict(environment), list(arguments), *map(str, outputs)), daemon=True
        )
        process.start()
        process.join(seconds)
        if process.exitcode is None:
            process.kill()
            raise subprocess.TimeoutExpired("lockstep", seconds)
        texts = [output.read_text(encoding="utf-8") for output in outputs]
        return subprocess.CompletedProcess(["lockstep", *arguments], process.exitcode, *texts)


def _become(arguments: list[str], log: str, pod: str) -> None:
    os.environ["POD_NAME"] = pod
    _become_with(arguments, log, log)


def _become_in(environment: dict[str, str], arguments: list[str], stdout: str, stderr: str) -> None:
    os.environ.clear()
    os.environ.update(environment)
    _become_with(arguments, stdout, stderr)


def _become_with(arguments: list[str], stdout: str, stderr: str) -> None:
    for number, path in ((1, stdout), (2, stderr)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), number)
    lockstep.cli.main(arguments)
