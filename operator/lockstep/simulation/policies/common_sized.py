"""Gives the waiting runs of a sweep a common size, anew at each decision, and limits the runs that go at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from coschedule import CommonSize, RunTimeLaw, common_size
from lockstep.simulation.model.cluster import Cluster, Policy, SimulatedDecision
from lockstep.simulation.model.jobs import Job


@dataclass(slots=True, kw_only=True)
class CommonSized:
    """Shows a policy the next runs of each sweep, all with the common size, and all jobs without a sweep as they are.

    A run may have one of ``sizes``. At most ``most`` runs of a sweep go at once.
    """

    policy: Policy
    sizes: Sequence[int]
    law: RunTimeLaw
    most: int

    def decide(self, cluster: Cluster) -> SimulatedDecision:
        """Return the policy's decision about the jobs that it is shown."""
        return self.policy.decide(replace(cluster, waiting={job.number: job for job in self._shown(cluster)}))

    def _shown(self, cluster: Cluster) -> Iterator[Job]:
        waiting: dict[int, list[Job]] = {}
        for job in cluster.waiting.values():
            if job.sweep is not None:
                waiting.setdefault(job.sweep, []).append(job)
        sized = {job.number: job for jobs in waiting.values() for job in self._next_runs(cluster, jobs)}
        for job in cluster.waiting.values():
            if job.sweep is None or job.number in sized:
                yield sized.get(job.number, job)

    def _next_runs(self, cluster: Cluster, waiting: Sequence[Job]) -> Iterator[Job]:
        """Yield the next runs of a sweep that may go now, with a size that suits all of its unfinished runs.

        The unfinished runs share the nodes that no other job has. If no size fits on these nodes, a run waits with the
        smallest size.
        """
        running = [run for run in cluster.running.values() if run.job.sweep == waiting[0].sweep]
        own = sum(run.size for run in running)
        places = len(cluster.slowdowns) - sum(run.size for run in cluster.running.values()) + own
        times = {size: float(waiting[0].times[size - 1]) for size in self.sizes}
        best = common_size(times, places, len(running) + len(waiting), self.law, most_groups=self.most)
        size = best.size if isinstance(best, CommonSize) else best.least
        for job in waiting[: max(0, self.most - len(running))]:
            yield replace(job, size=size, least=size, most=size)
