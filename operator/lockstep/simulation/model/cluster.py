"""The facts about the simulated cluster that a policy sees, and its decisions. No policy knows the future."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from coschedule import ChangeTerms, Forecasts, no_forecasts
from lockstep.simulation.model.expected_run_times import ExpectedRunTimes
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

    The policy decides again at ``next_start`` at the latest. Jobs in ``changes`` run already, and continue with a
    member on each node of their entry. All of them stop first, so that other jobs may get the nodes that they leave.
    """

    starts: Sequence[Start]
    promises: Sequence[StartPromise] = ()
    next_start: float = math.inf
    changes: Sequence[Start] = ()


class SimulatedRun(NamedTuple):
    """A job that runs; ``end`` is when it is expected to end.

    The job has had its ``nodes`` since ``start``. ``changed`` is equal to ``start`` if the job changed to these nodes
    while it ran, else -inf. The job does no work in the first ``pause`` seconds. The times of ``job`` are for the work
    that was left at ``start``.
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
    """The jobs that wait, in the order of submission, the jobs that run, and the facts about nodes.

    Nodes are ordered by their slow-downs, the fastest first. ``free`` says which nodes have no job. ``windows`` says
    when node owners let nodes take members. The expected run time of a job is the time that its user states, times a
    factor of ``expected``. ``changing`` has the terms for changes of sizes.

    The node owners of nodes that are ``owned`` may come back unannounced. ``terms`` says what then happens, and
    ``forecasts`` how likely it is.
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
    expected: ExpectedRunTimes = field(default_factory=ExpectedRunTimes)
    changing: ChangeTerms = field(default_factory=ChangeTerms)

    def idle(self) -> list[int]:
        """List the nodes that are free and whose owners are not there, the fastest first."""
        nodes: list[int] = np.flatnonzero(self.free & (self.windows.opens <= self.now)).tolist()
        return nodes

    def first_fitting(self, job: Job, nodes: list[int], least: int, most: int) -> list[int]:
        """Return the first of some idle ``nodes`` on which a job can run from now to its end.

        No node owner takes these nodes back before that end. There are at least ``least`` and at most ``most`` of them,
        and their indexes rise. Return [] if there are too few.
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
        return job.times * self.expected.factor(job.template)

    def left(self, run: SimulatedRun) -> float:
        """Return the expected rest of the run's work, as a part of the work at its start: at most 1."""
        return min(1.0, (run.end - self.now) / self.run_time(run.job, run.nodes))

    def run_time(self, job: Job, nodes: Sequence[int]) -> float:
        """Return how long a job is expected to run on ``nodes``, in s: the slowest node sets the pace."""
        return float(job.times[len(nodes) - 1] * self.expected.factor(job.template) * self.slowdowns[nodes[-1]])


class Policy(Protocol):
    """Decides which jobs start. It may remember earlier decisions, and so serves one simulation only."""

    def decide(self, cluster: Cluster) -> SimulatedDecision:
        """Choose the jobs that start now, and the nodes of each job by rising index."""
