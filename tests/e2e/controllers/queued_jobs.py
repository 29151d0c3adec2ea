"""Jobs in queues of Kueue, and what is seen of them."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from e2e.controllers.kueue import QUEUED, Queue, has_condition
from e2e.controllers.scenes import SIZE, Stage
from e2e.controllers.test_jobs import Jobs
from eventually import eventually


class QueuedJobs(Jobs):
    """Jobs in the queue of their namespace; of some of them fewer pods may be admitted.

    ``pod`` are further fields of their pods.
    """

    least = 0
    sizes = ""
    labels = QUEUED
    pod: Mapping[str, Any] = {}

    def manifest(self, name: str, size: int) -> dict[str, Any]:
        job = super().manifest(name, size)
        least = {"kueue.x-k8s.io/job-min-parallelism": str(self.least)} if self.least else {}
        if self.sizes:
            least["lockstep.dev/size"] = self.sizes
        spec = {**job["spec"], "suspend": True}
        if self.least:
            del spec["completionMode"]
        return {**job, "metadata": {**job["metadata"], "labels": self.labels, "annotations": least}, "spec": spec}

    def template(self, name: str, **pod: Any) -> dict[str, Any]:
        return self.gangs.template("", **{**self.pod, **pod})


class Scenery:
    """A queue with our check, its Jobs, and what is seen of both."""

    def __init__(self, stage: Stage, queue: Queue) -> None:
        self.stage = stage
        self.queue = queue
        self.jobs = QueuedJobs(stage.gangs)
        self.jobs.labels = queue.labels

    def gang(self, of: str = "heat") -> str:
        """The Gang of the Workload of a Job or of a group; of none while there is no Workload."""
        return f"workload.{self.queue.workload(of).get('metadata', {}).get('name', 'none')}"

    def check(self, of: str = "heat") -> dict[str, Any]:
        """What our check says of the Workload of a Job or of a group."""
        return self.queue.check(of)

    def evictions(self, of: str = "heat") -> Counter[str]:
        """How often Kueue has evicted the Workload of a Job or of a group, by reason."""
        return self.queue.evictions(of)

    def is_evicted(self, of: str = "heat") -> bool:
        """Whether Kueue has taken the quota of that Workload back."""
        workload = self.queue.workload(of)
        return has_condition(workload, "Evicted") and not has_condition(workload, "QuotaReserved")

    def until_whole(self, of: str = "heat", size: int = SIZE) -> None:
        """Wait until all pods are on nodes."""
        eventually(lambda: self.stage.gangs.bound(self.gang(of)) == size)
        assert len(self.queue.admitted()) >= 1

    def until_nothing_is_kept(self, gang: str) -> None:
        """Wait until a Gang has neither pods on nodes nor a reservation."""
        eventually(lambda: not self.stage.gangs.bound(gang) and "reservedAt" not in self.stage.gangs.status(gang))

    def close(self) -> None:
        """Delete the Jobs and the Workloads of the namespace."""
        self.jobs.close()
        self.queue.close()
