"""The clusters on which these tests can run, by the name that ``LOCKSTEP_E2E`` gives them."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from e2e.cluster import Cluster
from e2e.cluster_dns import cluster_dns
from e2e.guard import SANDBOX
from e2e.kind_nodes import kind_nodes
from e2e.kubelet_node import KubeletNode
from e2e.kubelet_settings import LOST_AFTER_SECONDS
from e2e.kubelets import kubelets, last_words
from e2e.pod_processes import pod_processes
from e2e.service_address import service_address
from sandbox import Component, Node, Options, Sandbox, start

VARIABLE = "LOCKSTEP_E2E"
KIND_CONTEXT = "kind-lockstep"
ADDONS = frozenset({Component.KWOK, Component.CONTROLLER_MANAGER, Component.SCHEDULER})
# Kubelets are heard from, or lost; and they are asked for logs at the addresses that they have.
FLAGS_FOR_REAL_NODES = {
    Component.API_SERVER: ("--kubelet-preferred-address-types=InternalIP",),
    Component.CONTROLLER_MANAGER: (
        "--controllers=*",
        "--node-monitor-period=1s",
        f"--node-monitor-grace-period={LOST_AFTER_SECONDS}s",
    ),
}


class RealCluster(NamedTuple):
    """A cluster of nodes that are real, these by name, and the control plane of both."""

    cluster: Cluster
    nodes: Mapping[str, KubeletNode]
    sandbox: Sandbox


def named_cluster(home: Path) -> AbstractContextManager[Cluster]:
    """Return the cluster that the environment names, a sandbox without a name; ``home`` is an empty folder for it."""
    return CLUSTERS[os.environ.get(VARIABLE, "sandbox")](home)


@contextmanager
def sandbox_cluster(home: Path) -> Iterator[Cluster]:
    """A control plane of our own with the nodes of kind-config.yaml, where nothing but the operator really runs."""
    with start(Options(name="e2e", addons=ADDONS, state=home / "sandboxes")) as sandbox:
        sandbox.create_nodes(kind_nodes())
        with pod_processes(sandbox, home / "logs") as kept:
            cluster = Cluster(
                sandbox.kubeconfig,
                SANDBOX,
                image="lockstep:sandbox",
                home=home / "home",
                patience_seconds=180,
                last_words=kept.log_tails,
            )
            with closing(cluster):
                yield cluster


@contextmanager
def kind_cluster(home: Path) -> Iterator[Cluster]:
    """The cluster that `make kind-up` makes, with the image that `make e2e-kind` has loaded into it."""
    kubeconfig = Path(os.environ.get("KUBECONFIG", Path.home() / ".kube" / "config"))
    image = os.environ["LOCKSTEP_E2E_IMAGE"]
    with closing(Cluster(kubeconfig, KIND_CONTEXT, image=image, home=home, patience_seconds=300)) as cluster:
        yield cluster


@contextmanager
def kubelets_cluster(home: Path) -> Iterator[Cluster]:
    """The workers of kind-config.yaml as real nodes of a control plane of our own; `make e2e-kubelets` calls this."""
    workers = [node for node in kind_nodes() if "worker" in node.name]
    with real_cluster(home, workers) as made:
        yield made.cluster


@contextmanager
def real_cluster(home: Path, nodes: Sequence[Node], *, members: Sequence[Path] = ()) -> Iterator[RealCluster]:
    """Nodes that are real, of a control plane of our own, with names that resolve; ``members`` are images of theirs."""
    operator = Path(os.environ["LOCKSTEP_E2E_ARCHIVE"])
    options = Options(
        name="e2e", addons=ADDONS - {Component.KWOK}, flags=FLAGS_FOR_REAL_NODES, state=home / "sandboxes"
    )
    with (
        start(options) as sandbox,
        service_address(sandbox),
        cluster_dns(sandbox, home / "dns"),
        kubelets(sandbox, nodes, home / "nodes", operator=operator, members=members) as started,
    ):
        cluster = Cluster(
            sandbox.kubeconfig,
            SANDBOX,
            image=os.environ["LOCKSTEP_E2E_IMAGE"],
            home=home,
            patience_seconds=180,
            last_words=lambda: last_words(home / "nodes"),
        )
        with closing(cluster):
            yield RealCluster(cluster, started, sandbox)


CLUSTERS: Mapping[str, Callable[[Path], AbstractContextManager[Cluster]]] = {
    "sandbox": sandbox_cluster,
    "kind": kind_cluster,
    "kubelets": kubelets_cluster,
}
