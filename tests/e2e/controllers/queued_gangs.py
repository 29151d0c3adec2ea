"""GangJobs in queues of Kueue, and what is seen of them."""

from typing import Any

from builders.manifests import API_VERSION, POOL_LABEL, gang
from e2e.controllers.kueue import QUEUE, Queue, has_condition
from e2e.controllers.scenes import Stage
from eventually import eventually
from live.arena import GANGS

QUOTA = 4


class QueuedGangs:
    """The GangJobs of a queue with a quota of four processors, and their Workloads."""

    def __init__(self, stage: Stage, name: str = QUEUE, **cluster_queue: Any) -> None:
        """``cluster_queue`` are further fields of its ClusterQueue."""
        self.stage = stage
        self.arena = stage.arena
        self._sweeps = f"{GANGS}/namespaces/{stage.arena.namespace}/gangsweeps"
        self.queue = Queue(stage.arena.api, stage.arena.namespace, cpu=QUOTA, name=name, **cluster_queue)

    def submit(self, name: str, **about: Any) -> None:
        """Create a GangJob in the queue."""
        manifest = gang(name, **about)
        manifest["metadata"]["labels"] = self.queue.labels
        self.arena.submit(manifest)

    def submit_sweep(self, name: str, runs: int, size: int) -> None:
        """Create a GangSweep in the queue, whose runs have so many members each."""
        template = gang(size=size, pod={"nodeSelector": {POOL_LABEL: self.arena.pool}})["spec"]
        spec = {"runs": runs, "template": template}
        metadata = {"name": name, "labels": self.queue.labels}
        self.arena.api.request(
            "POST", self._sweeps, {"apiVersion": API_VERSION, "kind": "GangSweep", "metadata": metadata, "spec": spec}
        )

    def sweep(self, name: str) -> dict[str, Any]:
        """The status of a GangSweep."""
        found: dict[str, Any] = self.arena.api.request("GET", f"{self._sweeps}/{name}").get("status") or {}
        return found

    def has(self, name: str, kind: str) -> bool:
        """Whether a condition of the Workload is True."""
        return has_condition(self.queue.workload(name), kind)

    def until_running(self, name: str, size: int) -> None:
        """Wait until a GangJob has so many members, and its Workload says that these are ready."""
        eventually(lambda: self.arena.status(name).get("size") == size and self.has(name, "PodsReady"))
        assert len(self.arena.nodes_of(name)) == size

    def until_nothing_is_kept(self, name: str) -> None:
        """Wait until a GangJob has no quota, and then see that it has neither members nor a reservation."""
        eventually(lambda: not self.has(name, "QuotaReserved"))
        assert self.arena.pods(name) == []
        assert "reservedAt" not in self.arena.status(name)

    def succeed(self, name: str) -> None:
        """Let all members of a GangJob succeed."""
        for pod in self.arena.pods(name):
            self.arena.patch_pod_status(pod["metadata"]["name"], {"phase": "Succeeded"})

    def waits(self, name: str) -> bool:
        """Whether a GangJob says that it waits for quota of the queue."""
        planned = self.arena.condition(name, "Planned")
        return planned.get("reason") == "AwaitsQuota" and f"queue {self.queue.name}" in planned["message"]

    def close(self) -> None:
        """Delete all GangSweeps, GangJobs and Workloads of the namespace."""
        self.arena.delete(self._sweeps)
        self.arena.close()
        self.queue.close()
