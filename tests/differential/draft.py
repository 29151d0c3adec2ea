"""One case of the comparison: a node, what stands around it, and a pod that may go to that node only."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

Manifest = dict[str, Any]

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
IMAGE = "registry.k8s.io/pause:3.10"
NODE_AMOUNTS = {"cpu": "4", "memory": "8Gi", "ephemeral-storage": "8Gi", "pods": "20"}


def container(name: str, **more: Any) -> Manifest:
    """A container that asks for nothing."""
    return {"name": name, "image": IMAGE, **more}


def a_node(name: str, zone: str) -> Manifest:
    """A node that is ready and has room."""
    condition = {"type": "Ready", "status": "True", "reason": "Test", "message": "it is"}
    return {
        "metadata": {"name": name, "labels": {HOSTNAME: name, ZONE: zone}},
        "spec": {"taints": []},
        "status": {"allocatable": dict(NODE_AMOUNTS), "capacity": dict(NODE_AMOUNTS), "conditions": [condition]},
    }


@dataclass
class Draft:
    """The objects of one case; features change them before they are created. Every name begins with ``case``.

    ``near`` is a node in the zone of ``node``. ``pods`` are others' pods, with the statuses that they are given once
    they exist, and the names of those that are deleted but never go. ``objects`` are of kinds created before pods,
    ``preemptors`` pods for which kube-scheduler has to make room on the node.
    """

    case: str
    node: Manifest = field(init=False)
    near: Manifest = field(init=False)
    pods: list[Manifest] = field(default_factory=list)
    statuses: dict[str, Manifest] = field(default_factory=dict)
    deleting: set[str] = field(default_factory=set)
    objects: list[Manifest] = field(default_factory=list)
    preemptors: list[Manifest] = field(default_factory=list)
    template: Manifest = field(init=False)
    is_completed_by_admission: bool = False

    def __post_init__(self) -> None:
        zone = f"{self.case}-zone"
        self.node, self.near = a_node(self.case, zone), a_node(f"{self.case}-near", zone)
        main = container("main", resources={"requests": {"cpu": "500m"}})
        self.template = {"metadata": {"labels": {"app": "probe", "case": self.case}}, "spec": {"containers": [main]}}

    @property
    def spec(self) -> Manifest:
        """The pod spec of the template."""
        spec: Manifest = self.template["spec"]
        return spec

    @property
    def main(self) -> Manifest:
        """The template's container."""
        main: Manifest = self.spec["containers"][0]
        return main

    def add_pod(self, *, near: bool = False, namespace: str = "ours", **more: Any) -> Manifest:
        """A foreign pod on the node, or on the one near it."""
        node = self.near if near else self.node
        name = f"{self.case}-other-{len(self.pods)}"
        spec = {
            "nodeName": node["metadata"]["name"],
            "containers": [container("main", resources={"requests": {"cpu": "500m"}})],
            **deepcopy(more),
        }
        labels = {"app": "other", "case": self.case}
        pod = {"metadata": {"name": name, "namespace": namespace, "labels": labels}, "spec": spec}
        self.pods.append(pod)
        return pod

    def pin(self) -> None:
        """Let the template's pod go to the node only."""
        here = {"key": "metadata.name", "operator": "In", "values": [self.case]}
        affinity = self.spec.setdefault("affinity", {}).setdefault("nodeAffinity", {})
        terms = affinity.setdefault(REQUIRED, {"nodeSelectorTerms": [{}]})["nodeSelectorTerms"]
        for term in terms:
            term.setdefault("matchFields", []).append(here)


class Feature(NamedTuple):
    """Something that a case has; ``text`` says what, with its numbers."""

    text: str
    apply: Callable[[Draft], None]


Maker = Callable[[Random], Feature]


class Case(NamedTuple):
    """A draft's features, which can be dropped one by one."""

    features: tuple[Feature, ...]

    def draft(self, name: str) -> Draft:
        """Make the objects, under names that begin so."""
        draft = Draft(name)
        for feature in self.features:
            feature.apply(draft)
        draft.pin()
        return draft

    def without(self, number: int) -> "Case":
        """The same without one of its features."""
        return Case(self.features[:number] + self.features[number + 1 :])


def random_case(rnd: Random, groups: Sequence[Sequence[Maker]]) -> Case:
    """A case of a few features of two groups."""
    chosen = rnd.sample(groups, 2)
    return Case(tuple(rnd.choice(rnd.choice(chosen))(rnd) for _ in range(rnd.randint(2, 7))))
