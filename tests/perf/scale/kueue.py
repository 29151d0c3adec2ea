"""Kueue with kube-scheduler: the user makes a suspended Job in a queue, and Kubernetes' controller makes the pods."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from bench_cluster import NAMESPACE
from pod_groups import UNTHROTTLED
from scale.contenders import Gang, listed, pod_manifest, says_why, succeeded

from e2e.controllers.kueue import QUEUED, VERSION, Queue, kueue_controller
from lockstep.api.client import paths
from lockstep.api.client.answer import Target
from lockstep.api.client.client import KubeClient
from lockstep_demo.operator_process import OperatorProcess
from sandbox import Component, Sandbox

_JOBS = Target(f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs", "jobs")
_WORKLOADS = Target(f"/apis/{VERSION}/namespaces/{NAMESPACE}/workloads", "workloads")
# By itself it sends 20 requests a second, and nothing else would be measured.
_SETTINGS: Mapping[str, Any] = {
    "clientConnection": {"qps": 10_000, "burst": 10_000},
    "resources": {"excludeResourcePrefixes": ["memory"]},
}


class Kueue:
    """Kueue admits a Job whole, by quota; kube-scheduler binds its pods one by one."""

    name = "Kueue"
    addons = frozenset({Component.SCHEDULER, Component.CONTROLLER_MANAGER})
    flags: ClassVar[Mapping[Component, tuple[str, ...]]] = {
        Component.SCHEDULER: UNTHROTTLED,
        Component.CONTROLLER_MANAGER: UNTHROTTLED,
    }

    def __init__(self, cpu: int) -> None:
        """Its quota is so many processors."""
        self._cpu = cpu

    @contextmanager
    def running(self, sandbox: Sandbox, folder: Path) -> Iterator[OperatorProcess | None]:
        """See ``Contender``."""
        with kueue_controller(sandbox, folder, **_SETTINGS):
            Queue(sandbox, NAMESPACE, self._cpu)
            yield None

    async def submit(self, client: KubeClient, gang: Gang) -> None:
        """See ``Contender``."""
        pod = {"spec": {**pod_manifest("", gang.cpu, {})["spec"], "restartPolicy": "Never"}}
        spec = {"parallelism": gang.size, "completions": gang.size, "suspend": True, "template": pod}
        job = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": gang.name, "labels": QUEUED},
            "spec": spec,
        }
        succeeded(await client.create(_JOBS, job))

    async def saying_why(self, client: KubeClient) -> int:
        """Gangs without quota whose Workload says why, and admitted ones of which a pod says why it has no node."""
        without_quota = sum(says_why(one, "QuotaReserved") for one in await listed(client, _WORKLOADS))
        pods = await listed(client, paths.pods_of(NAMESPACE))
        gangs = {one["metadata"]["name"].partition("-")[0] for one in pods if says_why(one, "PodScheduled")}
        return without_quota + len(gangs)
