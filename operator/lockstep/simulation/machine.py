"""The simulated cluster: jobs come, a policy starts them, they end."""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lockstep.simulation.jobs import Job

_SUBMITTED, _ENDED = 1, 0


class Start(NamedTuple):
    """A job starts now, with a member on each of these nodes, by index."""

    job: Job
    nodes: Sequence[int]


class Run(NamedTuple):
    """How a job ran."""

    job: Job
    nodes: Sequence[int]
    start: float
    end: float

    @property
    def size(self) -> int:
        """How many members it had."""
        return len(self.nodes)


@dataclass(slots=True, kw_only=True, eq=False)
class Cluster:
    """What a policy sees: jobs that wait, by submission, and that run; which nodes are free, of which slow-downs.

    Nodes are ordered by their slow-downs, the fastest first.
    """

    slowdowns: NDArray[np.float64]
    free: NDArray[np.bool_]
    now: float = 0.0
    waiting: dict[int, Job] = field(default_factory=dict)
    running: dict[int, Run] = field(default_factory=dict)

    def fastest(self, count: int) -> list[int]:
        """Return the fastest ``count`` of the free nodes, of which there must be so many."""
        nodes: list[int] = np.flatnonzero(self.free)[:count].tolist()
        return nodes

    def run_time(self, job: Job, nodes: Sequence[int]) -> float:
        """Return how long a job runs there: the slowest node sets the pace."""
        return float(job.times[len(nodes) - 1] * self.slowdowns[nodes[-1]])


class Policy(Protocol):
    """Decides who starts."""

    def starts(self, cluster: Cluster) -> list[Start]:
        """Choose the jobs that start now, and their nodes, in rising order."""


def simulate(
    jobs: Sequence[Job],
    slowdowns: NDArray[np.float64],
    policy: Policy,
    progress: Callable[[], None] = lambda: None,
) -> list[Run]:
    """Run all jobs and return how each ran, in the order of their ends. ``progress`` hears of each end."""
    cluster = Cluster(slowdowns=slowdowns, free=np.ones(len(slowdowns), dtype=np.bool_))
    events = [(job.submitted, _SUBMITTED, job.number) for job in jobs]
    heapq.heapify(events)
    by_number, runs = {job.number: job for job in jobs}, []
    while events:
        cluster.now = events[0][0]
        while events and events[0][0] == cluster.now:
            _, kind, number = heapq.heappop(events)
            if kind == _SUBMITTED:
                cluster.waiting[number] = by_number[number]
            else:
                runs.append(_end(cluster, number))
                progress()
        for start in policy.starts(cluster) if cluster.waiting else ():
            heapq.heappush(events, (_start(cluster, start).end, _ENDED, start.job.number))
    return runs


def _start(cluster: Cluster, start: Start) -> Run:
    nodes = list(start.nodes)
    if not cluster.free[nodes].all():
        raise ValueError(f"job {start.job.number} was put on nodes that are not free")
    run = Run(start.job, nodes, cluster.now, cluster.now + cluster.run_time(start.job, nodes))
    cluster.free[nodes] = False
    del cluster.waiting[start.job.number]
    cluster.running[start.job.number] = run
    return run


def _end(cluster: Cluster, number: int) -> Run:
    run = cluster.running.pop(number)
    cluster.free[list(run.nodes)] = True
    return run
