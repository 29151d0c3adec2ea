"""Odd objects of every kind that the operator watches, poured into an API server by the hundred."""

import asyncio
from collections import Counter
from typing import NamedTuple

from builders.manifests import IMAGE, bid, budget, foreign_pod, from_now, gang, priority_class
from live.arena import BIDS, GANGS, PRIORITIES
from live.odd_objects import OddObjects
from live.schemas import own_schemas, schemas_of
from lockstep.api.client.answer import ApiUnavailableError, Target
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import load_configuration

AT_ONCE = 16
POISON = {"poison": "yes"}

OFFER = {"dutyCycle": "250m", "capacity": "2", "availableFrom": from_now(-100), "expiresAt": from_now(9999), "slots": 3}
ASKED = {"work": {"serialTime": "1h", "overhead": {"fixed": "1s"}}, "deadline": "2h", "pod": {"nodeSelector": {}}}
STATUSES = {
    "Pod": {"phase": "Running", "containerStatuses": [{"name": "main", "image": IMAGE, "imageID": "", "ready": True}]},
    "Node": {"allocatable": {"cpu": "4", "memory": "1Gi", "pods": "110"}, "conditions": []},
    "PersistentVolume": {"phase": "Bound"},
    "PersistentVolumeClaim": {"phase": "Bound", "accessModes": ["ReadWriteMany"]},
    "NodeBid": {"conditions": []},
    "GangJob": {
        "attempt": 1,
        "start": from_now(-10),
        "members": [{"node": "victim", "count": 2}],
        "reservedAt": from_now(-10),
        "conditions": [],
    },
}


async def is_done(request):
    """Whether the API server did as it was asked; on some odd objects it stumbles, and answers 500."""
    try:
        return (await request).is_success
    except ApiUnavailableError:
        return False


class Cup(NamedTuple):
    """One odd object, the same without what is odd, and an odd status for whichever the API server takes."""

    kind: str
    target: Target
    odd: dict
    base: dict
    status: object


class Brew:
    """Odd objects of every kind that the operator watches, and what the API server said to them."""

    def __init__(self, plane, namespace, seed):
        groups = ("/api/v1", "/apis/scheduling.k8s.io/v1", "/apis/policy/v1")
        schemas = {name: schema for group in groups for name, schema in schemas_of(plane, group).items()}
        self._plane = plane
        self._core = f"/api/v1/namespaces/{namespace}"
        self._budgets = f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets"
        self._gangs = f"{GANGS}/namespaces/{namespace}/gangjobs"
        self._odd = OddObjects({**schemas, **own_schemas(plane)}, seed)
        self.accepted = Counter()

    def pour(self, numbers):
        """Create one object of each kind for every number, and change the status of those that have one."""
        cups = [cup for number in numbers for cup in self._cups(f"odd-{number}")]
        asyncio.run(self._pour(cups))

    def _cups(self, name):
        for kind, (path, schema, base) in self._bases(name).items():
            base["metadata"]["labels"] = POISON
            odd = {**self._odd.changed(base, schema), "metadata": base["metadata"]}
            status = self._odd.status(STATUSES[kind], schema) if kind in STATUSES else None
            yield Cup(kind, Target(path, kind), odd, base, status)

    async def _pour(self, cups):
        configuration = load_configuration(kubeconfig=str(self._plane.kubeconfig), context=None)
        async with KubeClient(configuration, concurrency=AT_ONCE, observer=lambda *_: None) as client:
            await asyncio.gather(*[self._pour_one(client, cup) for cup in cups])

    async def _pour_one(self, client, cup):
        is_made = await is_done(client.create(cup.target, cup.odd))
        self.accepted.update({cup.kind: is_made})
        if cup.status is not None and (is_made or await is_done(client.create(cup.target, cup.base))):
            place = Target(f"{cup.target.path}/{cup.base['metadata']['name']}/status", cup.kind)
            self.accepted.update({f"{cup.kind} status": await is_done(client.patch(place, {"status": cup.status}))})

    def _bases(self, name):
        return {
            "Pod": (f"{self._core}/pods", "io.k8s.api.core.v1.Pod", foreign_pod(name, "victim", cpu="1m")),
            "Node": ("/api/v1/nodes", "io.k8s.api.core.v1.Node", odd_node(name)),
            "PriorityClass": (PRIORITIES, "io.k8s.api.scheduling.v1.PriorityClass", priority_class(name, 5)),
            "PodDisruptionBudget": (
                self._budgets,
                "io.k8s.api.policy.v1.PodDisruptionBudget",
                budget(name, least=1),
            ),
            "PersistentVolume": ("/api/v1/persistentvolumes", "io.k8s.api.core.v1.PersistentVolume", odd_volume(name)),
            "PersistentVolumeClaim": (
                f"{self._core}/persistentvolumeclaims",
                "io.k8s.api.core.v1.PersistentVolumeClaim",
                odd_claim(name),
            ),
            "NodeBid": (BIDS, "dev.lockstep.v1alpha1.NodeBid", bid(name, **OFFER)),
            "GangJob": (self._gangs, "dev.lockstep.v1alpha1.GangJob", gang(name, size=(2, 4), **ASKED)),
        }


def odd_node(name):
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "spec": {"taints": [{"key": "zone", "value": "a", "effect": "NoSchedule"}]},
    }


def odd_volume(name):
    terms = [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteMany"],
            "hostPath": {"path": "/tmp/x"},  # noqa: S108 - it is never mounted
            "nodeAffinity": {"required": {"nodeSelectorTerms": terms}},
        },
    }


def odd_claim(name):
    asked = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}, "volumeName": name}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": asked}
