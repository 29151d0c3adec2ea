"""Agents as processes of their own, each on a node that is a folder of files, with the token of a pod on that node."""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from builders.node_files import NodeFiles
from live.arena import BIDS
from live.tokens import token_on
from sandbox import ApiError, Sandbox

RBAC = Path(__file__).parents[2] / "operator" / "rbac-agent.yaml"
NAMESPACE, ACCOUNT = "lockstep-system", "lockstep-agent"
LIFETIME_SECONDS = 6
STOP_SECONDS = 60.0
# What takes the place of ``python -m lockstep``, so that a node's clock can be set: the kernel's own can't be here.
WITH_A_CLOCK = """
import time
from pathlib import Path
ahead, real = Path({ahead!r}), time.time
time.time = lambda: real() + float(ahead.read_text())
from lockstep.cli import main
main()
"""


class Agent:
    """An agent on a node. ``files`` is what it measures; what runs there moves on when the bid is read."""

    def __init__(self, api: Sandbox, node: str, folder: Path) -> None:
        self.api, self.node = api, node
        self.files = NodeFiles(folder / "node", cores=4)
        self.history = folder / "history.json"
        self.log = folder / "log"
        self.token = folder / "token"
        self.server = api.server
        self.host_cores = 0.0
        self._ahead = folder / "ahead"
        self._process: subprocess.Popen[bytes] | None = None
        self._spent_at = time.monotonic()
        self.set_clock(0.0)
        self.log_in()

    def log_in(self) -> None:
        """Get the token of a pod that is new on the node."""
        self.log_out()
        self.token.write_text(token_on(self.api, self.node, NAMESPACE, ACCOUNT))

    def log_out(self) -> None:
        """Delete the pod: its token is good for nothing from now on."""
        with suppress(ApiError):
            path = f"/api/v1/namespaces/{NAMESPACE}/pods/{ACCOUNT}-{self.node}?gracePeriodSeconds=0"
            self.api.request("DELETE", path)

    def set_clock(self, ahead_seconds: float) -> None:
        """Set the node's clock, before the process starts or while it runs: so far ahead of the right time."""
        new = self._ahead.with_suffix(".new")
        new.write_text(str(ahead_seconds))
        new.replace(self._ahead)

    def start(self) -> None:
        """Start the process."""
        program = WITH_A_CLOCK.format(ahead=str(self._ahead))
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", program, *self._arguments()], stdout=log, stderr=log
            )

    def kill(self) -> None:
        """End the process as a crash would."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(STOP_SECONDS)

    def stop(self) -> int:
        """Ask the process to end; returns its exit code."""
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(STOP_SECONDS)

    def close(self) -> None:
        """Leave nothing behind."""
        if self._process is not None and self._process.poll() is None:
            self.kill()
        self.log_out()
        with suppress(ApiError):
            self.api.request("DELETE", f"{BIDS}/{self.node}")

    def bid(self) -> Mapping[str, Any]:
        """The node's bid, empty while there is none; until now its host has used ``host_cores``."""
        now = time.monotonic()
        self.files.spend(host=self.host_cores * (now - self._spent_at))
        self._spent_at = now
        try:
            return self.api.request("GET", f"{BIDS}/{self.node}")
        except ApiError:
            return {}

    def spec(self) -> Mapping[str, Any]:
        """What the bid offers."""
        found: Mapping[str, Any] = self.bid().get("spec", {})
        return found

    def planned(self) -> Mapping[str, Any]:
        """What the operator makes of it."""
        found: Mapping[str, Any] = self.bid().get("status", {}).get("planned", {})
        return found

    def _arguments(self) -> Sequence[str]:
        return (
            "agent",
            f"--node={self.node}",
            "--period=500ms",
            f"--lifetime={LIFETIME_SECONDS}s",
            f"--root={self.files.root}",
            f"--proc={self.files.proc}",
            f"--history={self.history}",
            f"--api-server={self.server}",
            f"--token-file={self.token}",
            f"--ca-file={self.api.ca_file}",
            "--log-format=text",
        )


class Wire:
    """A wire to the API server that can be cut: what comes in is passed on, byte by byte."""

    def __init__(self, api: Sandbox) -> None:
        host, _, port = api.server.removeprefix("https://").partition(":")
        self._target = (host, int(port))
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self.is_cut = False
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """Where it begins."""
        return f"https://127.0.0.1:{self._listening.getsockname()[1]}"

    def cut(self) -> None:
        """Break every connection; new ones break too."""
        self.is_cut = True
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        """Let new connections pass."""
        self.is_cut = False

    def close(self) -> None:
        """Cut it for good."""
        self.cut()
        self._listening.close()
        for thread in self._threads:
            thread.join()
        for end in self._ends:
            end.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                if self.is_cut:
                    near.close()
                    continue
                far = socket.create_connection(self._target)
                self._ends += [near, far]
                for source, sink in ((near, far), (far, near)):
                    self._threads.append(threading.Thread(target=_pass_on, args=(source, sink), daemon=True))
                    self._threads[-1].start()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while some := source.recv(65536):
            sink.sendall(some)
    for end in (source, sink):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
