"""Gangs of pods that others create: what tests create of them, and what they see."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from builders.manifests import API_VERSION, POOL_LABEL, member_container
from eventually import eventually
from live.arena import GANGS, Arena
from live.places import Places, are_bound, places_of
from lockstep.facts.gang.source import Source, maker_of
from sandbox import ApiError

Manifest = dict[str, Any]
MEMBER_OF = "lockstep.dev/member-of"
_NOT_FOUND = 404
RANK, SIZE, SEAT = "lockstep.dev/rank", "lockstep.dev/size", "lockstep.dev/seat"
LABELS = {
    Source.JOB: "batch.kubernetes.io/job-name",
    Source.JOB_SET: "jobset.sigs.k8s.io/jobset-name",
    Source.LEADER_WORKER_SET: "leaderworkerset.sigs.k8s.io/name",
    Source.MPI_JOB: "training.kubeflow.org/job-name",
    Source.POD_GROUP: "scheduling.x-k8s.io/pod-group",
    Source.RAY_CLUSTER: "ray.io/cluster",
    Source.KUEUE_GROUP: "kueue.x-k8s.io/pod-group-name",
}
GROUP = "leaderworkerset.sigs.k8s.io/group-index"


class PodGangs:
    """The Gangs of an arena, and pods for them that only go to the arena's nodes."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.api = arena.api
        self.path = f"{GANGS}/namespaces/{arena.namespace}/gangs"
        self.jobs = f"/apis/batch/v1/namespaces/{arena.namespace}/jobs"

    # Making things

    def submit(self, name: str, least: int, most: int | None = None, **spec: Any) -> Manifest:
        """Create a Gang."""
        size = {"min": least} | ({} if most is None else {"max": most})
        body = {
            "apiVersion": API_VERSION,
            "kind": "Gang",
            "metadata": {"name": name},
            "spec": {"size": size, **spec},
        }
        return self.api.request("POST", self.path, body)

    def delete(self, name: str) -> None:
        """Delete a Gang."""
        self.api.request("DELETE", f"{self.path}/{name}")

    def template(self, gang: str, cpu: str = "1", annotations: Mapping[str, str] | None = None, **pod: Any) -> Manifest:
        """A pod template for that Gang: two lines more than without it."""
        spec = {
            "schedulerName": "lockstep",
            "restartPolicy": "Never",
            "nodeSelector": {POOL_LABEL: self.arena.pool},
            "containers": [member_container(cpu)],
            **pod,
        }
        labels = {MEMBER_OF: gang} if gang else {}
        return {"metadata": {"labels": labels, "annotations": dict(annotations or {})}, "spec": spec}

    def create_pods(self, gang: str, *names: str, cpu: str = "1", **pod: Any) -> None:
        """Create bare pods."""
        for name in names:
            template = self.template(gang, cpu, **pod)
            metadata = {**template["metadata"], "name": name}
            self.arena.create({"apiVersion": "v1", "kind": "Pod", **template, "metadata": metadata})

    def create_job(
        self,
        gang: str,
        size: int,
        *,
        cpu: str = "1",
        name: str = "",
        annotations: Mapping[str, str] | None = None,
        **spec: Any,
    ) -> Manifest:
        """Create an Indexed Job. Without a Gang, its pods have no label."""
        wanted = {
            "parallelism": size,
            "completions": size,
            "completionMode": "Indexed",
            "backoffLimit": 0,
            "template": self.template(gang, cpu),
            **spec,
        }
        metadata = {"name": name or gang, "annotations": dict(annotations or {})}
        return self.api.request("POST", self.jobs, {"metadata": metadata, "spec": wanted})

    # Seeing things

    def status(self, name: str) -> Manifest:
        """The Gang's status; empty while there is none, or no such Gang."""
        try:
            found: Manifest = self.api.request("GET", f"{self.path}/{name}").get("status") or {}
        except ApiError as error:
            if error.status != _NOT_FOUND:
                raise
            return {}
        return found

    def exists(self, name: str) -> bool:
        """Whether there is a Gang of that name."""
        try:
            self.api.request("GET", f"{self.path}/{name}")
        except ApiError as error:
            if error.status != _NOT_FOUND:
                raise
            return False
        return True

    def spec(self, name: str) -> Manifest:
        """The Gang's spec."""
        found: Manifest = self.api.request("GET", f"{self.path}/{name}")["spec"]
        return found

    def condition(self, name: str, kind: str) -> Manifest:
        """One condition of a Gang; empty while there is none."""
        return next((one for one in self.status(name).get("conditions") or [] if one["type"] == kind), {})

    def pods(self, gang: str) -> list[Manifest]:
        """The pods with the labels of a Gang, or the pod of a gang of one, by name."""
        path = f"{self.arena.core}/pods?{_selector(gang)}"
        return sorted(self.api.request("GET", path)["items"], key=lambda pod: str(pod["metadata"]["name"]))

    def places(self, gang: str) -> Places:
        """Where the pods of a Gang are, by one answer."""
        return places_of(self.pods(gang))

    def nodes_of(self, gang: str) -> list[str]:
        """The nodes of a Gang's pods, sorted; '' for a pod that is not bound."""
        return sorted(pod["spec"].get("nodeName", "") for pod in self.pods(gang))

    def bound(self, gang: str) -> int:
        """How many pods of a Gang are on nodes."""
        return sum(node != "" for node in self.nodes_of(gang))

    def events(self, name: str) -> list[str]:
        """The reasons of the events about a Gang."""
        return [event["reason"] for event in self.arena.events(name) if event["regarding"]["kind"] == "Gang"]

    # Waiting for things

    def until(self, name: str, kind: str, status: str = "True", reason: str = "") -> Manifest:
        """Wait until a condition of a Gang has that status, and reason if one is given; return it."""

        def probe() -> Manifest:
            found = self.condition(name, kind)
            return found if found.get("status") == status and reason in ("", found["reason"]) else {}

        try:
            return eventually(probe)
        except AssertionError as error:
            raise AssertionError(f"{name}: {self.status(name)} | pods on {self.nodes_of(name)}") from error

    def until_size(self, name: str, size: int) -> Places:
        """Wait until so many pods are on nodes, no other waits, and the Gang says so; return where these are."""

        def probe() -> Places:
            status, places = self.status(name), self.places(name)
            is_quiet = status.get("size") == size and not status.keys() & {"next", "reservedAt"}
            return places if is_quiet and are_bound(places, size) else {}

        return eventually(probe)

    def close(self) -> None:
        """Delete what the arena does not know."""
        for path in (self.jobs, self.path):
            self.api.request("DELETE", f"{path}?propagationPolicy=Background")


def _selector(gang: str) -> str:
    """The query for the pods of a Gang, by the labels of their controller, unless a user has written the Gang."""
    made = maker_of(gang)
    if made is None or made[0] is Source.WORKLOAD:
        return f"labelSelector={quote(f'{MEMBER_OF}={gang}')}"
    source, owner = made
    if source is Source.SINGLE:
        return f"fieldSelector={quote(f'metadata.name={owner}')}"
    if source is not Source.LEADER_WORKER_SET:
        return f"labelSelector={quote(f'{LABELS[source]}={owner}')}"
    name, _, group = owner.rpartition(".")
    return f"labelSelector={quote(f'{LABELS[source]}={name},{GROUP}={group}')}"
