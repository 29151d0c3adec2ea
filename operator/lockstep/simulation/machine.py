"""The simulated cluster: jobs come, a policy starts them, they end.

A job that has run as long as expected and has not ended is expected to end later by the same share of what has elapsed
as in the operator; the policy may then decide anew.
"""

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from lockstep.belief.overruns import end_after
from lockstep.simulation.beliefs import Belief
from lockstep.simulation.cluster import Cluster, Policy, Run, Start
from lockstep.simulation.jobs import Arrival
from lockstep.simulation.nodes import Nodes
from lockstep.simulation.owners import Hours
from lockstep.simulation.promises import Word, Words

# What happens at one instant happens in this order.
_ENDED, _OVERRUN, _SUBMITTED, _OPENED = 0, 1, 2, 3
# What a planner adds up in another order may differ by so many seconds.
_ROUNDING = 1e-3
# After so many seconds without a start nobody will start any more: owners come and go by the week.
_WEEKS = 2 * 7 * 86_400.0


class NeverStartsError(ValueError):
    """Jobs wait for ever: owners take the nodes back before they have ended."""


class Ran(NamedTuple):
    """How a job ran, and what it was told before."""

    arrival: Arrival
    nodes: Sequence[int]
    start: float
    end: float
    word: Word | None

    @property
    def size(self) -> int:
        """How many members it had."""
        return len(self.nodes)

    @property
    def submitted(self) -> float:
        """When it came."""
        return self.arrival.job.submitted


def simulate(
    arrivals: Sequence[Arrival],
    nodes: Nodes,
    policy: Policy,
    *,
    quantile: float | None = None,
    progress: Callable[[], None] = lambda: None,
) -> list[Ran]:
    """Run all jobs and return how each ran, in the order of their ends. ``progress`` hears of each end.

    With a ``quantile``, from 0 to 1, planners expect what that part of the last runs has kept to (``beliefs``). A run
    that takes longer than expected keeps its nodes, whoever comes to have them. Raises ``NeverStartsError``.
    """
    cluster = Cluster(
        slowdowns=nodes.slowdowns,
        free=np.ones(len(nodes.slowdowns), dtype=np.bool_),
        windows=nodes.hours.windows(0.0),
    )
    machine = _Machine({one.job.number: one for one in arrivals}, nodes.hours, cluster, Belief(quantile), progress)
    return machine.run(policy)


@dataclass(slots=True)
class _Machine:
    """The jobs by number, the cluster as it is now, what its runs taught, and what is going to happen.

    ``changed`` is when a job last came or was going to end, ``wakes`` when the next owner goes for whom jobs wait.
    """

    arrivals: dict[int, Arrival]
    hours: Hours
    cluster: Cluster
    belief: Belief
    progress: Callable[[], None]
    events: list[tuple[float, int, int]] = field(default_factory=list)
    words: Words = field(default_factory=Words)
    changed: float = -math.inf
    wakes: float = -math.inf
    ran: list[Ran] = field(default_factory=list)

    def run(self, policy: Policy) -> list[Ran]:
        """Go from event to event; all that happens at one instant is decided about at once."""
        self.events = [(one.job.submitted, _SUBMITTED, number) for number, one in self.arrivals.items()]
        heapq.heapify(self.events)
        while self.events:
            self._next_instant()
            if self.cluster.waiting:
                decided = policy.decide(self.cluster)
                for start in decided.starts:
                    self._start(start)
                self.words.hear(decided.told)
                self._look_again(decided.next_start)
                self._wait_for_owners()
        return self.ran

    def _next_instant(self) -> None:
        now = self.cluster.now = self.events[0][0]
        while self.events and self.events[0][0] == now:
            _, kind, number = heapq.heappop(self.events)
            self.changed = self.changed if kind == _OPENED else now
            if kind == _SUBMITTED:
                self.cluster.waiting[number] = self.arrivals[number].job
            elif kind == _OVERRUN:
                self._overrun(number)
            elif kind == _ENDED:
                self._end(number)
        self.cluster.windows = self.hours.windows(now)

    def _look_again(self, time: float) -> None:
        """Have the policy decide again when it plans to start something, if nothing happens before."""
        if time < math.inf and (not self.events or self.events[0][0] > time):
            heapq.heappush(self.events, (time, _OPENED, 0))

    def _wait_for_owners(self) -> None:
        """Have the policy decide again when the next owner goes, where jobs wait."""
        now = self.cluster.now
        if self.wakes <= now and self.cluster.waiting:
            if not self.cluster.running and now > self.changed + _WEEKS:
                raise NeverStartsError(f"{len(self.cluster.waiting)} jobs never have nodes for as long as they run")
            self.wakes = self.hours.next_leave(now)
            if self.wakes < math.inf:
                heapq.heappush(self.events, (self.wakes, _OPENED, 0))

    def _start(self, start: Start) -> None:
        cluster, nodes, number = self.cluster, list(start.nodes), start.job.number
        if not cluster.free[nodes].all() or (cluster.windows.opens[nodes] > cluster.now).any():
            raise ValueError(f"job {number} was put on nodes that are not free")
        cluster.free[nodes] = False
        del cluster.waiting[number]
        run = Run(start.job, nodes, cluster.now, cluster.now + cluster.run_time(start.job, nodes))
        if cluster.windows.closes[nodes].min() < run.end - _ROUNDING:
            raise ValueError(f"job {number} was put on nodes that are taken back before it ends")
        heapq.heappush(self.events, (self._real_end(run), _ENDED, number))
        self._expect(run)

    def _real_end(self, run: Run) -> float:
        seconds = float(run.job.times[run.size - 1] * self.cluster.slowdowns[run.nodes[-1]])
        return run.start + seconds * self.arrivals[run.job.number].ratio

    def _expect(self, run: Run) -> None:
        self.cluster.running[run.job.number] = run
        if run.end < self._real_end(run):
            heapq.heappush(self.events, (run.end, _OVERRUN, run.job.number))

    def _overrun(self, number: int) -> None:
        run, now = self.cluster.running[number], self.cluster.now
        self._expect(run._replace(end=end_after(now, start=run.start, expected=run.end)))

    def _end(self, number: int) -> None:
        run = self.cluster.running.pop(number)
        self.cluster.free[list(run.nodes)] = True
        arrival, word = self.arrivals[number], self.words.by_job.get(number)
        self.belief.learn(arrival.ratio)
        self.cluster.belief = self.belief.factor
        self.ran.append(Ran(arrival, run.nodes, run.start, self.cluster.now, word))
        self.progress()
