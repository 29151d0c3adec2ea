"""What a policy sees of the simulated cluster, and what it decides. It sees nothing of the future."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from coschedule import ChangeTerms, Forecasts, no_forecasts
from lockstep.simulation.model.beliefs import Belief
from lockstep.simulation.model.jobs import FloatArray, Job
from lockstep.simulation.model.promises import StartPromise
from lockstep.simulation.presence.office_hours import Windows
from lockstep.simulation.presence.terms import OwnerTerms


class Start(NamedTuple):
    """A job starts now, with a member on each of these nodes, by index."""

    job: Job
    nodes: Sequence[int]


class SimulatedDecision(NamedTuple):
    """The jobs that start now, and the promises to jobs that wait, if the policy makes any.

    The policy decides again at ``next_start`` at the latest. Jobs that run go on as in ``changes``,
    with a member on each of these nodes; they stop first, so that others may have the nodes that they leave.
    """

    starts: Sequence[Start]
    promises: Sequence[StartPromise] = ()
    next_start: float = math.inf
    changes: Sequence[Start] = ()


class SimulatedRun(NamedTuple):
    """A job that runs; ``end`` is when it is expected to end.

    It has had this size since ``start``, and was changed to it at ``changed``, -inf where it began with it; a ``pause``
    of so many seconds came first. The times of the job are those of what was left then.
    """

    job: Job
    nodes: Sequence[int]
    start: float
    end: float
    pause: float = 0.0
    changed: float = -math.inf

    @property
    def size(self) -> int:
        """How many members it has."""
        return len(self.nodes)


@dataclass(slots=True, kw_only=True, eq=False)
class Cluster:
    """Jobs that wait, by submission, and that run; which nodes are free, how slow they are and when they take members.

    Nodes are ordered by their slow-downs, the fastest first. ``windows`` consider node owners, ``free`` does not. How
    long jobs run is known from the owners of the jobs and from a ``belief``, and what ``changing`` a size takes.

    Owners of the nodes that are ``owned`` may come back unannounced, on ``terms``; ``forecasts`` say how likely.
    """

    slowdowns: NDArray[np.float64]
    free: NDArray[np.bool_]
    windows: Windows
    owned: NDArray[np.bool_]
    terms: OwnerTerms = field(default_factory=OwnerTerms)
    forecasts: Forecasts = field(default_factory=no_forecasts)
    now: float = 0.0
    waiting: dict[int, Job] = field(default_factory=dict)
    running: dict[int, SimulatedRun] = field(default_factory=dict)
    belief: Belief = field(default_factory=Belief)
    changing: ChangeTerms = field(default_factory=ChangeTerms)

    def idle(self) -> list[int]:
        """List the nodes that are free and whose owners are not there, the fastest first."""
        nodes: list[int] = np.flatnonzero(self.free & (self.windows.opens <= self.now)).tolist()
        return nodes

    def first_fitting(self, job: Job, nodes: list[int], least: int, most: int) -> list[int]:
        """Choose the first of some idle nodes for a job that starts now, in rising order; none if too few are left.

        No owner takes them back before the job has ended.
        """
        while least <= min(len(nodes), most):
            chosen = sorted(nodes[:most])
            end = self.now + self.run_time(job, chosen)
            if self.windows.closes[chosen].min() >= end:
                return chosen
            nodes = [node for node in nodes if self.windows.closes[node] >= end]
        return []

    def times(self, job: Job) -> FloatArray:
        """Return how long 1, 2, … members of a job are expected to run on nodes of speed 1."""
        return job.times * self.belief.factor(job.template)

    def left(self, run: SimulatedRun) -> float:
        """Return which part of its work is expected to be left of a run, since it has had this size."""
        return min(1.0, (run.end - self.now) / self.run_time(run.job, run.nodes))

    def run_time(self, job: Job, nodes: Sequence[int]) -> float:
        """Return how long a job is expected to run there: the slowest node sets the pace."""
        return float(job.times[len(nodes) - 1] * self.belief.factor(job.template) * self.slowdowns[nodes[-1]])


class Policy(Protocol):
    """Decides which jobs start. It may remember earlier decisions, and so serves one simulation only."""

    def decide(self, cluster: Cluster) -> SimulatedDecision:
        """Choose the jobs that start now, and their nodes, in rising order."""
