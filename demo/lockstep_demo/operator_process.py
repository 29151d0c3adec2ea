"""Runs the operator like users do: in a separate process, with only the rights of its own service account."""

import http.client
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from sandbox import SandboxError, processes
from sandbox.ports import LOOPBACK, KeptPort
from sandbox.processes import Mark
from sandbox.waiting import wait_until

READY_SECONDS = 180.0
PAGE_SECONDS = 60.0
STOP_SECONDS = 180.0
TAIL_LINES = 60
LAST_WORDS_LINES = 20
NO_WRITES = ('verb="GET"', 'verb="WATCH"', "dry-run", 'resource="leases"')
# Ignores a proxy that the user's environment may name.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class OperatorEndedError(SandboxError):
    """The operator has ended unexpectedly."""


class Life(Protocol):
    """One process from its start to its end. `subprocess.Popen` has these methods."""

    @property
    def pid(self) -> int:
        """The number of the process."""

    def kill(self) -> None:
        """Kill the process at once, like a crash."""

    def terminate(self) -> None:
        """Ask the process to end."""

    def poll(self) -> int | None:
        """Return the exit code, or None while the process runs."""

    def wait(self, seconds: float, /) -> int:
        """Wait until the process has ended, and return its exit code.

        Raises TimeoutExpired if the process has not ended after ``seconds``.
        """


Spawn = Callable[[Sequence[str], Path], Life]
"""Starts the command ``lockstep`` with arguments, and appends its output to a log."""


def spawn(
    arguments: Sequence[str], log: Path, *, program: Sequence[str] = ("-m", "lockstep")
) -> subprocess.Popen[bytes]:
    """Start the command ``lockstep``, or another Python program, and append its output to ``log``.

    The kernel kills the new process when the thread that has started it ends. An interrupt at the terminal of this
    process does not reach the new one.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        return subprocess.Popen(
            processes.owned([sys.executable, *program, *arguments]),
            env=processes.environment(Mark(log.parent, "operator")),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


class OperatorProcess:
    """One operator that can be killed and started again. ``log`` has the output of all its processes.

    Raises SandboxError if the kubeconfig gives the operator all rights.
    """

    def __init__(self, kubeconfig: Path, log: Path, *options: str, spawn: Spawn = spawn) -> None:
        if kubeconfig.exists() and "client-certificate" in kubeconfig.read_text(encoding="utf-8"):
            raise SandboxError(f"{kubeconfig} has all rights: the operator logs in as its service account.")
        self._kubeconfig = kubeconfig
        self._log = log
        self._options = options
        self._spawn = spawn
        self._port = KeptPort()
        self._debug_port = KeptPort()
        self._life: Life | None = None

    # Starting and ending the process

    def start(self) -> None:
        """Start the operator, and return when it is ready. Raises SandboxError if this takes over three minutes."""
        self.launch()
        wait_until(self.is_ready, seconds=READY_SECONDS, what="the operator to be ready")

    def launch(self) -> None:
        """Start the operator, and return at once."""
        assert self._life is None, "one life at a time"
        where = [
            "--kubeconfig",
            str(self._kubeconfig),
            "--listen-host",
            LOOPBACK,
            "--listen-port",
            str(self._port.number),
            "--debug-listen-port",
            str(self._debug_port.number),
            # By default, one operator runs at a time, so it needs no lease. Without a lease, the next operator leads at
            # once.
            "--leader-elect=false",
            # This image is not pulled: nodes of a sandbox only pretend to run pods.
            "--gate-image=lockstep",
        ]
        self._life = self._spawn(["run", *where, *self._options], self._log)

    def kill(self) -> None:
        """Kill the operator at once, like a crash, and wait for its end."""
        self.crash()
        self.reap()

    def crash(self) -> None:
        """Send SIGKILL to the operator, and return at once. ``reap`` waits for the end."""
        self._running().kill()

    def stop(self) -> int:
        """Ask the operator to end, wait for the end, and return the exit code."""
        self._running().terminate()
        return self.reap()

    def reap(self) -> int:
        """Wait until the operator has ended, and return its exit code."""
        code = self._running().wait(STOP_SECONDS)
        self._life = None
        return code

    def end(self) -> None:
        """Kill the operator if it runs."""
        if self._life is not None:
            self.kill()

    @property
    def is_alive(self) -> bool:
        """Whether the operator runs."""
        return self._life is not None and self._life.poll() is None

    # The operator's pages

    @property
    def url(self) -> str:
        """The URL of the operator's pages."""
        return f"http://{LOOPBACK}:{self._port.number}"

    @property
    def debug_url(self) -> str:
        """The URL of the operator's debug pages."""
        return f"http://{LOOPBACK}:{self._debug_port.number}"

    def is_ready(self) -> bool:
        """Return whether the operator's page /readyz answers that the operator is ready.

        Raises OperatorEndedError if the operator has ended by itself.
        """
        if self._running().poll() is not None:
            raise OperatorEndedError("The operator has ended unexpectedly.")
        try:
            return self.page("/readyz") == "ok\n"
        except (OSError, http.client.HTTPException):
            return False

    def page(self, path: str) -> str:
        """Return the content of a page. Raises HTTPError for any status but 2xx."""
        base = self.debug_url if path.startswith("/debug/") else self.url
        with DIRECT.open(base + path, timeout=PAGE_SECONDS) as answer:
            return str(answer.read().decode())

    def document(self, path: str) -> dict[str, Any]:
        """Return the content of a JSON page."""
        document: dict[str, Any] = json.loads(self.page(path))
        return document

    def metrics(self) -> dict[str, float]:
        """Return every sample of /metrics, by name and labels."""
        lines = (line for line in self.page("/metrics").splitlines() if not line.startswith("#"))
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}

    def writes(self) -> float:
        """Return how many writing requests of the present process the API server has answered.

        Writes of the lease and dry runs do not count.
        """
        return writes_in(self.metrics())

    # The operator's use of memory and CPU, and its log

    def resident_bytes(self) -> int:
        """Return the operator's resident memory."""
        pages = int(Path(f"/proc/{self._running().pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def peak_resident_bytes(self) -> int:
        """Return the largest resident memory that the operator has had."""
        status = Path(f"/proc/{self._running().pid}/status").read_text(encoding="ascii")
        return int(dict(line.split(":", 1) for line in status.splitlines())["VmHWM"].split()[0]) * 1024

    def forget_peak(self) -> None:
        """Measure the peak of memory from now on, without earlier peaks."""
        Path(f"/proc/{self._running().pid}/clear_refs").write_text("5", encoding="ascii")

    def cpu_seconds(self) -> float:
        """Return the CPU seconds that the operator has used."""
        fields = Path(f"/proc/{self._running().pid}/stat").read_text(encoding="ascii").rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def log_text(self) -> str:
        """Return the output of all processes of the operator."""
        return self._log.read_text(encoding="utf-8", errors="replace") if self._log.exists() else ""

    def log_tail(self, lines: int = TAIL_LINES) -> str:
        """Return the last lines of the output."""
        return "\n".join(self.log_text().splitlines()[-lines:])

    def _running(self) -> Life:
        assert self._life is not None, "it is not running"
        return self._life


def writes_in(samples: Mapping[str, float]) -> float:
    """Return the number of writing requests in samples of /metrics.

    Writes of the lease and dry runs do not count.
    """
    return sum(
        value
        for name, value in samples.items()
        if name.startswith("lockstep_api_requests_total{") and not any(word in name for word in NO_WRITES)
    )


@contextmanager
def running(operator: OperatorProcess) -> Iterator[OperatorProcess]:
    """Start an operator, and kill it after the block if it still runs.

    If the block raises a SandboxError, the error gets the last lines of the operator's log as a note.
    """
    try:
        operator.start()
        yield operator
    except SandboxError as error:
        error.add_note(f"The last lines of the operator's log:\n{operator.log_tail(LAST_WORDS_LINES)}")
        raise
    finally:
        operator.end()
