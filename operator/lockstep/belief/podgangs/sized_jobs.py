"""The suspended Jobs that wait for a size, and what pods of them would need."""

from coschedule import GangKey
from lockstep.belief.podgangs.pod_group import PodsAlike
from lockstep.facts.gang.sized_job import SizedJob


class SizedJobs:
    """Jobs by the Gangs that are made for them. Only those that wait for a size are kept."""

    def __init__(self) -> None:
        self._jobs: dict[GangKey, SizedJob] = {}
        self._pods: dict[GangKey, PodsAlike] = {}

    def apply(self, job: SizedJob) -> None:
        """Add or update a Job; what its pods need is unknown again after a change."""
        if job.awaits_size:
            if self._jobs.get(job.gang) != job:
                self._pods.pop(job.gang, None)
            self._jobs[job.gang] = job
        else:
            self.remove(job.gang, job.uid)

    def remove(self, gang: GangKey, uid: str) -> None:
        """Forget a Job."""
        known = self._jobs.get(gang)
        if known is not None and known.uid == uid:
            del self._jobs[gang]
            self._pods.pop(gang, None)

    def of(self, gang: GangKey) -> SizedJob | None:
        """The Job that waits for a size, if there is one."""
        return self._jobs.get(gang)

    def learn(self, gang: GangKey, uid: str, version: str, pods: PodsAlike) -> None:
        """Record what the pods of that version of a Job need."""
        known = self._jobs.get(gang)
        if known is not None and (known.uid, known.resource_version) == (uid, version):
            self._pods[gang] = pods

    def pods(self, gang: GangKey, owner: str | None) -> PodsAlike | None:
        """The pods that the Job would have if it had its size; None while that is unknown, and for another owner."""
        known = self._jobs.get(gang)
        return self._pods.get(gang) if known is not None and known.uid == owner else None

    def is_unknown(self, gang: GangKey) -> bool:
        """Whether a Job waits of which it is not known what its pods need."""
        return gang in self._jobs and gang not in self._pods
