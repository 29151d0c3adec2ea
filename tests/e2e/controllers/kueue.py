"""Kueue: its controller, and the queue of a namespace."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from e2e.controllers.configured_controller import Layout, configured_controller
from eventually import eventually
from sandbox import Sandbox
from sandbox.binaries import Tool

VERSION = "kueue.x-k8s.io/v1beta2"
QUEUE, QUEUED = "team", {"kueue.x-k8s.io/queue-name": "team"}
CHECK = "placement"
CHECKED: Mapping[str, Any] = {"admissionChecksStrategy": {"admissionChecks": [{"name": CHECK}]}}
"""What a ClusterQueue says whose Workloads wait for Lockstep."""
LAYOUT = Layout(
    api_version="config.kueue.x-k8s.io/v1beta2",
    certificates="internalCertManagement",
    takes_folder=True,
    kinds=Path("config/components/crd/bases"),
    webhooks=Path("config/components/webhook"),
    metrics=Path("/etc/kueue/metrics/certs"),
    own={"integrations": {"frameworks": ["batch/job", "pod"]}},
    # Its server of an API of its own would need another certificate.
    options=("--feature-gates=VisibilityOnDemand=false",),
)


@contextmanager
def kueue_controller(sandbox: Sandbox, folder: Path, **configuration: Any) -> Iterator[None]:
    """Run Kueue for Jobs and plain pods, with an AdmissionCheck of Lockstep.

    ``folder`` is an empty one for it, ``configuration`` goes beside its own.
    """
    layout = LAYOUT._replace(own={**LAYOUT.own, **configuration})
    with configured_controller(sandbox, Tool.KUEUE, layout, folder):
        sandbox.apply([_object("AdmissionCheck", CHECK, {"controllerName": "lockstep.dev/placement"})])
        yield


def lending(cohort: str) -> dict[str, Any]:
    """What a ClusterQueue says that lends quota to others of its cohort, and takes it back when it needs it."""
    return {"cohortName": cohort, "preemption": {"reclaimWithinCohort": "Any"}}


class Queue:
    """The queue of a namespace, with a quota of processors of its own."""

    def __init__(self, sandbox: Sandbox, namespace: str, cpu: int, name: str = QUEUE, **cluster_queue: Any) -> None:
        """``cluster_queue`` are further fields of its ClusterQueue."""
        self.api = sandbox
        self.name = name
        self.labels = {"kueue.x-k8s.io/queue-name": name}
        self._workloads = f"/apis/{VERSION}/namespaces/{namespace}/workloads"
        cluster = f"{namespace}-{name}"
        self._cluster_queue = f"/apis/{VERSION}/clusterqueues/{cluster}"
        flavor = f"{namespace}-flavor"
        quota = {"name": flavor, "resources": [{"name": "cpu", "nominalQuota": cpu}]}
        groups = [{"coveredResources": ["cpu"], "flavors": [quota]}]
        sandbox.apply(
            [
                _object("ResourceFlavor", flavor, {}),
                _object("ClusterQueue", cluster, {"namespaceSelector": {}, "resourceGroups": groups, **cluster_queue}),
                _object("LocalQueue", name, {"clusterQueue": cluster}, namespace=namespace),
            ]
        )

    def admitted(self) -> list[str]:
        """The names of the workloads that Kueue has admitted, sorted."""
        return sorted(one["metadata"]["name"] for one in self._all() if has_condition(one, "Admitted"))

    def reserved(self) -> str:
        """How many processors of its quota are taken, as Kueue counts them."""
        [flavor] = self.api.request("GET", self._cluster_queue)["status"]["flavorsReservation"]
        return str(flavor["resources"][0]["total"])

    def stop(self) -> None:
        """Take away what was admitted, and admit none of it again."""
        self._activate({"active": False})

    def go_on(self) -> None:
        """Admit that again."""
        self._activate({"active": True})

    def close(self) -> None:
        """Delete all workloads: Kueue keeps deleted pods of a group as long as there is one."""
        self.api.request("DELETE", self._workloads)
        eventually(lambda: not self._all())

    def _activate(self, spec: dict[str, bool]) -> None:
        for one in self._all():
            self.api.request("PATCH", f"{self._workloads}/{one['metadata']['name']}", {"spec": spec})

    def workload(self, of: str) -> dict[str, Any]:
        """The Workload of the Job or group of that name; empty while there is none."""
        return next((one for one in self._all() if of in _names(one["metadata"])), {})

    def check(self, of: str) -> dict[str, Any]:
        """What our check says of the Workload of that name; empty while it says nothing."""
        checks = self.workload(of).get("status", {}).get("admissionChecks") or []
        return next((one for one in checks if one["name"] == CHECK), {})

    def evictions(self, of: str) -> Counter[str]:
        """How often Kueue has evicted the Workload of that name, by reason. The count outlasts the condition."""
        stats = self.workload(of).get("status", {}).get("schedulingStats") or {}
        return Counter({one["reason"]: one["count"] for one in stats.get("evictions") or ()})

    def _all(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.api.request("GET", self._workloads)["items"]
        return found


def _object(kind: str, name: str, spec: dict[str, Any], **metadata: str) -> dict[str, Any]:
    return {"apiVersion": VERSION, "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}


def _names(metadata: dict[str, Any]) -> list[str]:
    """The name of a Workload, and those of its owners."""
    return [metadata["name"], *(one["name"] for one in metadata.get("ownerReferences") or ())]


def has_condition(workload: dict[str, Any], kind: str) -> bool:
    """Whether a condition of a Workload is True."""
    conditions = workload.get("status", {}).get("conditions") or []
    return any((one["type"], one["status"]) == (kind, "True") for one in conditions)
