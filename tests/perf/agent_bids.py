"""What thousands of agents cost the API server and the operator: every bid renewed as the agents do it.

Each agent has the token of a pod on its node, so that the policy which confines it is asked; it writes by the agents'
own code, by a connection of its own each time, and watches its bid. What is printed is a minute's processor time: at
rest, while bids are renewed, and while every twentieth node says something new each minute. Beside it stands how often
the operator's event loop was held for more than 50 ms. The last column is how long a gang of one took from its object
to ``Placed``.
"""

import argparse
import asyncio
import os
import ssl
import statistics
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import aiohttp
from bench_cluster import NAMESPACE as GANGS
from bench_cluster import bare_cluster, operator
from rich.console import Console

from builders.manifests import gang
from live.agents import ACCOUNT, NAMESPACE, RBAC
from live.arena import BIDS
from live.tokens import token_on
from lockstep.agent.bid.clock import Clock
from lockstep.agent.bid.connection import Server, applied
from lockstep.agent.bid.offering import Differences
from lockstep.agent.bid.publishing import BidTerms, Publisher
from lockstep.agent.measuring.measured import HourAhead, Measured
from lockstep_demo.operator_process import OperatorProcess
from sandbox import Sandbox, generic_nodes
from sandbox.processes import running

PERIOD_SECONDS = 10.0
TERMS = BidTerms(lifetime_seconds=180.0, differences=Differences(relative=0.1, absolute=0.05))
AT_ONCE = 32
TICKS = os.sysconf("SC_CLK_TCK")


class Agents:
    """The writing half of many agents, in one process. A share of them changes each minute."""

    def __init__(self, sandbox: Sandbox, nodes: int, folder: Path) -> None:
        self._names = [node.name for node in generic_nodes(nodes)]
        self._tokens = {name: folder / name for name in self._names}
        self._stop = threading.Event()
        self.writes = 0
        self.changed_share = 0.0
        with ThreadPoolExecutor(AT_ONCE) as pool:
            [*pool.map(partial(self._log_in, sandbox), self._names)]
        self._publishers = [self._publisher(sandbox, name) for name in self._names]

    def token(self, name: str) -> str:
        """The token of one of them."""
        return self._tokens[name].read_text()

    def run(self) -> None:
        """Measure once a period with each, spread evenly over it, until the end."""
        began = time.monotonic()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for turn in self._turns():
                due = began + PERIOD_SECONDS * turn / len(self._names)
                if self._stop.wait(max(0.0, due - time.monotonic())):
                    return
                number = turn % len(self._names)
                pool.submit(self._publishers[number].update, self._measured(number))

    def stop(self) -> None:
        """Have ``run`` end."""
        self._stop.set()

    def _turns(self) -> Iterator[int]:
        turn = 0
        while True:
            yield turn
            turn += 1

    def _measured(self, number: int) -> Measured:
        hour = time.time() // 3600 * 3600
        minute = int(time.time() // 60)
        is_changed = self.changed_share and (number + minute) % round(1 / self.changed_share) == 0
        hours = tuple(HourAhead(hour + 3600 * ahead, 0.1 * (ahead % 5), 0.04 * (ahead % 10)) for ahead in range(24))
        unknown = dict.fromkeys(Measured.__dataclass_fields__)
        known = {"duty_cycle_is_lower_bound": False, "since": hour, "source": "cgroup v2", "forecast": hours}
        measured = Measured(**{**unknown, **known, "duty_cycle": 0.25, "capacity": 1.1, "owner_present": False})
        return replace(measured, duty_cycle=0.5) if is_changed else measured

    def _log_in(self, sandbox: Sandbox, name: str) -> None:
        self._tokens[name].write_text(token_on(sandbox, name, NAMESPACE, ACCOUNT))

    def _publisher(self, sandbox: Sandbox, name: str) -> Publisher:
        server = Server(url=sandbox.server, authority=sandbox.ca_file, token=self._tokens[name])

        def apply(path: str, manifest: object) -> object:
            self.writes += 1
            return applied(server, path, manifest)  # type: ignore[arg-type]

        return Publisher(name, apply, Clock(), TERMS)  # type: ignore[arg-type]


class Watches:
    """What every agent keeps open: a watch of its own bid."""

    def __init__(self, sandbox: Sandbox, agents: Agents, nodes: int) -> None:
        self._sandbox, self._agents = sandbox, agents
        self._names = [node.name for node in generic_nodes(nodes)]
        self.open = 0
        threading.Thread(target=lambda: asyncio.run(self._watch_all()), daemon=True).start()

    async def _watch_all(self) -> None:
        context = ssl.create_default_context(cafile=str(self._sandbox.ca_file))
        connector = aiohttp.TCPConnector(limit=0, ssl=context)
        async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=None)) as session:
            turns = asyncio.Semaphore(AT_ONCE)
            await asyncio.gather(*(self._watch(session, turns, name) for name in self._names))

    async def _watch(self, session: aiohttp.ClientSession, turns: asyncio.Semaphore, name: str) -> None:
        query = {"watch": "true", "fieldSelector": f"metadata.name={name}", "resourceVersion": "0"}
        headers = {"Authorization": f"Bearer {self._agents.token(name)}"}
        async with turns:
            response = await session.get(f"{self._sandbox.server}{BIDS}", params=query, headers=headers)
        self.open += 1
        # In the end the API server breaks them all off.
        with suppress(aiohttp.ClientError):
            async for _ in response.content:
                pass


class Meter:
    """Processor time and memory of the API server, etcd and the operator, and what it takes to place a gang."""

    def __init__(self, sandbox: Sandbox, process: OperatorProcess, agents: Agents, console: Console) -> None:
        self._sandbox, self._process, self._agents, self._console = sandbox, process, agents, console
        self._gangs = 0

    def row(self, what: str, seconds: float) -> None:
        """Print what a minute costs, over so many seconds."""
        before, began = self._sums(), time.monotonic()
        time.sleep(seconds)
        minutes = (time.monotonic() - began) / 60
        sums = zip(self._sums(), before, strict=True)
        server, etcd, ours, writes, held = ((now - then) / minutes for now, then in sums)
        memory = self._metric("process_resident_memory_bytes") / 2**20
        own = self._process.resident_bytes() / 2**20
        cells = (f"{writes:,.0f}", f"{server:.1f} s", f"{memory:,.0f} MiB", f"{etcd:.1f} s", f"{ours:.1f} s")
        more = (f"{own:,.0f} MiB", f"{held:.1f}", f"{statistics.median(self._placed() for _ in range(5)):.2f} s")
        self._console.print(f"| {what} | {' | '.join((*cells, *more))} |")

    def _sums(self) -> tuple[float, ...]:
        loop = self._process.metrics()
        held = loop["lockstep_event_loop_held_seconds_count"]
        return (
            self._metric("process_cpu_seconds_total"),
            sum(
                _processor_seconds(pid)
                for pid, name in running(self._sandbox.kubeconfig.parent).items()
                if name == "etcd"
            ),
            self._process.cpu_seconds(),
            float(self._agents.writes),
            held - loop['lockstep_event_loop_held_seconds_bucket{le="0.05"}'],
        )

    def _placed(self) -> float:
        """Submit a gang of one and wait until it is placed."""
        self._gangs += 1
        path = f"/apis/lockstep.dev/v1alpha1/namespaces/{GANGS}/gangjobs"
        began = time.monotonic()
        self._sandbox.request("POST", path, gang(f"one-{self._gangs}"))
        while not _is_placed(self._sandbox.request("GET", f"{path}/one-{self._gangs}")):
            time.sleep(0.02)
        return time.monotonic() - began

    def _metric(self, name: str) -> float:
        lines = self._sandbox.kubectl("get", "--raw", "/metrics").splitlines()
        [line] = [line for line in lines if line.startswith(f"{name} ")]
        return float(line.split()[1])


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _is_placed(found: dict[str, Any]) -> bool:
    conditions = found.get("status", {}).get("conditions", [])
    return any(one["type"] == "Placed" and one["status"] == "True" for one in conditions)


def main() -> None:
    """Make the agents, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--seconds", type=float, default=180.0)
    given = parser.parse_args()
    console = Console(width=200)
    with bare_cluster(given.nodes) as sandbox:
        sandbox.apply(RBAC)
        agents = Agents(sandbox, given.nodes, Path(mkdtemp(prefix="tokens-")))
        with operator(sandbox) as process:
            console.print(f"{given.nodes:,} nodes; a minute of:")
            console.print("| | agents' writes | API server | its memory | etcd | operator | its memory | held | gang |")
            console.print("|---|---|---|---|---|---|---|---|---|")
            _measure(Meter(sandbox, process, agents, console), agents, sandbox, given)


def _measure(meter: Meter, agents: Agents, sandbox: Sandbox, given: argparse.Namespace) -> None:
    meter.row("no agent writes", 30)
    running = threading.Thread(target=agents.run)
    running.start()
    try:
        meter.row("all begin, and get a status", 120)
        meter.row("renewals", given.seconds)
        watches = Watches(sandbox, agents, given.nodes)
        while watches.open < given.nodes:
            time.sleep(1)
        meter.row(f"renewals, {watches.open:,} watches", given.seconds)
        agents.changed_share = 0.05
        meter.row("every twentieth changes", given.seconds)
    finally:
        agents.stop()
        running.join()


if __name__ == "__main__":
    main()
