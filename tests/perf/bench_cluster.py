"""What the benchmarks run on: a control plane of their own, nodes without kubelets, the operator as a process."""

import os
import re
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from eventually import eventually
from lockstep.api.client import KubeClient
from lockstep.api.configuration import load_configuration
from sandbox import ApiError, Component, Options, Sandbox, generic_nodes, start

ROOT = Path(__file__).parents[2]
NAMESPACE = "bench"


@contextmanager
def bare_cluster(
    nodes: int, *addons: Component, flags: Mapping[Component, tuple[str, ...]] | None = None
) -> Iterator[Sandbox]:
    """An API server with these nodes, our kinds and addons, and nothing else: no kubelets, no controllers."""
    options = Options(name="bench", addons=frozenset(addons), state=Path(mkdtemp()), flags=flags or {})
    with start(options) as sandbox:
        for path in ("crds/gangjobs.yaml", "crds/nodebids.yaml", "operator/rbac.yaml"):
            sandbox.apply(ROOT / path)
        sandbox.request("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        sandbox.create_nodes(generic_nodes(nodes))
        eventually(lambda: _serves_our_kinds(sandbox))
        yield sandbox


def admin_client(sandbox: Sandbox) -> KubeClient:
    """A client with all rights, as many requests at once as the operator."""
    configuration = load_configuration(kubeconfig=str(sandbox.kubeconfig), context=None)
    return KubeClient(configuration, concurrency=64, observer=lambda *_: None)


def writes(sandbox: Sandbox) -> float:
    """How many requests that write the API server has answered, by its own count."""
    lines = sandbox.kubectl("get", "--raw", "/metrics").splitlines()
    samples = (line for line in lines if line.startswith("apiserver_request_total{"))
    return sum(float(line.rsplit(" ", 1)[1]) for line in samples if re.search(r'verb="(POST|PUT|PATCH|DELETE)"', line))


class OperatorProcess:
    """The operator as users run it: a process of its own, under its own service account."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, log: Path) -> None:
        self._process = process
        self._port = port
        self._log = log

    def log_line(self, words: str) -> str:
        """The first line of its log with these words."""
        return next(line for line in self._log.read_text(encoding="utf-8").splitlines() if words in line)

    def page(self, path: str) -> str:
        """What the operator answers there."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self._port}{path}", timeout=10) as answer:
            return str(answer.read().decode())

    def metrics(self) -> dict[str, float]:
        """Every sample of /metrics by its name and labels."""
        lines = (line for line in self.page("/metrics").splitlines() if not line.startswith("#"))
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}

    def cpu_seconds(self) -> float:
        """CPU time that the process has used."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_bytes(self) -> tuple[int, int]:
        """Resident memory now, and at its highest."""
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        kib = dict(line.split(":", 1) for line in status.splitlines())
        return int(kib["VmRSS"].split()[0]) * 1024, int(kib["VmHWM"].split()[0]) * 1024


@contextmanager
def operator(sandbox: Sandbox) -> Iterator[OperatorProcess]:
    """The operator, ready."""
    kubeconfig = sandbox.kubeconfig_for_service_account("lockstep-system", "lockstep")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "lockstep", "run", "--kubeconfig", str(kubeconfig), "--listen-host", "127.0.0.1"]
    with TemporaryDirectory() as folder, (Path(folder) / "log").open("wb") as log:
        process = subprocess.Popen([*command, "--listen-port", str(port)], stderr=log)
        try:
            running = OperatorProcess(process, port, Path(folder) / "log")
            eventually(lambda: process.poll() is not None or _is_ready(running), seconds=300)
            assert process.poll() is None, (Path(folder) / "log").read_text(encoding="utf-8")
            yield running
        finally:
            process.terminate()
            process.wait(timeout=30)


def _serves_our_kinds(sandbox: Sandbox) -> bool:
    """Whether CRDs that were applied a moment ago are there to be used."""
    try:
        served = sandbox.request("GET", "/apis/lockstep.dev/v1alpha1")
    except ApiError:
        return False
    return {"gangjobs", "nodebids"} <= {kind["name"] for kind in served["resources"]}


def _is_ready(running: OperatorProcess) -> bool:
    try:
        return running.page("/readyz") == "ok\n"
    except OSError:
        return False
