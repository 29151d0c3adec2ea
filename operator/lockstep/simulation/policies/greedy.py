"""Schedulers that read the queue in order and start each job that fits now, as large as allowed and possible.

These are: rigid jobs first come, first served; EASY backfill (D. A. Lifka, 1995); Slurm's range of nodes, which takes
as many as are free; and Kueue's partial admission, which shrinks a job that does not fit and makes no promises.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple, assert_never

from lockstep.simulation.model.cluster import Cluster, SimulatedDecision, Start
from lockstep.simulation.model.jobs import Job


class Behind(Enum):
    """Which jobs may start behind a job that has to wait."""

    NO_JOB = auto()
    JOBS_THAT_DO_NOT_DELAY_IT = auto()
    ANY_JOB = auto()


class Range(NamedTuple):
    """How many members a job may have."""

    least: int
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Greedy:
    """Gives each job as many free nodes as its ``range`` allows."""

    range: Callable[[Job], Range]
    behind: Behind

    def decide(self, cluster: Cluster) -> SimulatedDecision:
        """Go through the queue until a job has to wait, and then on to the jobs that may start behind it."""
        free = cluster.idle()
        starts: list[Start] = []
        first: _Reserved | None = None
        for job in cluster.waiting.values():
            nodes = self._fitting(cluster, job, free, first)
            if nodes:
                starts.append(Start(job, nodes))
                free = [node for node in free if node not in set(nodes)]
            else:
                match self.behind:
                    case Behind.NO_JOB:
                        break
                    case Behind.JOBS_THAT_DO_NOT_DELAY_IT:
                        first = first or _reserved(cluster, starts, len(free), self.range(job).least)
                    case Behind.ANY_JOB:
                        pass
                    case _:
                        assert_never(self.behind)
            if not free:
                break
        return SimulatedDecision(starts)

    def _fitting(self, cluster: Cluster, job: Job, free: list[int], first: "_Reserved | None") -> list[int]:
        least, most = self.range(job)
        nodes = cluster.first_fitting(job, free, least, most)
        if first is not None and nodes and cluster.now + cluster.run_time(job, nodes) > first.start:
            nodes = cluster.first_fitting(job, free, least, min(most, first.spare))
            first.spare -= len(nodes)
        return nodes


@dataclass(slots=True)
class _Reserved:
    """The first waiting job starts at ``start``, unless owners have its nodes; it leaves ``spare`` nodes free."""

    start: float
    spare: int


def _reserved(cluster: Cluster, starts: list[Start], free: int, least: int) -> _Reserved:
    ends = [(run.end, run.size) for run in cluster.running.values()]
    ends += [(cluster.now + cluster.run_time(one.job, one.nodes), len(one.nodes)) for one in starts]
    for end, size in sorted(ends):
        free += size
        if free >= least:
            return _Reserved(end, free - least)
    return _Reserved(math.inf, 0)
