"""The operator as users run it: a process of its own, with its own service account and nothing more."""

import http.client
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox import processes
from sandbox.control_plane import Sandbox
from sandbox.errors import SandboxError
from sandbox.ports import LOOPBACK, free_ports
from sandbox.processes import Lifetime, Mark
from sandbox.waiting import wait_until

READY_SECONDS = 60.0
PAGE_SECONDS = 10.0
STOP_PATIENCE_SECONDS = 5.0
LOG_TAIL_LINES = 20


class OperatorProcess:
    """A running operator."""

    def __init__(self, pid: int, *, port: int, log: Path) -> None:
        self._pid = pid
        self._port = port
        self._log = log
        self._has_ended = False

    def check(self) -> None:
        """Raise SandboxError if the process has ended."""
        if self.has_ended():
            raise SandboxError("The operator has ended before the demo.")

    def has_ended(self) -> bool:
        """Tell whether the process is no more; then nothing of it stays in the process table."""
        self._has_ended = self._has_ended or processes.reap(self._pid)
        return self._has_ended

    def metrics(self) -> str:
        """Return the page /metrics; raise SandboxError when there is none."""
        try:
            status, text = self._page("/metrics")
        except (OSError, http.client.HTTPException) as error:
            raise SandboxError(f"The operator does not answer when it is asked for its metrics: {error}.") from error
        if status != http.client.OK:
            raise SandboxError(f"The operator answered {status} when it was asked for its metrics.")
        return text

    def is_ready(self) -> bool:
        """Tell whether it plans already; raise SandboxError if it has ended."""
        self.check()
        try:
            return self._page("/readyz")[0] == http.client.OK
        except (OSError, http.client.HTTPException):
            return False

    def log_tail(self) -> str:
        """Return the last lines that it has written."""
        return "\n".join(self._log.read_text(encoding="utf-8", errors="replace").splitlines()[-LOG_TAIL_LINES:])

    def _page(self, path: str) -> tuple[int, str]:
        # Not urllib: a proxy of the user's must not come between.
        connection = http.client.HTTPConnection(LOOPBACK, self._port, timeout=PAGE_SECONDS)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()


@contextmanager
def operating(sandbox: Sandbox, folder: Path) -> Iterator[OperatorProcess]:
    """Run the operator during the block; a SandboxError that leaves the block gets the tail of its log as a note."""
    kubeconfig = sandbox.kubeconfig_for_service_account("lockstep-system", "lockstep")
    mark, log, (port,) = Mark(folder, "operator"), folder / "operator.log", free_ports(1)
    command = [sys.executable, "-m", "lockstep", "run", f"--kubeconfig={kubeconfig}"]
    command += [f"--listen-host={LOOPBACK}", f"--listen-port={port}"]
    operator = OperatorProcess(
        processes.start(command, mark=mark, log=log, lifetime=Lifetime.OWNED), port=port, log=log
    )
    try:
        wait_until(operator.is_ready, seconds=READY_SECONDS, what="the operator to be ready")
        yield operator
    except SandboxError as error:
        error.add_note(f"The operator's last words:\n{operator.log_tail()}")
        raise
    finally:
        processes.end(mark, patience_seconds=STOP_PATIENCE_SECONDS)
        operator.has_ended()
