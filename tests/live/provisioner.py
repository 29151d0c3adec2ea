"""A provisioner of the tests' own: it makes volumes that one node reaches, refuses to, or does nothing at all."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any

import aiohttp

from eventually import DEADLINE_SECONDS
from live.background import Background
from lockstep.api.client.configuration import load_configuration, tls_context
from sandbox import ApiError, Sandbox

Manifest = Mapping[str, Any]

VOLUMES = "/api/v1/persistentvolumes"
CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
# Kubernetes says whose turn it is.
_PROVISIONER = "volume.kubernetes.io/storage-provisioner"
_MERGE = {"Content-Type": "application/merge-patch+json"}


class Provisioner:
    """Makes volumes for claims of its classes in one namespace, each for the selected node of the claim.

    On nodes of ``refuses`` it takes the node off the claim again, on those of ``ignores`` it does nothing; both may be
    changed while it works. ``selected`` has each node that was selected, in order, by claim.
    """

    def __init__(self, api: Sandbox, namespace: str, name: str) -> None:
        self.api = api
        self.name = name
        self.claims = f"/api/v1/namespaces/{namespace}/persistentvolumeclaims"
        self.refuses: set[str] = set()
        self.ignores: set[str] = set()
        self.selected: dict[str, list[str]] = {}
        self._classes: list[str] = []

    def add_class(self, suffix: str = "", **more: Any) -> str:
        """Make a storage class whose claims wait for their first consumer; returns its name."""
        name = f"{self.name}{suffix}"
        spec = {"provisioner": self.name, "volumeBindingMode": "WaitForFirstConsumer", "reclaimPolicy": "Retain"}
        self.api.request("POST", CLASSES, {"metadata": {"name": name}, **spec, **more})
        self._classes.append(name)
        return name

    def make_volume(self, claim: Manifest, node: str) -> None:
        """Make a volume for a claim, whatever its node."""
        self.api.request("POST", VOLUMES, volume_on(node, claim))

    def close(self) -> None:
        """Delete the classes, and the volumes of these."""
        for volume in self.api.request("GET", VOLUMES)["items"]:
            if volume["spec"].get("storageClassName") in self._classes:
                self._delete(f"{VOLUMES}/{volume['metadata']['name']}")
        for name in self._classes:
            self._delete(f"{CLASSES}/{name}")

    def _delete(self, path: str) -> None:
        with suppress(ApiError):
            self.api.request("DELETE", path)

    async def provide(self, session: aiohttp.ClientSession, claim: Manifest) -> None:
        """Do for a claim as it is now what is to be done, if anything."""
        metadata, spec = claim["metadata"], claim["spec"]
        annotations = metadata.get("annotations") or {}
        node = annotations.get(SELECTED_NODE)
        if node is None or spec.get("volumeName") or annotations.get(_PROVISIONER) != self.name:
            return
        selected = self.selected.setdefault(metadata["name"], [])
        if selected[-1:] != [node]:
            selected.append(node)
        if node in self.refuses:
            body = json.dumps({"metadata": {"annotations": {SELECTED_NODE: None}}})
            await session.patch(f"{self.claims}/{metadata['name']}", data=body, headers=_MERGE)
        elif node not in self.ignores:
            await session.post(VOLUMES, json=volume_on(node, claim))


def volume_on(node: str, claim: Manifest) -> dict[str, Any]:
    """A volume for the claim that only that node reaches."""
    metadata, spec = claim["metadata"], claim["spec"]
    here = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"volume-{metadata['uid']}"},
        "spec": {
            "capacity": spec["resources"]["requests"],
            "accessModes": spec["accessModes"],
            "storageClassName": spec["storageClassName"],
            "persistentVolumeReclaimPolicy": "Retain",
            "local": {"path": "/data"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [here]}]}},
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "namespace": metadata["namespace"],
                "name": metadata["name"],
                "uid": metadata["uid"],
            },
        },
    }


@contextmanager
def provisioning(api: Sandbox, namespace: str, name: str, background: Background) -> Iterator[Provisioner]:
    """A provisioner at work, as long as the context lasts."""
    provisioner = Provisioner(api, namespace, name)
    listening: Future[None] = Future()
    following = background.start(_follow(provisioner, listening))
    listening.result(timeout=DEADLINE_SECONDS)
    yield provisioner
    following.cancel()
    provisioner.close()


async def _follow(provisioner: Provisioner, listening: Future[None]) -> None:
    api = provisioner.api
    configuration = load_configuration(kubeconfig=str(api.kubeconfig), context=None)
    connector = aiohttp.TCPConnector(ssl=tls_context(configuration))
    timeout = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(api.server, connector=connector, timeout=timeout) as session:
        async with session.get(provisioner.claims, params={"watch": "true"}) as answer:
            listening.set_result(None)
            async for line in answer.content:
                event = json.loads(line)
                if event["type"] in ("ADDED", "MODIFIED"):
                    await provisioner.provide(session, event["object"])
        await asyncio.get_running_loop().create_future()
