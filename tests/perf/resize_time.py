"""Time to choose sizes of gangs that run, and to plan the queue beside them, after each of many events."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from time import process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from coschedule import (
    ChangeTerms,
    Constraints,
    ElasticRun,
    GangKey,
    NodeTable,
    PendingGang,
    Placement,
    Promises,
    Release,
    Role,
    SerialWork,
    Sizes,
    Snapshot,
    resize,
)
from coschedule.model.numbers import IntArray
from coschedule.resizing.beside import Resized
from lockstep.cycle.planning.memory import PlanMemory

WAITING = 1000
EVENTS = 10
MEMBERS_OF_RUN = 16
NODES_OF_RUN = 20
TERMS = ChangeTerms()
NOW = 1_000_000.0
SECONDS_OF_EVENT = 60.0
MEMBER = (4000,)


def measure(console: Console) -> None:
    """Choose sizes after a gang has ended and another one came, and plan the same queue without elastic gangs."""
    table = Table("nodes", "gangs that run", "elastic", "not elastic", title=_title())
    for nodes in (500, 5000):
        runs = list(_runs(nodes))
        cells = [_cell(nodes, runs, are_elastic=are_elastic) for are_elastic in (True, False)]
        table.add_row(str(nodes), str(len(runs)), *cells)
    console.print(table)


def _title() -> str:
    return f"milliseconds of processor time after an event, {WAITING} gangs wait: median, 99 of 100, and changes"


def _cell(nodes: int, runs: list[ElasticRun], *, are_elastic: bool) -> str:
    """Let a gang end and others come at each event, and carry out what is decided."""
    queue, memory = _Queue(nodes, {run.key: run for run in runs}), PlanMemory(Promises.SLACK)
    seconds, changes = list[float](), 0
    for event in range(min(EVENTS, len(runs) - 1) + 1):
        queue.happen(NOW + event * SECONDS_OF_EVENT)
        facts, known = memory.remembered_by(queue.snapshot()), list(queue.runs.values())
        elastic = {gang.key: TERMS for gang in queue.waiting.values()}
        began = process_time()
        made = resize(facts, known, elastic) if are_elastic else resize(facts, (), {})
        seconds.append(process_time() - began)
        memory.record(made.after, made.plan)
        queue.carry_out(made)
        changes += len(made.sizes.changes)
    settled = seconds[1:]
    return f"{1000 * np.median(settled):.0f}, {1000 * np.quantile(settled, 0.99):.0f}, {changes}"


class _Queue:
    """The gangs that run and may change their size, and those that wait."""

    def __init__(self, nodes: int, runs: dict[GangKey, ElasticRun]) -> None:
        self.nodes, self.runs, self.now = nodes, runs, NOW
        self.waiting = dict[GangKey, PendingGang]()
        self.number = 0

    def happen(self, now: float) -> None:
        """Let the gang end that has run for longest, and fill the queue."""
        self.now = now
        self.runs = {key: run for key, run in self.runs.items() if run.end > now}
        self.runs.pop(next(iter(self.runs)))
        self.all_left()
        while len(self.waiting) < WAITING:
            gang = _gang(self.number, now)
            self.waiting[gang.key] = gang
            self.number += 1

    def carry_out(self, made: Resized) -> None:
        """Change sizes and start gangs, which may change their size from then on."""
        for change in made.sizes.changes:
            run, rest = self.runs[change.gang], change.end - self.now - TERMS.restart_time
            left = min(1.0, max(0.001, rest / run.work.float_time(len(change.nodes))))
            self.runs[run.key] = replace(run, nodes=change.nodes, end=change.end, changed=self.now, left=left)
        for start in made.sizes.starts:
            self._start(start.gang, start.nodes, start.end)
        for one in (*made.placed, *made.plan.decisions):
            if isinstance(one, Placement) and one.start <= self.now:
                nodes = [int(entry.node[1:]) for entry in one.members for _ in range(entry.count)]
                self._start(one.gang, nodes, one.finish)

    def _start(self, key: GangKey, nodes: Sequence[int], end: float) -> None:
        gang = self.waiting.pop(key)
        self.runs[key] = ElasticRun(
            key=key,
            created=gang.created,
            sizes=gang.roles[0].sizes,
            request=MEMBER,
            work=gang.work,
            left=1.0,
            nodes=tuple(nodes),
            end=end,
            terms=TERMS,
        )

    def snapshot(self) -> Snapshot:
        """The facts of now."""
        held = [(node, run.end) for run in self.runs.values() for node in run.nodes]
        releases = [Release(node=node, request=MEMBER, time=end) for node, end in held]
        free = np.full((self.nodes, 1), MEMBER[0], dtype=np.int64)
        free[[node for node, _ in held]] = 0
        return _snapshot(self.nodes, free, releases, self.waiting.values(), self.now)

    def all_left(self) -> None:
        """Compute what is left of the work of each gang now."""
        for key, run in self.runs.items():
            rest = (run.end - self.now) / run.work.float_time(run.size)
            self.runs[key] = replace(run, left=min(1.0, max(0.001, rest)))


def _runs(nodes: int) -> Iterator[ElasticRun]:
    """Gangs on four of five nodes, with hours to run."""
    chance = np.random.default_rng(nodes)
    for number, first in enumerate(range(0, nodes, NODES_OF_RUN)):
        left = float(chance.uniform(0.1, 1))
        work = SerialWork(serial=float(chance.integers(100_000, 2_000_000)))
        yield ElasticRun(
            key=GangKey("bench", f"run-{number:04d}"),
            created=NOW - 10_000.0,
            sizes=Sizes(minimum=4, maximum=64),
            request=MEMBER,
            work=work,
            left=left,
            nodes=tuple(range(first, first + MEMBERS_OF_RUN)),
            end=NOW + left * work.float_time(MEMBERS_OF_RUN),
            terms=TERMS,
        )


def _gang(number: int, created: float) -> PendingGang:
    chance = np.random.default_rng(number)
    smallest = int(chance.integers(1, 33))
    sizes = Sizes(minimum=smallest, maximum=2 * smallest)
    role = Role(sizes=sizes, request=MEMBER, constraints=Constraints())
    work = SerialWork(serial=float(chance.integers(600, 360_000)), fixed=5.0)
    return PendingGang(key=GangKey("bench", f"g{number:05d}"), priority=0, created=created, work=work, roles=(role,))


def _snapshot(
    nodes: int, free: IntArray, releases: Iterable[Release], gangs: Iterable[PendingGang], now: float
) -> Snapshot:
    return Snapshot(
        generation=1,
        now=now,
        resources=("cpu",),
        nodes=NodeTable(
            names=tuple(f"n{number:05d}" for number in range(nodes)),
            labels=({},) * nodes,
            taints=((),) * nodes,
            ready=np.ones(nodes, dtype=np.bool_),
            unschedulable=np.zeros(nodes, dtype=np.bool_),
        ),
        free=free,
        start=np.zeros(nodes),
        slowdown=np.ones(nodes),
        until=np.full(nodes, np.inf),
        releases=tuple(releases),
        gangs=tuple(gangs),
    )


if __name__ == "__main__":
    measure(Console())
