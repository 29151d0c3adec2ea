"""The operator as users run it: a process of its own, under its own service account."""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eventually import eventually
from live.quick_start import Forked
from sandbox.ports import free_ports

STOP_SECONDS = 20
TAIL_LINES = 60


class OperatorProcess:
    """One operator that can be killed and started again. ``log`` keeps what all of its lives have written."""

    def __init__(self, kubeconfig: Path, log: Path, *options: str) -> None:
        self._kubeconfig = kubeconfig
        self._log = log
        self._options = options
        [self._port] = free_ports(1)
        self._process: subprocess.Popen[bytes] | Forked | None = None

    def start(self) -> None:
        """Start, and return once every first list is in."""
        self.launch()
        eventually(self.is_ready)

    def launch(self) -> None:
        """Start, and return at once."""
        assert self._process is None, "one life at a time"
        where = ["--kubeconfig", str(self._kubeconfig), "--listen-host", "127.0.0.1", "--listen-port", str(self._port)]
        self._process = self._spawn(["run", *where, *self._options])

    def kill(self) -> None:
        """End it as a crash would."""
        assert self._process is not None, "it is not running"
        self._process.kill()
        self.reap()

    def crash(self) -> None:
        """Send the signal that ends it as a crash would; whoever waits calls ``reap``."""
        assert self._process is not None, "it is not running"
        self._process.kill()

    def reap(self) -> int:
        """Wait until it has ended, and return how."""
        assert self._process is not None, "it is not running"
        code = self._process.wait(STOP_SECONDS)
        self._process = None
        return code

    def stop(self) -> int:
        """Ask it to end, and return its exit code."""
        assert self._process is not None, "it is not running"
        self._process.terminate()
        return self.reap()

    def end(self) -> None:
        """Leave no process behind."""
        if self._process is not None:
            self.kill()

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._process is not None and self._process.poll() is None

    @property
    def url(self) -> str:
        """Where its pages are."""
        return f"http://127.0.0.1:{self._port}"

    def page(self, path: str) -> str:
        """What it answers there; raises HTTPError for any status but 2xx."""
        with urllib.request.urlopen(self.url + path, timeout=10) as answer:  # noqa: S310 - our own process
            return str(answer.read().decode())

    def document(self, path: str) -> dict[str, Any]:
        """What it answers there, from JSON."""
        document: dict[str, Any] = json.loads(self.page(path))
        return document

    def metrics(self) -> dict[str, float]:
        """Every sample of /metrics, by its name and labels."""
        lines = (line for line in self.page("/metrics").splitlines() if not line.startswith("#"))
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}

    def writes(self) -> float:
        """How many requests that change something have been answered, in this life."""
        counted = self.metrics().items()
        return sum(
            value
            for name, value in counted
            if name.startswith("lockstep_api_requests_total{") and 'verb="GET"' not in name and "dry-run" not in name
        )

    def cycles(self) -> float:
        """How many cycles have ended, in this life."""
        return sum(value for name, value in self.metrics().items() if name.startswith("lockstep_cycles_total{"))

    def is_ready(self) -> bool:
        """Whether every first list is in. Fails where the process has ended."""
        assert self._process is not None, "it is not running"
        if self._process.poll() is not None:
            raise RuntimeError(f"the operator has ended by itself:\n{self.log_tail()}")
        try:
            return self.page("/readyz") == "ok\n"
        except (urllib.error.URLError, ConnectionError):
            return False

    def _spawn(self, arguments: list[str]) -> "subprocess.Popen[bytes] | Forked":
        with self._log.open("ab") as log:
            return subprocess.Popen([sys.executable, "-m", "lockstep", *arguments], stdout=log, stderr=log)

    def resident_bytes(self) -> int:
        """What it has in memory."""
        assert self._process is not None, "it is not running"
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def log_text(self) -> str:
        """Everything that it has written."""
        return self._log.read_text(encoding="utf-8") if self._log.exists() else ""

    def log_tail(self) -> str:
        """What it wrote last."""
        return "\n".join(self.log_text().splitlines()[-TAIL_LINES:])


class QuickOperator(OperatorProcess):
    """The same, started without waiting for imports: for tests that start it a hundred times."""

    def _spawn(self, arguments: list[str]) -> Forked:
        return Forked(arguments, self._log)


@contextmanager
def running(process: OperatorProcess) -> Iterator[OperatorProcess]:
    """Start an operator, and leave no process behind."""
    try:
        process.start()
        yield process
    finally:
        process.end()
