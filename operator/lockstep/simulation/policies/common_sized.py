"""Gives all runs of a sweep that wait one common size, chosen anew at each decision; at most so many run at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from coschedule import CommonSize, RunTimeLaw, common_size
from lockstep.simulation.model.cluster import Cluster, Policy, SimulatedDecision
from lockstep.simulation.model.jobs import Job


@dataclass(slots=True, kw_only=True)
class CommonSized:
    """Shows a policy the next runs of each sweep, all with the common size, and all jobs without a sweep as they are.

    ``sizes`` are those that a run may have; ``most`` is how many runs of a sweep go at once.
    """

    policy: Policy
    sizes: Sequence[int]
    law: RunTimeLaw
    most: int

    def decide(self, cluster: Cluster) -> SimulatedDecision:
        """Decide as the policy does about these jobs."""
        return self.policy.decide(replace(cluster, waiting={job.number: job for job in self._shown(cluster)}))

    def _shown(self, cluster: Cluster) -> Iterable[Job]:
        running = [run.job.sweep for run in cluster.running.values()]
        waiting = [job.sweep for job in cluster.waiting.values()]
        room = {sweep: self.most - running.count(sweep) for sweep in set(waiting)}
        sizes = {
            job.sweep: self._size(cluster, job, running.count(job.sweep) + waiting.count(job.sweep))
            for job in cluster.waiting.values()
        }
        for job in cluster.waiting.values():
            if job.sweep is None:
                yield job
            elif room[job.sweep] > 0:
                room[job.sweep] -= 1
                size = sizes[job.sweep]
                yield replace(job, size=size, least=size, most=size)

    def _size(self, cluster: Cluster, job: Job, unfinished: int) -> int:
        """Choose the size for all unfinished runs: those that run leave no room for larger ones yet."""
        times = {size: float(job.times[size - 1]) for size in self.sizes}
        best = common_size(times, len(cluster.slowdowns), unfinished, self.law, most_groups=self.most)
        assert isinstance(best, CommonSize), "the smallest size fits on the nodes"
        return best.size
