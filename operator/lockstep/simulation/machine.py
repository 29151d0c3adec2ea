"""The simulated cluster: jobs are submitted, a policy starts them, and they end.

When a job runs longer than expected, its expected end moves as in the operator: by a share of the elapsed time. The
policy may then decide anew. A job that a node owner interrupts waits again in its old place, with the work that it has
not saved. Below, owners are node owners.
"""

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from coschedule import ChangeTerms
from lockstep.belief.run_times.overruns import end_after
from lockstep.simulation.model.cluster import Cluster, Policy, SimulatedRun, Start
from lockstep.simulation.model.expected_run_times import ExpectedRunTimes
from lockstep.simulation.model.jobs import Arrival, Job
from lockstep.simulation.model.nodes import SimulatedNodes
from lockstep.simulation.model.promises import PromiseHistories, PromiseHistory
from lockstep.simulation.presence.office_hours import Hours
from lockstep.simulation.presence.owners import Presence

# The order of events at the same time.
_ENDED, _OVERRUN, _SUBMITTED, _OWNERS, _OPENED = 0, 1, 2, 3, 4
# Sums of the same times in another order may differ by this many seconds.
_ROUNDING = 1e-3
# If no job runs, and none was submitted or ended for this many seconds, no job will start any more: owners come and go
# by the week.
_WEEKS = 2 * 7 * 86_400.0
# A job that was interrupted more often will never end: an owner always comes before its end.
_MOST_INTERRUPTIONS = 1000


class NeverStartsError(ValueError):
    """Jobs wait for ever: owners take the nodes back before the jobs have ended."""


class InterruptedRun(NamedTuple):
    """A run that an owner has interrupted or, if it is ``resized``, that continued on other nodes or at another size.

    Each member has lost ``lost`` seconds, in which it did work that was not saved.
    """

    nodes: Sequence[int]
    start: float
    end: float
    lost: float
    resized: bool = False


class Ran(NamedTuple):
    """The last run of a job, its promises while it waited, and its earlier runs."""

    arrival: Arrival
    nodes: Sequence[int]
    start: float
    end: float
    promises: PromiseHistory | None
    earlier: Sequence[InterruptedRun] = ()

    @property
    def first_start(self) -> float:
        """When it started for the first time."""
        return self.earlier[0].start if self.earlier else self.start

    @property
    def size(self) -> int:
        """How many members it had."""
        return len(self.nodes)

    @property
    def submitted(self) -> float:
        """When it was submitted."""
        return self.arrival.job.submitted


def simulate(
    arrivals: Sequence[Arrival],
    nodes: SimulatedNodes,
    policy: Policy,
    *,
    quantile: float | None = None,
    changing: ChangeTerms | None = None,
    progress: Callable[[], None] = lambda: None,
) -> list[Ran]:
    """Run all jobs and return how each ran, in the order of their ends. ``progress`` is called when a job ends.

    The ratio of a finished run is its real time divided by its stated time. With a ``quantile``, from 0 to 1, planners
    multiply stated times by this quantile of the ratios (``expected_run_times``). A run that takes longer than expected
    keeps its nodes after their windows close. Sizes may change by the terms of ``changing``. Raises
    ``NeverStartsError``.
    """
    cluster = Cluster(
        slowdowns=nodes.slowdowns,
        free=np.ones(len(nodes.slowdowns), dtype=np.bool_),
        windows=nodes.hours.windows(0.0),
        owned=np.isfinite(nodes.hours.begin),
        expected=ExpectedRunTimes(quantile),
        changing=changing or ChangeTerms(),
    )
    if nodes.presence is not None:
        cluster.owned, cluster.terms = nodes.presence.owned, nodes.presence.terms
    by_number = {one.job.number: one for one in arrivals}
    return _Machine(by_number, nodes.hours, nodes.presence, cluster, progress).run(policy)


@dataclass(slots=True)
class _Machine:
    """The jobs by number, the cluster as it is now, and the events to come.

    ``changed`` is the last time at which a job was submitted or due to end. If jobs wait for owners, the policy decides
    again at ``wakes``. For jobs whose size has changed, ``ratios`` has the real run time divided by the stated run
    time. ``ends`` has the time at which each run really ends. ``paces`` has the factor by which owners who are present
    slow down each run.
    """

    arrivals: dict[int, Arrival]
    hours: Hours
    presence: Presence | None
    cluster: Cluster
    progress: Callable[[], None]
    events: list[tuple[float, int, int]] = field(default_factory=list)
    promises: PromiseHistories = field(default_factory=PromiseHistories)
    changed: float = -math.inf
    wakes: float = -math.inf
    ratios: dict[int, float] = field(default_factory=dict)
    ends: dict[int, float] = field(default_factory=dict)
    paces: dict[int, float] = field(default_factory=dict)
    earlier: dict[int, list[InterruptedRun]] = field(default_factory=dict)
    ran: list[Ran] = field(default_factory=list)

    def run(self, policy: Policy) -> list[Ran]:
        """Go from event to event; the policy decides once about all events of one time."""
        self.events = [(one.job.submitted, _SUBMITTED, number) for number, one in self.arrivals.items()]
        heapq.heapify(self.events)
        self._wait_for_change()
        while len(self.ran) < len(self.arrivals):
            self._next_instant()
            if self.cluster.waiting or any(run.job.is_elastic for run in self.cluster.running.values()):
                decided = policy.decide(self.cluster)
                self._change(decided.changes)
                for start in decided.starts:
                    self._start(start)
                self.promises.record(one for one in decided.promises if one.job.number not in self.earlier)
                self._decide_again_at(decided.next_start)
                self._wait_for_owners()
        return self.ran

    def _next_instant(self) -> None:
        now = self.cluster.now = self.events[0][0]
        while self.events and self.events[0][0] == now:
            _, kind, number = heapq.heappop(self.events)
            self.changed = self.changed if kind in {_OWNERS, _OPENED} else now
            if kind == _SUBMITTED:
                self.cluster.waiting[number] = self.arrivals[number].job
            elif kind == _OVERRUN:
                self._overrun(number)
            elif kind == _ENDED:
                self._end(number)
            elif kind == _OWNERS:
                self._owners_change()
        self._read_owners()

    def _decide_again_at(self, time: float) -> None:
        """Have the policy decide again at its next planned start, if no event comes before."""
        if time < math.inf and (not self.events or self.events[0][0] > time):
            heapq.heappush(self.events, (time, _OPENED, 0))

    def _wait_for_owners(self) -> None:
        """If jobs wait, have the policy decide again at the ``next_check`` of owners. Raises ``NeverStartsError``."""
        now = self.cluster.now
        if self.wakes <= now and self.cluster.waiting:
            if not self.cluster.running and now > self.changed + _WEEKS:
                raise NeverStartsError(f"{len(self.cluster.waiting)} jobs run longer than any nodes are free")
            self.wakes = (self.presence or self.hours).next_check(now)
            if self.wakes < math.inf:
                heapq.heappush(self.events, (self.wakes, _OPENED, 0))

    def _read_owners(self) -> None:
        cluster, presence = self.cluster, self.presence
        cluster.windows = (presence or self.hours).windows(cluster.now)
        if presence is not None and cluster.waiting:
            cluster.forecasts = presence.forecasts(cluster.now)

    def _wait_for_change(self) -> None:
        if self.presence is not None and self.presence.next is not None:
            heapq.heappush(self.events, (self.presence.next.time, _OWNERS, 0))

    def _owners_change(self) -> None:
        assert self.presence is not None, "an owner came or went"
        changed = {change.node for change in self.presence.until(self.cluster.now)}
        for run in [run for run in self.cluster.running.values() if not changed.isdisjoint(run.nodes)]:
            if not self.presence.terms.evicts:
                self._pace(run, self.presence)
            elif self.presence.there[run.nodes].any():
                self._interrupt(run, self.presence)
        self._wait_for_change()

    def _interrupt(self, run: SimulatedRun, presence: Presence) -> None:
        """End the run, and let its job wait again with the work that it has not saved. Raises ``NeverStartsError``."""
        cluster, number = self.cluster, run.job.number
        self.promises.owner_returned(cluster.waiting)
        del cluster.running[number]
        cluster.free[list(run.nodes)] = True
        worked = max(0.0, cluster.now - run.start - run.pause)
        kept = presence.terms.kept(worked)
        attempts = self.earlier.setdefault(number, [])
        attempts.append(InterruptedRun(run.nodes, run.start, cluster.now, worked - kept))
        if len(attempts) > _MOST_INTERRUPTIONS:
            raise NeverStartsError(f"job {number} was interrupted {len(attempts)} times and would never end")
        left = 1 - kept / (self.ends.pop(number) - run.start - run.pause)
        waiting = [*cluster.waiting.values(), replace(run.job, times=run.job.times * left)]
        cluster.waiting = {one.number: one for one in sorted(waiting, key=lambda one: (one.submitted, one.number))}

    def _pace(self, run: SimulatedRun, presence: Presence) -> None:
        """Compute the real end of a run anew, by its slowest member. Owners who are there slow down members."""
        slowdowns, number, now = self.cluster.slowdowns[run.nodes], run.job.number, self.cluster.now
        beside = np.where(presence.there[run.nodes], presence.terms.beside_owner, 1.0)
        pace = float((slowdowns * beside).max() / slowdowns[-1])
        self.ends[number] = now + (self.ends[number] - now) * pace / self.paces.get(number, 1.0)
        self.paces[number] = pace
        heapq.heappush(self.events, (self.ends[number], _ENDED, number))
        self._expect(run)

    def _change(self, changes: Sequence[Start]) -> None:
        """Let jobs continue on other nodes, with the same or other sizes. All of them leave their nodes first."""
        runs = [self.cluster.running.pop(job.number) for job, _ in changes]
        for run in runs:
            self.cluster.free[list(run.nodes)] = True
        for run, (_, nodes) in zip(runs, changes, strict=True):
            self._go_on(run, nodes)

    def _go_on(self, run: SimulatedRun, nodes: Sequence[int]) -> None:
        """Let a job continue on ``nodes``, after a pause, with the expected rest of its work.

        The job's ratio changes, so that the real rest of its work stays the same.
        """
        cluster, number = self.cluster, run.job.number
        attempts = self.earlier.setdefault(number, [])
        attempts.append(InterruptedRun(run.nodes, run.start, cluster.now, 0.0, resized=True))
        left, pace = cluster.left(run), self.paces.pop(number, 1.0)
        real = min(1.0, (self.ends.pop(number) - cluster.now) / pace / self._seconds(run))
        self.ratios[number] = self._ratio(number) * real / left
        self._begin(replace(run.job, times=run.job.times * left), nodes, cluster.changing.restart_time, cluster.now)

    def _start(self, start: Start) -> None:
        del self.cluster.waiting[start.job.number]
        self._begin(start.job, start.nodes)

    def _begin(self, job: Job, on: Sequence[int], pause: float = 0.0, changed: float = -math.inf) -> None:
        cluster, nodes, number = self.cluster, list(on), job.number
        if not cluster.free[nodes].all() or (cluster.windows.opens[nodes] > cluster.now).any():
            raise ValueError(f"job {number} was put on nodes that are not free")
        cluster.free[nodes] = False
        run = SimulatedRun(job, nodes, cluster.now, cluster.now + pause + cluster.run_time(job, nodes), pause, changed)
        if cluster.windows.closes[nodes].min() < run.end - _ROUNDING:
            raise ValueError(f"job {number} was put on nodes that are taken back before it ends")
        self.ends[number] = run.start + pause + self._seconds(run)
        heapq.heappush(self.events, (self.ends[number], _ENDED, number))
        self._expect(run)

    def _seconds(self, run: SimulatedRun) -> float:
        """Return how long a run really takes with this size, without its pause."""
        seconds = float(run.job.times[run.size - 1] * self.cluster.slowdowns[run.nodes[-1]])
        return seconds * self._ratio(run.job.number)

    def _ratio(self, number: int) -> float:
        return self.ratios.get(number, self.arrivals[number].ratio)

    def _expect(self, run: SimulatedRun) -> None:
        self.cluster.running[run.job.number] = run
        if run.end < self.ends[run.job.number]:
            heapq.heappush(self.events, (run.end, _OVERRUN, run.job.number))

    def _overrun(self, number: int) -> None:
        run, now = self.cluster.running.get(number), self.cluster.now
        if run is None or run.end != now:
            return  # The event is stale: the run was interrupted, or its end has moved.
        self._expect(run._replace(end=end_after(now, start=run.start, expected=run.end)))

    def _end(self, number: int) -> None:
        if self.ends.get(number) != self.cluster.now:
            return  # The event is stale: the run was interrupted, or its end has moved.
        del self.ends[number]
        self.paces.pop(number, None)
        run = self.cluster.running.pop(number)
        self.cluster.free[list(run.nodes)] = True
        arrival, promises = self.arrivals[number], self.promises.by_job.get(number)
        self.cluster.expected.learn(arrival.job.template, arrival.ratio)
        earlier = tuple(self.earlier.get(number, ()))
        self.ran.append(Ran(arrival, run.nodes, run.start, self.cluster.now, promises, earlier))
        self.progress()
