"""Every kind of owners that can be suspended, on an API server that knows it. The tests are their controllers."""

import pytest

from builders.manifests import bid
from eventually import eventually
from live.kinds_of_owners import StubKind, install_kinds
from live.pod_gangs import PodGangs
from live.quick_start import Forked
from lockstep.api.podgang.owners import OWNERS
from lockstep.api.suspending.suspendable import SUSPENDABLE_KINDS
from lockstep.facts.gang.source import Source
from lockstep_demo.operator_process import OperatorProcess, running

KINDS = [kind for kind in SUSPENDABLE_KINDS if kind.kind != "Job"]
POD_GROUP = OWNERS[Source.POD_GROUP]
MARK = "lockstep.dev/suspended-by"
# What pods say of their owner. The pods of the others have a PodGroup, which says it.
LABELS = {"JobSet": {"jobset.sigs.k8s.io/jobset-name": "heat"}, "RayCluster": {"ray.io/cluster": "heat"}}
GROUPED = {"scheduling.x-k8s.io/pod-group": "heat"}
SPECS = {
    "JobSet": {"replicatedJobs": [{"template": {"spec": {"parallelism": 2}}}]},
    "RayCluster": {"workerGroupSpecs": [{"replicas": 1}]},
}
SOURCES = (Source.JOB_SET, Source.MPI_JOB, Source.POD_GROUP, Source.RAY_CLUSTER)


@pytest.fixture(scope="module")
def operator(suspending, operator_kubeconfig, tmp_path_factory):
    """An operator that may suspend all of these kinds; one for all tests of the file, with which the kinds go."""
    install_kinds(suspending, [StubKind(one.api_version, one.kind, one.plural) for one in (*KINDS, POD_GROUP)])
    log = tmp_path_factory.mktemp("operator") / "log"
    with running(OperatorProcess(operator_kubeconfig, log, f"--sources={','.join(SOURCES)}", spawn=Forked)) as process:
        yield process


class Owner:
    """An object of one kind, whose controller the test is."""

    def __init__(self, arena, kind):
        self.arena = arena
        self.kind = kind
        self.gangs = PodGangs(arena)
        self.path = kind.target(arena.namespace, "").path.rstrip("/")

    def create(self):
        """Create the object, and its PodGroup if its pods need one."""
        made = self._create(self.path, self.kind, SPECS.get(self.kind.kind, {"any": "thing"}))
        if self.kind.kind not in LABELS:
            about = {"apiVersion": self.kind.api_version, "kind": self.kind.kind, "name": "heat", "controller": True}
            groups = POD_GROUP.target(self.arena.namespace, "").path.rstrip("/")
            self._create(
                groups, POD_GROUP, {"minMember": 2}, ownerReferences=[{**about, "uid": made["metadata"]["uid"]}]
            )

    def _create(self, path, kind, spec, **metadata):
        manifest = {
            "apiVersion": kind.api_version,
            "kind": kind.kind,
            "metadata": {"name": "heat", **metadata},
            "spec": spec,
        }
        return self.arena.api.request("POST", path, manifest)

    def make_pods(self, *names):
        """Create pods as the controller of that kind labels them."""
        for name in names:
            template = self.gangs.template("")
            labels = LABELS.get(self.kind.kind, GROUPED)
            self.arena.create(
                {"apiVersion": "v1", "kind": "Pod", **template, "metadata": {"name": name, "labels": labels}}
            )

    def node_of(self, name):
        """The node of a pod; '' while it has none."""
        found = self.arena.api.request("GET", f"{self.arena.core}/pods/{name}")
        return found["spec"].get("nodeName", "")

    def is_suspended(self):
        """Whether the object is suspended, and whether it has the operator's mark."""
        found = self.arena.api.request("GET", f"{self.path}/heat")
        return self.kind.is_suspended(found), MARK in found["metadata"].get("labels", {})


@pytest.mark.usefixtures("operator")
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
def test_owner_is_suspended_until_its_pods_have_left_a_node_whose_owner_is_back(arena, kind):
    owner = Owner(arena, kind)
    arena.add_nodes(2, cpu="1")
    owner.create()
    owner.make_pods("a", "b")
    eventually(lambda: owner.node_of("a") and owner.node_of("b"))

    arena.create(bid(owner.node_of("a"), onReturn="Evict", gracePeriodSeconds=0, ownerPresent=True))
    eventually(lambda: owner.is_suspended() == (True, True))
    for name in "ab":
        arena.delete_pod(name)
    eventually(lambda: owner.is_suspended() == (False, False))

    arena.add_nodes(1, cpu="1")
    owner.make_pods("c", "d")
    eventually(lambda: owner.node_of("c") and owner.node_of("d"))
