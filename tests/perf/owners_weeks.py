"""What forecasts of owners' return are worth: weeks of synthetic owners who interrupt gangs, planned in three ways.

Prints, and never fails on a figure. Run it as ``PYTHONPATH=tests python tests/perf/owners_weeks.py``.

24 equal nodes, of which 16 have owners (``owner_habits.py``) who want their nodes back at once. Three weeks are
history; in the next two gangs come at random, 16 a day. A gang's work takes about 8 hours on one node (log-normally, up
to about a day), 1 to 8 members divide it, and each costs 30 s more. One that is interrupted comes back to the queue at
once, less what its last checkpoint has kept. All run until the last has ended.
"""

import heapq
import math
import statistics
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
from owner_habits import DAY, HOUR, WEEK, Owner, draw_owner
from rich.console import Console
from rich.table import Table

from coschedule import (
    Constraints,
    Forecasts,
    GangKey,
    Interruptible,
    NodeTable,
    PendingGang,
    Placement,
    Release,
    Role,
    SerialWork,
    Sizes,
    Snapshot,
    no_forecasts,
    plan,
)

NODES, OWNED = 24, 16
HISTORY_WEEKS, WEEKS = 3, 2
GANGS_A_DAY = 16
SERIAL_HOURS = 8.0
MOST, OVERHEAD = 8, 30.0
PRICE = 0.25
SEEDS = range(1, 3)
CHECKPOINTS = {"none": math.inf, "every 15 min": 900.0}
_BEGIN = HISTORY_WEEKS * WEEK * DAY


class Way(StrEnum):
    """What is planned with."""

    USED = "forecasts used"
    IGNORED = "forecasts ignored"
    NEVER = "owned nodes never used"


@dataclass(frozen=True)
class Job:
    """A gang with so many seconds of serial work left."""

    name: str
    came: float
    work: float


@dataclass(frozen=True)
class Run:
    """A gang on these nodes, from a start to its end if nobody interrupts it."""

    job: Job
    nodes: tuple[int, ...]
    start: float
    end: float


@dataclass
class World:
    """The queue, what runs, and what has come of it: turnarounds, and node-seconds used and lost."""

    owners: dict[int, Owner]
    way: Way
    interval: float
    waiting: list[Job] = field(default_factory=list)
    running: list[Run] = field(default_factory=list)
    turnarounds: list[float] = field(default_factory=list)
    used: float = 0.0
    lost: float = 0.0
    interruptions: int = 0
    ahead: Forecasts | None = None

    def simulate(self, jobs: list[Job]) -> None:
        """Go from one thing that happens to the next until all jobs have ended."""
        stays = [time for owner in self.owners.values() for time in owner.stays.ravel() if time > _BEGIN]
        events, left = [*stays, *(job.came for job in jobs)], list(jobs)
        heapq.heapify(events)
        while left or self.waiting or self.running:
            now = heapq.heappop(events)
            while events and events[0] <= now:
                heapq.heappop(events)
            while left and left[0].came <= now:
                self.waiting.append(left.pop(0))
            self._end(now)
            self._interrupt(now)
            for time in self._start(now):
                heapq.heappush(events, time)

    def _end(self, now: float) -> None:
        for run in [run for run in self.running if run.end <= now]:
            self.running.remove(run)
            self.turnarounds.append(now - run.job.came)
            self.used += (run.end - run.start) * len(run.nodes)

    def _interrupt(self, now: float) -> None:
        there = {node for node, owner in self.owners.items() if owner.is_there(now)}
        for run in [run for run in self.running if not there.isdisjoint(run.nodes)]:
            self.running.remove(run)
            elapsed = now - run.start
            kept = 0.0 if math.isinf(self.interval) else elapsed // self.interval * self.interval
            self.interruptions += 1
            self.used += elapsed * len(run.nodes)
            self.lost += (elapsed - kept) * len(run.nodes)
            left = run.job.work * (1 - kept / (run.end - run.start))
            self.waiting.append(replace(run.job, work=left))

    def _start(self, now: float) -> list[float]:
        """Start what is planned for now; return when there is something to do next, as far as that is known."""
        jobs = {job.name: job for job in self.waiting}
        placed = [one for one in plan(self._snapshot(now)).decisions if isinstance(one, Placement)] if jobs else []
        for one in placed:
            if one.start <= now:
                job = jobs[one.gang.name]
                self.waiting.remove(job)
                nodes = tuple(int(entry.node) for entry in one.members)
                self.running.append(Run(job, nodes, now, one.finish))
        ends = [one.finish for one in placed if one.start <= now]
        # Whoever waits is looked at again when forecasts have changed.
        return [*ends, (now // HOUR + 1) * HOUR] if self.waiting else ends

    def _snapshot(self, now: float) -> Snapshot:
        free = np.ones((NODES, 1), dtype=np.int64)
        for run in self.running:
            free[list(run.nodes)] = 0
        return Snapshot(
            generation=0,
            now=now,
            resources=("slots",),
            nodes=_TABLE,
            free=free,
            start=np.array([math.inf if self._is_shut(node, now) else -math.inf for node in range(NODES)]),
            slowdown=np.ones(NODES),
            until=np.full(NODES, math.inf),
            releases=tuple(
                Release(node=node, request=(1,), time=run.end) for run in self.running for node in run.nodes
            ),
            gangs=tuple(self._gang(job) for job in self.waiting),
            forecasts=self._forecasts(now) if self.way is Way.USED else no_forecasts(),
        )

    def _is_shut(self, node: int, now: float) -> bool:
        owner = self.owners.get(node)
        return owner is not None and (self.way is Way.NEVER or owner.is_there(now))

    def _forecasts(self, now: float) -> Forecasts:
        """Forecast as an agent does that looks once an hour, at its begin."""
        hour = now // HOUR * HOUR
        if self.ahead is None or self.ahead.edges[0] != hour:
            self.ahead = self._look_ahead(hour)
        return self.ahead

    def _look_ahead(self, now: float) -> Forecasts:
        ahead = {node: owner.returns(now) for node, owner in self.owners.items()}
        hours = len(next(iter(ahead.values())))
        returns = [np.clip(ahead[node], 0, 1) if node in ahead else np.zeros(hours) for node in range(NODES)]
        return Forecasts(edges=now + HOUR * np.arange(hours + 1), returns=np.array(returns))

    def _gang(self, job: Job) -> PendingGang:
        saves = self.interval < math.inf
        return PendingGang(
            key=GangKey("simulation", job.name),
            priority=0,
            created=job.came,
            roles=(Role(sizes=Sizes(minimum=1, maximum=MOST), request=(1,), constraints=Constraints()),),
            work=SerialWork(serial=job.work, per_member=OVERHEAD),
            member_price=PRICE,
            interruptible=Interruptible.CHECKPOINTED if saves else Interruptible.FREELY,
            checkpoint_interval=self.interval,
        )


_TABLE = NodeTable(
    names=tuple(f"{number:03}" for number in range(NODES)),
    labels=({},) * NODES,
    taints=((),) * NODES,
    ready=np.ones(NODES, dtype=np.bool_),
    unschedulable=np.zeros(NODES, dtype=np.bool_),
)


def world_of(seed: int, way: Way, interval: float) -> World:
    """Simulate the owners and jobs of a seed."""
    random = np.random.default_rng(seed)
    # All have ended long before the owners do.
    owners = {node: draw_owner(random, 4 * (HISTORY_WEEKS + WEEKS)) for node in range(OWNED)}
    came = np.sort(random.uniform(_BEGIN, _BEGIN + WEEKS * WEEK * DAY, size=GANGS_A_DAY * WEEK * WEEKS)).tolist()
    work = (SERIAL_HOURS * HOUR * random.lognormal(0.0, 0.6, size=len(came))).tolist()
    world = World(owners, way, interval)
    world.simulate([Job(f"g{number}", *job) for number, job in enumerate(zip(came, work, strict=True))])
    return world


def main() -> None:
    """Print a row for each way and kind of checkpoints, means over the seeds."""
    table = Table("checkpoints", "planned with", "work lost", "interruptions a gang", "mean turnaround", "90 % within")
    for (name, interval), way in [(kind, way) for kind in CHECKPOINTS.items() for way in Way]:
        worlds = [world_of(seed, way, interval) for seed in SEEDS]
        lost = statistics.mean(world.lost / world.used for world in worlds)
        often = statistics.mean(world.interruptions / len(world.turnarounds) for world in worlds)
        turnaround = statistics.mean(statistics.mean(world.turnarounds) for world in worlds)
        most = statistics.mean(float(np.quantile(world.turnarounds, 0.9)) for world in worlds)
        times = (f"{seconds / HOUR:.2f} h" for seconds in (turnaround, most))
        table.add_row(name, way, f"{100 * lost:.1f} %", f"{often:.2f}", *times)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
