"""The control plane on which cases are tried: made before, asked of kube-scheduler, cleared afterwards."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

from differential.draft import Draft, Manifest
from lockstep.api.client.answer import Answer, Target
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import load_configuration
from sandbox import Sandbox

AT_ONCE = 16
DECISION_SECONDS = 90.0
POLL_SECONDS = 0.05
NOMINATION_POLLS = 60
PROBES = "probes"
NAMESPACES = {"ours": {}, "others": {"team": "x"}, PROBES: {"team": "p"}}
PRIORITIES = {"lowest": -100, "high": 1000, "highest": 2000}
# What a member has besides its template's labels.
MEMBER_LABELS = {"lockstep.dev/gang": "probe", "lockstep.dev/attempt": "1", "lockstep.dev/rank": "0"}
SELECTED_NODE = "volume.kubernetes.io/selected-node"
# Where each kind of a case's objects is, in the order of their creation.
FOLDERS = {
    "StorageClass": "/apis/storage.k8s.io/v1/storageclasses",
    "CSIDriver": "/apis/storage.k8s.io/v1/csidrivers",
    "CSIStorageCapacity": f"/apis/storage.k8s.io/v1/namespaces/{PROBES}/csistoragecapacities",
    "PersistentVolume": "/api/v1/persistentvolumes",
    "PersistentVolumeClaim": f"/api/v1/namespaces/{PROBES}/persistentvolumeclaims",
    "CSINode": "/apis/storage.k8s.io/v1/csinodes",
    "VolumeAttachment": "/apis/storage.k8s.io/v1/volumeattachments",
}
HEAVY = {"metadata": {"name": "heavy"}, "handler": "heavy", "overhead": {"podFixed": {"cpu": "300m", "memory": "64Mi"}}}


class RefusedError(Exception):
    """The API server does not take one of a case's objects."""


class Verdict(NamedTuple):
    """What kube-scheduler made of a pod, and the pod as the API server has it."""

    binds: bool
    says: str
    pod: Manifest


class Cluster:
    """Requests that the comparison needs."""

    def __init__(self, client: KubeClient) -> None:
        self.client = client

    async def prepare(self) -> None:
        """Make what all cases share, unless it is there."""
        if PROBES in {one["metadata"]["name"] for one in await self.listed("/api/v1/namespaces")}:
            return
        for name, labels in NAMESPACES.items():
            await self.create("/api/v1/namespaces", {"metadata": {"name": name, "labels": labels}})
        await self.create("/apis/node.k8s.io/v1/runtimeclasses", HEAVY)
        for name, value in PRIORITIES.items():
            manifest = {"metadata": {"name": name}, "value": value}
            await self.create("/apis/scheduling.k8s.io/v1/priorityclasses", manifest)

    async def build(self, draft: Draft) -> None:
        """Create all of a case but its probe. Raises ``RefusedError``."""
        for node in (draft.node, draft.near):
            await self.create("/api/v1/nodes", node)
        for manifest in draft.objects:
            await self._create_object(draft, manifest)
        for pod in draft.pods:
            await self._create_pod(draft, pod)
        for pod in draft.preemptors:
            await self.create(f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods", pod)
            await self._until_nominated(pod)

    async def decide(self, drafts: Sequence[Draft]) -> list[Verdict | RefusedError]:
        """Ask kube-scheduler about every case's pod, once; the pods are gone afterwards."""
        made = await together(self._create_probe(draft) for draft in drafts)
        waited = {draft.case for draft, one in zip(drafts, made, strict=True) if one is None}
        pods = await self.until_decided(waited)
        await together(self.delete_probe(name) for name in waited)
        return [one if one is not None else _verdict(pods[draft.case]) for draft, one in zip(drafts, made, strict=True)]

    async def clear(self) -> None:
        """Delete everything that cases have made."""
        for namespace in NAMESPACES:
            await self._delete(f"/api/v1/namespaces/{namespace}/pods")
        await self._delete("/api/v1/nodes")
        for folder in reversed(FOLDERS.values()):
            names = [one["metadata"]["name"] for one in await self.listed(folder)]
            await self._delete(folder)
            # Finalizers that protect what is in use would wait for a controller manager.
            await together(self._set_free(f"{folder}/{name}") for name in names)

    async def create(self, folder: str, manifest: Manifest) -> Answer:
        """Create an object. Raises ``RefusedError``."""
        answer = await self.client.create(Target(folder, "any"), manifest)
        if not answer.is_success:
            raise RefusedError(answer.message)
        return answer

    async def _create_object(self, draft: Draft, manifest: Manifest) -> None:
        folder, name = FOLDERS[manifest["kind"]], manifest["metadata"]["name"]
        await self.create(folder, manifest)
        if "status" in manifest:
            await self._patch(f"{folder}/{name}/status", {"status": manifest["status"]})
        if name in draft.deleting:
            # It has a finalizer that stays, and so it stays.
            await self._delete(f"{folder}/{name}")

    async def _create_pod(self, draft: Draft, pod: Manifest) -> None:
        name, folder = pod["metadata"]["name"], f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods"
        await self.create(folder, pod)
        if name in draft.statuses:
            await self._patch(f"{folder}/{name}/status", {"status": draft.statuses[name]})
        if name in draft.deleting:
            await self.client._request("DELETE", Target(f"{folder}/{name}", "any"))

    async def _create_probe(self, draft: Draft) -> RefusedError | None:
        labels = {**draft.template["metadata"]["labels"], **MEMBER_LABELS}
        metadata = {"name": draft.case, "namespace": PROBES, "labels": labels}
        try:
            await self.create(f"/api/v1/namespaces/{PROBES}/pods", {"metadata": metadata, "spec": draft.spec})
        except RefusedError as error:
            return error
        return None

    async def _until_nominated(self, pod: Manifest) -> None:
        """Wait for kube-scheduler to make room. Raises ``RefusedError`` where it does not."""
        metadata = pod["metadata"]
        target = Target(f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}", "any")
        for _ in range(NOMINATION_POLLS):
            found = (await self.client.get(target)).body
            if found["status"].get("nominatedNodeName"):
                return
            await asyncio.sleep(POLL_SECONDS)
        raise RefusedError("kube-scheduler makes no room for a pod")

    async def until_decided(self, names: set[str]) -> dict[str, Manifest]:
        """The probes, once kube-scheduler has checked all of these."""
        async with asyncio.timeout(DECISION_SECONDS):
            while True:
                pods = {pod["metadata"]["name"]: pod for pod in await self.listed(f"/api/v1/namespaces/{PROBES}/pods")}
                if all(name in pods and is_decided(pods[name]) for name in names):
                    return pods
                await asyncio.sleep(POLL_SECONDS)

    async def delete_probe(self, name: str) -> None:
        """Delete a probe at once."""
        await self._delete(f"/api/v1/namespaces/{PROBES}/pods/{name}")

    async def listed(self, folder: str) -> list[Manifest]:
        """Every object there."""
        return list((await self.client.get(Target(folder, "any"))).body["items"])

    async def _patch(self, path: str, change: Manifest) -> None:
        answer = await self.client.patch(Target(path, "any"), change)
        if not answer.is_success:
            raise RefusedError(answer.message)

    async def _set_free(self, path: str) -> None:
        await self.client.patch(Target(path, "any"), {"metadata": {"finalizers": None}})

    async def _delete(self, path: str) -> None:
        await self.client._request("DELETE", Target(path, "any"), params={"gracePeriodSeconds": "0"})


def is_decided(pod: Manifest) -> bool:
    """Whether kube-scheduler has checked a pod."""
    return _goes_to_a_node(pod) or bool(_refusal(pod))


def _verdict(pod: Manifest) -> Verdict:
    return Verdict(_goes_to_a_node(pod), _refusal(pod), pod)


def _goes_to_a_node(pod: Manifest) -> bool:
    """Whether the pod is bound, or is to be as soon as its claims are: no volumes are made here."""
    return bool(pod["spec"].get("nodeName") or (pod["status"].get("nominatedNodeName") and not _refusal(pod)))


def _refusal(pod: Manifest) -> str:
    conditions = pod["status"].get("conditions") or ()
    said = (one["message"] for one in conditions if one["type"] == "PodScheduled" and one["status"] == "False")
    return next(said, "")


async def together(works: Iterable[Awaitable[RefusedError | None]]) -> list[RefusedError | None]:
    """Run these side by side, not too many at once."""
    free = asyncio.Semaphore(AT_ONCE)

    async def one(work: Awaitable[RefusedError | None]) -> RefusedError | None:
        async with free:
            return await work

    return list(await asyncio.gather(*(one(work) for work in works)))


@asynccontextmanager
async def cluster_of(sandbox: Sandbox) -> AsyncIterator[Cluster]:
    """Talk to that control plane."""
    configuration = load_configuration(kubeconfig=str(sandbox.kubeconfig), context=None)
    async with KubeClient(configuration, concurrency=AT_ONCE, observer=lambda *_: None) as client:
        yield Cluster(client)
