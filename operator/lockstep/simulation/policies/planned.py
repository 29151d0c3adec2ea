"""Lockstep itself: the engine plans the queue, at the operator's price of a member."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from coschedule import (
    Constraints,
    FairShares,
    GangKey,
    NodeTable,
    OpenEnded,
    PendingGang,
    Placement,
    Plan,
    Release,
    Role,
    Sizes,
    Snapshot,
    TimesWork,
    plan,
)
from lockstep.belief.run_times.forecasts import Forecasts
from lockstep.cycle.planning.memory import PlanMemory
from lockstep.cycle.planning.rotation import MOST_IN_FRONT
from lockstep.cycle.planning.sizing import Contention, SizingPolicy
from lockstep.simulation.model.cluster import Cluster, SimulatedDecision, Start
from lockstep.simulation.model.jobs import Job
from lockstep.simulation.model.promises import StartPromise
from lockstep.simulation.policies.sharing import SimulatedSharing, namespace_of


class _FirstPlan(NamedTuple):
    """When a job was first planned, and the start that was planned then."""

    made: float
    start: float


@dataclass(slots=True, kw_only=True)
class PlannedPolicy:
    """Plans the first ``MOST_IN_FRONT`` jobs of the queue; with rigid sizes if ``is_rigid``.

    With a ``memory``, plans remember their promises. Without a memory, the queue is planned anew each time. If the
    policy ``knows_no_times``, jobs run for an unknown time. With ``sharing``, groups take turns by their use.
    """

    sizing: SizingPolicy = field(default_factory=SizingPolicy)
    is_rigid: bool = False
    knows_no_times: bool = False
    sharing: SimulatedSharing | None = None
    memory: PlanMemory | None = None
    forecasts: Forecasts = field(default_factory=Forecasts)
    first_plans: dict[int, _FirstPlan] = field(default_factory=dict)

    def decide(self, cluster: Cluster) -> SimulatedDecision:
        """Start the jobs that the plan starts now, and promise their starts to the others."""
        return self.decided(cluster, self._plan(cluster)) if cluster.waiting else SimulatedDecision(())

    def decided(self, cluster: Cluster, made: Plan) -> SimulatedDecision:
        """Turn a plan into starts now and promises of later starts; learn from the jobs that start."""
        placed = [(self._job(cluster, one), one) for one in made.decisions if isinstance(one, Placement)]
        started = [(job, one) for job, one in placed if one.start <= cluster.now]
        for job, one in started:
            self.note_start(job, one.start)
        later = [one.start for _, one in placed if one.start > cluster.now]
        return SimulatedDecision(
            next_start=math.inf if self.memory is None else min(later, default=math.inf),
            starts=[Start(job, sorted(int(entry.node) for entry in one.members)) for job, one in started],
            promises=self._promises(placed, cluster.now),
        )

    def _promises(self, placed: Iterable[tuple[Job, Placement]], now: float) -> list[StartPromise]:
        """Return the promises; with fair shares, few jobs get one. Without a memory, planned starts are promises."""
        later = [(one, self._promise(job, one, now)) for job, one in placed if one.start > now]
        return [promise for one, promise in later if self.memory is None or one.promised is not None]

    def _plan(self, cluster: Cluster) -> Plan:
        snapshot = self.snapshot(cluster)
        if self.memory is None:
            return plan(snapshot)
        snapshot = self.memory.remembered_by(snapshot)
        made = plan(snapshot)
        self.memory.record(snapshot, made)
        return made

    def note_start(self, job: Job, start: float) -> None:
        """Compare the start of a job with its first plan. Forecasts learn from the difference."""
        first = self.first_plans.pop(job.number, None)
        if first is not None:
            self.forecasts.record(str(job.number), created=job.submitted, planned=first.start, started=start)

    def _promise(self, job: Job, placement: Placement, now: float) -> StartPromise:
        first = self.first_plans.setdefault(job.number, _FirstPlan(now, placement.start))
        promised = placement.start if self.memory is None else placement.promised
        forecast = self.forecasts.forecast(
            str(job.number), since=first.made, now=now, planned=placement.start, promised=promised
        )
        late = math.nan if forecast.late is None else forecast.late
        return StartPromise(job, forecast.likely, placement.start if promised is None else promised, late)

    def _job(self, cluster: Cluster, placement: Placement) -> Job:
        return cluster.waiting[int(placement.gang.name)]

    def snapshot(self, cluster: Cluster) -> Snapshot:
        """Return the facts on which the queue is planned, without the promises of earlier plans."""
        nodes = len(cluster.slowdowns)
        waiting = _counting_sweeps_once(cluster.waiting.values())
        price = self.sizing.member_price(Contention(waiting, len(cluster.running), nodes))
        front = list(cluster.waiting.values())[:MOST_IN_FRONT]
        factors: Mapping[int, float] = {}
        if self.sharing is not None:
            self.sharing.count(cluster)
            factors = self.sharing.price_factors(cluster.now)
        return Snapshot(
            generation=0,
            now=cluster.now,
            resources=("slots",),
            nodes=_table(nodes),
            free=cluster.free.astype(np.int64)[:, np.newaxis],
            start=cluster.windows.opens,
            slowdown=cluster.slowdowns,
            until=cluster.windows.closes,
            gangs=tuple(self._gang(cluster, job, price * _factor(job, factors)) for job in front),
            shares=FairShares() if self.sharing is None else self.sharing.shares(cluster),
            forecasts=cluster.forecasts,
            **(_without_ends(cluster) if self.knows_no_times else {"releases": _releases(cluster)}),
        )

    def _gang(self, cluster: Cluster, job: Job, price: float) -> PendingGang:
        least, most = (job.size, job.size) if self.is_rigid else (job.least, job.most)
        sizes = Sizes(minimum=least, maximum=most)
        return PendingGang(
            key=gang_key(job),
            priority=0,
            created=job.submitted,
            roles=(Role(sizes=sizes, request=(1,), constraints=Constraints()),),
            work=None if self.knows_no_times else TimesWork(times=tuple(cluster.times(job).tolist())),
            deadline=math.inf if self.sizing.wants_fewest else None,
            member_price=price,
            interruptible=cluster.terms.interruptible,
            checkpoint_interval=cluster.terms.checkpoint_interval,
        )


def _counting_sweeps_once(waiting: Iterable[Job]) -> int:
    """Count the jobs that wait; all jobs of a sweep count as one."""
    return len({(True, job.number) if job.sweep is None else (False, job.sweep) for job in waiting})


def _releases(cluster: Cluster) -> tuple[Release, ...]:
    return tuple(
        Release(node=node, request=(1,), time=run.end) for run in cluster.running.values() for node in run.nodes
    )


def _without_ends(cluster: Cluster) -> dict[str, Any]:
    """Return the fields of a snapshot for the nodes of all runs, if no end of a run is known."""
    held, runs = np.zeros((len(cluster.slowdowns), 1), dtype=np.int64), list(cluster.running.values())
    holders = [(number, node) for number, run in enumerate(runs) for node in run.nodes]
    holder, node = np.array(holders, dtype=np.int64).reshape(-1, 2).T
    held[node] = 1
    open_ended = OpenEnded(gangs=tuple(gang_key(run.job) for run in runs), holder=holder, node=node)
    return {"releases": (), "someday": held, "open_ended": open_ended}


def gang_key(job: Job) -> GangKey:
    """Return the name under which the engine knows a job."""
    return GangKey("simulation" if job.group is None else namespace_of(job.group), str(job.number))


def _factor(job: Job, factors: Mapping[int, float]) -> float:
    return 1.0 if job.group is None else factors.get(job.group.number, 1.0)


@cache
def _table(nodes: int) -> NodeTable:
    return NodeTable(
        names=tuple(f"{number:06}" for number in range(nodes)),
        labels=({},) * nodes,
        taints=((),) * nodes,
        ready=np.ones(nodes, dtype=np.bool_),
        unschedulable=np.zeros(nodes, dtype=np.bool_),
    )
