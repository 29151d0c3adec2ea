"""What one agent takes, as a process with its defaults: memory, and processor time at its own period.

It measures this machine, and writes to an API server of its own; the operator's part is played by one write.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import mkdtemp

from bench_cluster import bare_cluster
from rich.console import Console

from eventually import eventually
from live.agents import ACCOUNT, NAMESPACE, RBAC
from live.arena import BIDS
from live.tokens import token_on
from sandbox import Sandbox, generic_nodes

TICKS = os.sysconf("SC_CLK_TCK")
[NODE] = (node.name for node in generic_nodes(1))


def main() -> None:
    """Start one, wait until it measures, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300.0)
    seconds = parser.parse_args().seconds
    console = Console()
    with bare_cluster(1) as sandbox:
        sandbox.apply(RBAC)
        folder = Path(mkdtemp(prefix="agent-"))
        (folder / "token").write_text(token_on(sandbox, NODE, NAMESPACE, ACCOUNT))
        with subprocess.Popen([sys.executable, "-m", "lockstep", *_arguments(sandbox, folder)]) as process:
            _until_measured(sandbox)
            console.print(f"until it has measured: {_cpu_seconds(process.pid):.2f} s of processor time")
            before = _cpu_seconds(process.pid)
            time.sleep(seconds)
            share = (_cpu_seconds(process.pid) - before) / seconds
            status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
            console.print(f"{seconds:g} s at a period of 10 s: {share:.3%} of a core")
            for line in status.splitlines():
                if line.startswith(("VmRSS", "VmHWM", "RssAnon", "Threads")):
                    console.print(line.replace("\t", " "))
            process.terminate()


def _arguments(sandbox: Sandbox, folder: Path) -> tuple[str, ...]:
    return (
        "agent",
        f"--node={NODE}",
        f"--history={folder / 'history.json'}",
        f"--api-server={sandbox.server}",
        f"--token-file={folder / 'token'}",
        f"--ca-file={sandbox.ca_file}",
    )


def _until_measured(sandbox: Sandbox) -> None:
    """Write to the agent's bid that no member runs here, and wait until the agent says what it measured."""
    path = f"{BIDS}/{NODE}"
    eventually(lambda: NODE in sandbox.kubectl("get", "nodebids", "-o", "name"), seconds=120)
    sandbox.request("PATCH", f"{path}/status", {"status": {"planned": {"state": "Offered", "memberUids": []}}})
    eventually(lambda: "dutyCycle" in sandbox.request("GET", path)["spec"], seconds=300)


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


if __name__ == "__main__":
    main()
