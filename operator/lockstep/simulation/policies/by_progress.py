"""Lockstep without known run times: the engine chooses sizes by the speeds that jobs had at earlier sizes."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from coschedule import GangKey, OpenEndedRun, Placement, Sizes, UnitTime, resize
from lockstep.cycle.planning.memory import PlanMemory
from lockstep.simulation.model.cluster import Cluster, SimulatedDecision, SimulatedRun, Start
from lockstep.simulation.model.jobs import Job
from lockstep.simulation.policies.planned import PlannedPolicy, gang_key


class _ShownProgress(NamedTuple):
    """A job as it was submitted, its first size, and the unit times of the sizes at which it has run."""

    job: Job
    first: int
    unit_times: dict[int, float]


@dataclass(slots=True, kw_only=True)
class ByProgress:
    """Chooses sizes of running jobs by their progress so far, and plans the queue with ``planned`` and ``memory``.

    Jobs report their progress exactly, from their start on. Nothing else is known: ``planned`` knows no run times.
    """

    planned: PlannedPolicy
    memory: PlanMemory
    observed: dict[int, _ShownProgress] = field(default_factory=dict)

    def decide(self, cluster: Cluster) -> SimulatedDecision:
        """Start the jobs that the plan starts, and change the sizes that the engine changes."""
        snapshot = self.memory.remembered_by(self.planned.snapshot(cluster))
        resized = resize(snapshot, list(self._runs(cluster)), {})
        self.memory.record(resized.after, resized.plan)
        by_plan = self.planned.decided(cluster, resized.plan)
        starts = [*(self._placed(cluster, one) for one in resized.placed), *by_plan.starts]
        for job, nodes in starts:
            self.observed[job.number] = _ShownProgress(job, len(nodes), {})
        return by_plan._replace(
            starts=starts,
            next_start=min(resized.again, by_plan.next_start),
            changes=[Start(cluster.running[_number(one.gang)].job, one.nodes) for one in resized.sizes.changes],
        )

    def _placed(self, cluster: Cluster, placement: Placement) -> Start:
        job = cluster.waiting[_number(placement.gang)]
        self.planned.note_start(job, cluster.now)
        return Start(job, sorted(int(entry.node) for entry in placement.members))

    def _runs(self, cluster: Cluster) -> Iterator[OpenEndedRun]:
        """List the runs whose sizes may change, without runs on a node whose owner is present."""
        for run in cluster.running.values():
            if run.job.is_elastic and (cluster.windows.opens[run.nodes] <= cluster.now).all():
                yield self._open_ended(cluster, run)

    def _open_ended(self, cluster: Cluster, run: SimulatedRun) -> OpenEndedRun:
        job, first, unit_times = self.observed[run.job.number]
        if cluster.now > run.start + run.pause:
            unit_times[run.size] = cluster.run_time(job, run.nodes)
        return OpenEndedRun(
            key=gang_key(job),
            priority=0,
            sizes=Sizes(minimum=job.least, maximum=job.most),
            least=first,
            request=(1,),
            nodes=tuple(run.nodes),
            end=math.inf,
            terms=cluster.changing,
            changed=run.changed,
            unit_times=tuple(UnitTime(size, seconds) for size, seconds in unit_times.items()),
            interruptible=cluster.terms.interruptible,
        )


def _number(gang: GangKey) -> int:
    return int(gang.name)
