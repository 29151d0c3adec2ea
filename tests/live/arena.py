"""A namespace and some nodes of a test's own, and what tests say about gangs in it."""

import itertools
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from builders.manifests import POOL_LABEL, quota
from eventually import DEADLINE_SECONDS, eventually
from sandbox import ApiError, Node, Sandbox

Manifest = dict[str, Any]

GANGS = "/apis/lockstep.dev/v1alpha1"
BIDS = f"{GANGS}/nodebids"
PRIORITIES = "/apis/scheduling.k8s.io/v1/priorityclasses"
STORAGE = "/apis/storage.k8s.io/v1"
EVENTS = "/apis/events.k8s.io/v1"
GANG_LABEL = "lockstep.dev/gang"
ATTEMPT_LABEL = "lockstep.dev/attempt"

_NOT_FOUND = 404
# What members have limits of only where a LimitRange says so.
_UNSEEN = "ephemeral-storage"
NUMBERS = itertools.count(1)


class Arena:
    """Everything in it is the test's own: gangs are confined to the arena's nodes by a selector.

    ``nodes`` are their names. ``close`` deletes all of it and returns once no pod, gang or node is left.
    """

    def __init__(self, api: Sandbox, namespace: str) -> None:
        self.api = api
        self.namespace = namespace
        self.pool = f"pool-{next(NUMBERS)}"
        self.nodes: list[str] = []
        self._named = 0
        self._elsewhere: list[str] = []

    # Making things

    def add_nodes(
        self, count: int = 1, *, cpu: str = "4", labels: Mapping[str, str] | None = None, **more: Any
    ) -> list[str]:
        """Create nodes and return their names, which sort in the order of their creation."""
        # A test may have deleted nodes, or named some itself: no name is used twice.
        first = max(self._named, len(self.nodes)) + 1
        self._named = first + count - 1
        names = [f"{self.pool}-n{number:02}" for number in range(first, first + count)]
        allocatable = {"cpu": cpu, "memory": "16Gi", "pods": "110"}
        labelled = {POOL_LABEL: self.pool, **(labels or {})}
        self.create_nodes(Node(name=name, labels=labelled, allocatable=allocatable, **more) for name in names)
        return names

    def create_nodes(self, nodes: Iterable[Node]) -> None:
        """Create nodes as they are described."""
        wanted = list(nodes)
        self.nodes += [node.name for node in wanted]
        self.api.create_nodes(wanted)

    def submit(self, gang: Manifest) -> Manifest:
        """Create a GangJob that may only use the arena's nodes."""
        spec = gang["spec"]
        for role in spec.get("roles", [spec]):
            pod = role["template"]["spec"]
            pod["nodeSelector"] = {POOL_LABEL: self.pool, **pod.get("nodeSelector", {})}
        return self.api.request("POST", self.gangs, gang)

    def create(self, manifest: Manifest) -> Manifest:
        """Create a pod, a quota or a budget in the namespace, or a bid or a priority class, all deleted afterwards."""
        match manifest["kind"]:
            case "NodeBid":
                return self._create_elsewhere(BIDS, manifest)
            case "PriorityClass":
                return self._create_elsewhere(PRIORITIES, manifest)
            case "PodDisruptionBudget":
                return self.api.request("POST", self.budgets, manifest)
            case kind:
                return self.api.request("POST", f"{self.core}/{kind.lower()}s", manifest)

    def create_storage(self, resource: str, manifest: Manifest) -> Manifest:
        """Create an object of the group storage.k8s.io that is in no namespace, which is deleted afterwards."""
        return self._create_elsewhere(f"{STORAGE}/{resource}", manifest)

    def limit_pods(self, count: int) -> None:
        """Allow so many pods with one container in the namespace, from the moment this returns.

        The operator can't know: the quota is one of limits that only a LimitRange gives to members.
        """
        amounts = {"type": "Container", "default": {_UNSEEN: "1"}, "defaultRequest": {_UNSEEN: "0"}}
        spec = {"limits": [amounts]}
        self.create({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "limit"}, "spec": spec})
        self.create_quota("limit", **{f"limits.{_UNSEEN}": str(count)})

    def create_quota(self, name: str, **hard: str) -> None:
        """Create a quota, which is in force from the moment this returns."""
        self.create(quota(name, **hard))
        # Until its status is filled in, a quota refuses every pod, for another reason.
        eventually(lambda: "used" in self.api.request("GET", f"{self.core}/resourcequotas/{name}")["status"])

    def raise_limit(self, count: int) -> None:
        """Allow more pods."""
        self.raise_quota("limit", **{f"limits.{_UNSEEN}": str(count)})

    def raise_quota(self, name: str, **hard: str) -> None:
        """Let a quota allow more."""
        self.api.request("PATCH", f"{self.core}/resourcequotas/{name}", {"spec": {"hard": hard}})

    def patch_bid(self, node: str, **spec: Any) -> None:
        """Change what a node offers; None removes a field."""
        self.api.request("PATCH", f"{BIDS}/{node}", {"spec": spec})

    def bid_status(self, node: str) -> Manifest:
        """What is observed about a bid."""
        found: Manifest = self.api.request("GET", f"{BIDS}/{node}").get("status", {})
        return found

    def say_measured(self, node: str, **measured: Any) -> None:
        """Say in the status of a bid what the node's agent would."""
        self.api.request("PATCH", f"{BIDS}/{node}/status", {"status": {"measured": measured}})

    def delete_bid(self, node: str) -> None:
        """Take an offer back."""
        self.api.request("DELETE", f"{BIDS}/{node}")

    def delete(self, path: str) -> None:
        """Delete an object, if it is there."""
        with suppress(ApiError):
            self.api.request("DELETE", path)

    def delete_gang(self, name: str) -> None:
        """Delete a GangJob."""
        self.api.request("DELETE", f"{self.gangs}/{name}")

    def delete_pod(self, name: str) -> None:
        """Delete a pod."""
        self.api.request("DELETE", f"{self.core}/pods/{name}")

    def change_gang(self, name: str, **spec: Any) -> None:
        """Change a GangJob's spec as its owner would; None removes a field."""
        self.api.request("PATCH", f"{self.gangs}/{name}", {"spec": spec})

    def patch_pod(self, name: str, **metadata: Any) -> None:
        """Change a pod's metadata; None removes a field."""
        self.api.request("PATCH", f"{self.core}/pods/{name}", {"metadata": metadata})

    def patch_pod_status(self, name: str, status: Manifest) -> None:
        """Say of a pod what its kubelet would."""
        self.api.request("PATCH", f"{self.core}/pods/{name}/status", {"status": status})

    def dry_run(self, spec: Manifest) -> Manifest | None:
        """The spec of a pod as admission would make it, or None where it refuses it."""
        pod = {"metadata": {"name": "dry-run"}, "spec": spec}
        try:
            admitted: Manifest = self.api.request("POST", f"{self.core}/pods?dryRun=All", pod)["spec"]
        except ApiError:
            return None
        return admitted

    # Seeing things

    def gang(self, name: str) -> Manifest:
        """The GangJob as it is now."""
        return self.api.request("GET", f"{self.gangs}/{name}")

    def is_gone(self, name: str) -> bool:
        """Whether there is no such GangJob any more."""
        try:
            self.gang(name)
        except ApiError as error:
            return error.status == _NOT_FOUND
        return False

    def status(self, name: str) -> Manifest:
        """The GangJob's status; empty while there is none."""
        status: Manifest = self.gang(name).get("status") or {}
        return status

    def condition(self, name: str, kind: str) -> Manifest:
        """One condition of a GangJob; empty while there is none."""
        conditions = self.status(name).get("conditions") or []
        return next((one for one in conditions if one["type"] == kind), {})

    def pods(self, gang: str, *, attempt: int | None = None) -> list[Manifest]:
        """The members of a GangJob, or of one attempt of it, by name."""
        selector = f"{GANG_LABEL}%3D{gang}" + (f",{ATTEMPT_LABEL}%3D{attempt}" if attempt is not None else "")
        listed = self.api.request("GET", f"{self.core}/pods?labelSelector={selector}")["items"]
        return sorted(listed, key=lambda pod: str(pod["metadata"]["name"]))

    def nodes_of(self, gang: str) -> list[str]:
        """The nodes of a GangJob's members, sorted; '' for a member that is not bound."""
        return sorted(pod["spec"].get("nodeName", "") for pod in self.pods(gang))

    def events(self, gang: str) -> list[Manifest]:
        """The events about a GangJob."""
        items = self.api.request("GET", f"{EVENTS}/namespaces/{self.namespace}/events")["items"]
        return [event for event in items if event["regarding"].get("name") == gang]

    def summary(self, name: str) -> str:
        """What a reader of a failed test wants to know of a gang."""
        status = self.status(name)
        says = [f"{c['type']}={c['status']} {c['reason']}: {c['message']}" for c in status.get("conditions") or []]
        return " | ".join([f"attempt {status.get('attempt')}", *says, f"pods on {self.nodes_of(name)}"])

    # Waiting for things

    def until(
        self, name: str, kind: str, status: str = "True", reason: str = "", *, seconds: float = DEADLINE_SECONDS
    ) -> Manifest:
        """Wait until a condition has that status, and reason if one is given; return it."""

        def probe() -> Manifest:
            found = self.condition(name, kind)
            return found if found.get("status") == status and reason in ("", found["reason"]) else {}

        try:
            return eventually(probe, seconds=seconds)
        except AssertionError as error:
            # Only now: it asks the API server for twice as much again.
            raise AssertionError(f"{name}: {self.summary(name)}") from error

    def until_placed(self, *names: str, seconds: float = DEADLINE_SECONDS) -> None:
        """Wait until all of these gangs are placed."""
        for name in names:
            self.until(name, "Placed", seconds=seconds)

    def until_complete(self, *names: str, seconds: float = DEADLINE_SECONDS) -> None:
        """Wait until all members of these gangs have succeeded."""
        for name in names:
            self.until(name, "Complete", reason="Succeeded", seconds=seconds)

    def until_events(self, gang: str, *reasons: str) -> list[Manifest]:
        """Wait until each of these events was posted about a gang; return all events of those reasons, oldest first."""

        def probe() -> list[Manifest]:
            found = [event for event in self.events(gang) if event["reason"] in reasons]
            assert {event["reason"] for event in found} == set(reasons), f"so far {found}"
            return sorted(found, key=lambda event: event["eventTime"])

        return eventually(probe)

    def until_no_pods(self, gang: str) -> None:
        """Wait until no member is left."""
        eventually(lambda: not self.pods(gang))

    # Leaving

    def close(self) -> None:
        """Delete everything, gangs first. Nodes go whatever else fails: later tests count the nodes there are."""
        try:
            self._empty(self.gangs)
            self._empty(f"{self.core}/pods", "?gracePeriodSeconds=0")
        finally:
            for path in (*self._elsewhere, *(f"/api/v1/nodes/{name}" for name in self.nodes)):
                self.delete(path)

    @property
    def core(self) -> str:
        """Where pods and quotas of the namespace are."""
        return f"/api/v1/namespaces/{self.namespace}"

    @property
    def gangs(self) -> str:
        """Where the namespace's GangJobs are."""
        return f"{GANGS}/namespaces/{self.namespace}/gangjobs"

    @property
    def budgets(self) -> str:
        """Where the namespace's PodDisruptionBudgets are."""
        return f"/apis/policy/v1/namespaces/{self.namespace}/poddisruptionbudgets"

    def _empty(self, path: str, options: str = "") -> None:
        """Delete all objects there; a busy API server may need more than one request for many of them."""

        def probe() -> bool:
            self.delete(f"{path}{options}")
            return not self.api.request("GET", f"{path}?limit=1")["items"]

        eventually(probe, seconds=120)

    def _create_elsewhere(self, folder: str, manifest: Manifest) -> Manifest:
        self._elsewhere.append(f"{folder}/{manifest['metadata']['name']}")
        return self.api.request("POST", folder, manifest)
