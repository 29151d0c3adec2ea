"""A controller of others as a process beside the control plane. It has all rights."""

import subprocess
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from eventually import eventually
from sandbox import Sandbox, processes
from sandbox.ports import LOOPBACK
from sandbox.processes import Mark

LAST_WORDS = 3000
READY_SECONDS = 120


@contextmanager
def controller_process(
    sandbox: Sandbox,
    command: Sequence[str],
    *,
    log: Path,
    ready: str,
    environment: Mapping[str, str] | None = None,
) -> Iterator[None]:
    """Run a controller; ``ready`` is where it answers once it works: a port of the loopback, and a path."""
    own = {"KUBECONFIG": str(sandbox.kubeconfig), **(environment or {})}
    with log.open("ab") as output:
        process = subprocess.Popen(
            processes.owned(command),
            env=processes.environment(Mark(log.parent, "controller")) | own,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        eventually(lambda: _is_ready(process, ready, log), seconds=READY_SECONDS)
        yield
    finally:
        process.kill()
        process.wait()


def _is_ready(process: "subprocess.Popen[bytes]", ready: str, log: Path) -> bool:
    if process.poll() is not None:
        last_words = log.read_text(encoding="utf-8", errors="replace")[-LAST_WORDS:]
        raise RuntimeError(f"The controller has ended: {last_words}")
    with suppress(OSError), urllib.request.urlopen(f"http://{LOOPBACK}:{ready}", timeout=1):
        return True
    return False
