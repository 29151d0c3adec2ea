"""Every kind of owners that can be suspended, on an API server that knows it. The tests are their controllers."""

from pathlib import Path

import pytest

from builders.manifests import bid
from eventually import eventually
from live.arena import Arena
from live.kinds_of_owners import StubKind, install_kinds
from live.pod_gangs import PodGangs
from live.quick_start import Forked
from lockstep.api.podgang.owners import OWNERS
from lockstep.api.suspending.suspendable import SUSPENDABLE_KINDS
from lockstep.facts.gang.source import Source
from lockstep_demo.installing import install
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox import Component, Options, start

RIGHTS = Path(__file__).parents[3] / "operator"
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
def plane(tmp_path_factory):
    """A control plane of the file's own, since tests on the other one expect these kinds not to be there."""
    folder = tmp_path_factory.mktemp("kinds")
    with start(Options(name="kinds", addons=frozenset({Component.KWOK}), state=folder)) as api:
        install(api)
        for name in ("sources", "suspending"):
            api.apply(RIGHTS / f"rbac-{name}.yaml")
        install_kinds(api, [StubKind(one.api_version, one.kind, one.plural) for one in (*KINDS, POD_GROUP)])
        yield api


@pytest.fixture(scope="module")
def operator(plane, tmp_path_factory):
    """An operator that may suspend all of these kinds; one for all tests of the file."""
    account = plane.kubeconfig_for_service_account("lockstep-system", "lockstep")
    log = tmp_path_factory.mktemp("operator") / "log"
    with running(OperatorProcess(account, log, f"--sources={','.join(SOURCES)}", spawn=Forked)) as process:
        yield process


@pytest.fixture
def arena(plane, operator, kind):
    """A namespace and nodes of the test's own."""
    assert operator
    namespace = f"of-{kind.plural}"
    plane.create_namespace(namespace)
    arena = Arena(plane, namespace)
    yield arena
    arena.close()


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
