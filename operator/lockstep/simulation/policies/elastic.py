"""Lockstep with gangs that change their sizes while they run: the engine chooses sizes and plans the queue together."""

from collections.abc import Iterator
from dataclasses import dataclass

from coschedule import ElasticRun, GangKey, Sizes, TimesWork, resize
from lockstep.cycle.planning.memory import PlanMemory
from lockstep.simulation.model.cluster import Cluster, SimulatedDecision, SimulatedRun, Start
from lockstep.simulation.policies.planned import PlannedPolicy, gang_key


@dataclass(slots=True, kw_only=True)
class Elastic:
    """Chooses sizes and plans the queue, with the snapshots of ``planned`` and the promises of ``memory``."""

    planned: PlannedPolicy
    memory: PlanMemory

    def decide(self, cluster: Cluster) -> SimulatedDecision:
        """Start jobs and change sizes for the greatest worth, and promise starts to jobs that wait."""
        snapshot = self.memory.remembered_by(self.planned.snapshot(cluster))
        elastic = {gang_key(job): cluster.changing for job in cluster.waiting.values() if job.is_elastic}
        resized = resize(snapshot, list(self._runs(cluster)), elastic)
        sizes, made = resized.sizes, resized.plan
        self.memory.record(resized.after, made)
        starts = [Start(cluster.waiting[_number(one.gang)], one.nodes) for one in sizes.starts]
        for job, _ in starts:
            self.planned.note_start(job, cluster.now)
        by_plan = self.planned.decided(cluster, made)
        return by_plan._replace(
            starts=[*starts, *by_plan.starts],
            next_start=resized.again,
            changes=[Start(cluster.running[_number(one.gang)].job, one.nodes) for one in sizes.changes],
        )

    def _runs(self, cluster: Cluster) -> Iterator[ElasticRun]:
        """List the runs whose sizes may change, without runs on a node whose owner is present."""
        for run in cluster.running.values():
            if run.job.is_elastic and (cluster.windows.opens[run.nodes] <= cluster.now).all():
                yield self._elastic(cluster, run)

    def _elastic(self, cluster: Cluster, run: SimulatedRun) -> ElasticRun:
        job = run.job
        return ElasticRun(
            key=gang_key(job),
            created=job.submitted,
            sizes=Sizes(minimum=job.least, maximum=job.most),
            request=(1,),
            work=TimesWork(times=tuple(cluster.times(job).tolist())),
            left=cluster.left(run),
            nodes=tuple(run.nodes),
            end=run.end,
            terms=cluster.changing,
            changed=run.changed,
            interruptible=cluster.terms.interruptible,
        )


def _number(gang: GangKey) -> int:
    return int(gang.name)
