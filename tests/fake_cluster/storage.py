"""What Kubernetes and a provisioner do with claims, in the place of both: on a fake API server, now and then."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from builders.served import metadata
from fake_cluster.rig import DEFAULT, end
from fake_cluster.store import Place

CLASS = "fast"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
BOUND = {"pv.kubernetes.io/bind-completed": "yes"}
_PAUSE_SECONDS = 0.5


@dataclass(slots=True)
class Storage:
    """Makes volumes for claims on their selected nodes, but not on nodes that it ``refuses`` or ``ignores``."""

    api: object
    refuses: set = field(default_factory=set)
    ignores: set = field(default_factory=set)
    selected: list = field(default_factory=list)

    async def run(self):
        """Serve all claims until cancelled."""
        while True:
            self.serve()
            await asyncio.sleep(_PAUSE_SECONDS)

    def serve(self):
        """Do for every claim what is to be done."""
        for pod in self.api.store.objects("pods"):
            self._make_claims_of(pod)
        for claim in self.api.store.objects("persistentvolumeclaims"):
            if not claim["spec"].get("volumeName"):
                self._provide(claim)

    def _make_claims_of(self, pod):
        for volume in pod["spec"].get("volumes", ()):
            name = f"{pod['metadata']['name']}-{volume['name']}"
            if "ephemeral" in volume and self.api.store.get(claim_place(name)) is None:
                owner = {"apiVersion": "v1", "kind": "Pod", "uid": pod["metadata"]["uid"], "controller": True}
                spec = volume["ephemeral"]["volumeClaimTemplate"]["spec"]
                add_claim(self.api, name, spec=spec, ownerReferences=[owner])

    def _provide(self, claim):
        place, volumes = claim_place(claim["metadata"]["name"]), self.api.store.objects("persistentvolumes")
        promised = [one for one in volumes if one["spec"].get("claimRef", {}).get("name") == place.name]
        node = claim["metadata"].get("annotations", {}).get(SELECTED_NODE)
        if promised:
            self.bind(place.name, promised[0]["metadata"]["name"])
        elif node in self.refuses:
            self.selected.append((place.name, node))
            self.api.store.change(place, metadata={"annotations": {}})
        elif node is not None and node not in self.ignores:
            self.selected.append((place.name, node))
            self.make(place.name, node)

    def make(self, claim, node):
        """Make a volume that one node reaches, and bind the claim to it."""
        name = f"volume-{len(self.api.store.objects('persistentvolumes'))}"
        add_volume(self.api, name, node)
        self.bind(claim, name)

    def bind(self, claim, volume):
        """Bind a claim to a volume."""
        place = claim_place(claim)
        annotations = {**self.api.store.get(place)["metadata"].get("annotations", {}), **BOUND}
        self.api.store.change(
            place, metadata={"annotations": annotations}, spec={"volumeName": volume}, status={"phase": "Bound"}
        )


def claim_place(name):
    """Where a claim is."""
    return Place("persistentvolumeclaims", DEFAULT, name)


def add_claim(api, name, *, spec, **more):
    """Create a claim."""
    api.store.add("persistentvolumeclaims", {"metadata": metadata(name, namespace=DEFAULT, **more), "spec": spec})


def add_volume(api, name, node, *, phase="Bound"):
    """Create a volume that one node reaches."""
    here = {"key": "metadata.name", "operator": "In", "values": [node]}
    spec = {
        "storageClassName": CLASS,
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchFields": [here]}]}},
    }
    api.store.add("persistentvolumes", {"metadata": metadata(name), "spec": spec, "status": {"phase": phase}})


def add_class(api, *, provisioner="disk.example.com"):
    """Create the storage class, which waits for the first consumer."""
    manifest = {"metadata": metadata(CLASS), "provisioner": provisioner, "volumeBindingMode": "WaitForFirstConsumer"}
    api.store.add("storageclasses", manifest)


@asynccontextmanager
async def storage_of(api, **ways):
    """Storage at work."""
    storage = Storage(api, **ways)
    task = asyncio.create_task(storage.run())
    try:
        yield storage
    finally:
        await end([task])
