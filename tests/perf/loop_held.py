"""For how long the operator's event loop is held at a time, while a long queue is planned, and gangs land and go."""

import asyncio
import os
import re
from collections.abc import Coroutine, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from bench_cluster import NAMESPACE, admin_client, bare_cluster, operator
from footprint import GANGS, create_all, until_quiet
from rich.console import Console
from rich.table import Table

from builders.manifests import gang
from coschedule import GangKey
from eventually import eventually
from lockstep.api.client import paths
from lockstep_demo.operator_process import Life, OperatorProcess, Spawn, spawn
from sandbox import Sandbox

NODES = (500, 5000)
WAITING = 1000
COMING = 100
COMING_SIZE = 16
SECONDS = 600
WANTED_SECONDS = 0.05


class Measurements(NamedTuple):
    """How often it was measured, by the upper bound in seconds of how long the loop had been held then."""

    up_to: Mapping[float, float]

    @property
    def number(self) -> float:
        """How often it was measured."""
        return self.up_to[float("inf")]

    @property
    def longest(self) -> float:
        """The least of the bounds that held for all."""
        return min(bound for bound, measured in self.up_to.items() if measured == self.number)

    def since(self, before: "Measurements") -> "Measurements":
        """Those that came after some."""
        return Measurements({bound: measured - before.up_to[bound] for bound, measured in self.up_to.items()})


def measure(console: Console) -> None:
    """Fill a cluster, let gangs wait for it, and let more come, land and go."""
    title = f"how long the event loop is held: share of measurements up to {WANTED_SECONDS:g} s, and the longest"
    when = (f"{WAITING} gangs come and wait", f"{COMING} gangs of {COMING_SIZE} land", f"these {COMING} go")
    table = Table("nodes", "the operator has cores", *when, title=title)
    for nodes, (whose_turn, spawned) in product(NODES, _ways().items()):
        with bare_cluster(nodes) as sandbox, operator(sandbox, spawn=spawned) as running:
            _take_most(sandbox, running, nodes)
            measured = [_measured_while(running, work) for work in _works(sandbox)]
        table.add_row(str(nodes), whose_turn, *map(_formatted, measured))
    console.print(table)


def _ways() -> Mapping[str, Spawn]:
    """The ways to start the operator by when it has cores; only root may have it go first."""
    return {"before others": _spawned_first, "as others": spawn} if os.geteuid() == 0 else {"as others": spawn}


def _spawned_first(arguments: Sequence[str], log: Path) -> Life:
    """Start the operator so that it never waits for a core: what is measured then is its own doing."""
    life = spawn(arguments, log)
    os.sched_setscheduler(life.pid, os.SCHED_RR, os.sched_param(1))
    return life


def _works(sandbox: Sandbox) -> list[Coroutine[None, None, None]]:
    waiting = (_waiting(number) for number in range(WAITING))
    coming = (gang(f"came-{number}", size=COMING_SIZE, cpu="100m") for number in range(COMING))
    return [create_all(sandbox, GANGS, waiting), create_all(sandbox, GANGS, coming), _delete(sandbox, COMING)]


def _formatted(measured: Measurements) -> str:
    return f"{measured.up_to[WANTED_SECONDS] / measured.number:.2%} of {measured.number:.0f}, {measured.longest:g} s"


def _measured_while(running: OperatorProcess, work: Coroutine[None, None, None]) -> Measurements:
    before = _measurements(running)
    asyncio.run(work)
    until_quiet(running)
    return _measurements(running).since(before)


def _measurements(running: OperatorProcess) -> Measurements:
    buckets = re.compile(r'lockstep_event_loop_held_seconds_bucket\{le="(.+)"\}')
    found = ((buckets.fullmatch(name), value) for name, value in running.metrics().items())
    return Measurements({float(match[1]): value for match, value in found if match})


def _take_most(sandbox: Sandbox, running: OperatorProcess, nodes: int) -> None:
    """Let one gang have most of every node: it ends in an hour, for all that is planned."""
    one = gang("first", size=nodes, cpu="6", work={"serialTime": f"{nodes}h"})
    asyncio.run(create_all(sandbox, GANGS, [one]))
    eventually(lambda: running.metrics()['lockstep_gangs{state="placed"}'] == 1, seconds=SECONDS)


def _waiting(number: int) -> Mapping[str, Any]:
    """A gang that has to wait for the first one, with a range of sizes and a run time of its own."""
    smallest = 1 + number % 32
    work = {"serialTime": f"{600 + 37 * number}s", "overhead": {"perMember": "200ms"}}
    return gang(f"waiting-{number}", size=(smallest, 2 * smallest), cpu="3", work=work)


async def _delete(sandbox: Sandbox, count: int) -> None:
    async with admin_client(sandbox) as client:
        for number in range(count):
            found = await client.get(paths.gang(GangKey(NAMESPACE, f"came-{number}")))
            await client.delete(paths.gang(GangKey(NAMESPACE, f"came-{number}")), uid=found.body["metadata"]["uid"])
