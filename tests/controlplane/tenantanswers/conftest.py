"""A control plane whose API server hands on requests to the server of answers, and a tenant beside another one."""

import pytest

from builders.manifests import gang
from eventually import eventually
from live.arena import Arena
from live.quick_start import Forked
from live.tenant_answers import (
    HOUR,
    SECRET_GANG,
    SECRET_LASTING,
    SECRET_NAMESPACE,
    SYSTEM,
    RecorderBeside,
    Server,
    cluster_with_front,
    is_available,
    kubeconfig_of,
)
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox.pki import Authority


@pytest.fixture(scope="package")
def front(tmp_path_factory):
    """The authority of the API server's own certificate, and that certificate."""
    authority = Authority(tmp_path_factory.mktemp("front"))
    return authority, authority.issue_client("front-proxy-client")


@pytest.fixture(scope="package")
def cluster(front, tmp_path_factory):
    """A control plane whose API server hands on requests, with two nodes of four CPUs."""
    with cluster_with_front("tenants", tmp_path_factory.mktemp("sandboxes"), *front) as sandbox:
        yield sandbox


@pytest.fixture(scope="package")
def operator(cluster, tmp_path_factory):
    """An operator that publishes its settings and guards against a server that is dead.

    By default the gang that fits nowhere would hold nodes, and no other would have a start. That answers have one
    shows that these settings are used.
    """
    kubeconfig = cluster.kubeconfig_for_service_account(SYSTEM, "lockstep")
    log = tmp_path_factory.mktemp("operator") / "log"
    election = ("--leader-elect=true", f"--leader-elect-resource-namespace={SYSTEM}")
    options = (*election, "--tenant-answers=true", "--keep-nodes-free-for=0")
    with running(OperatorProcess(kubeconfig, log, *options, spawn=Forked)) as process:
        yield process


@pytest.fixture(scope="package")
def recorder(cluster, tmp_path_factory):
    recorder = RecorderBeside(cluster, tmp_path_factory.mktemp("recorder"))
    recorder.start()
    try:
        eventually(recorder.is_ready, every=0.25)
        yield recorder
    finally:
        recorder.kill()


@pytest.fixture(scope="package")
def server(cluster, operator, recorder, tmp_path_factory):
    """A server of answers that the API server reaches; the Service leads to the loopback."""
    server = Server(cluster, tmp_path_factory.mktemp("server"), recorder)
    server.make_service(cluster)
    server.start()
    try:
        eventually(lambda: is_available(cluster), every=0.25)
        yield server
    finally:
        server.kill()


@pytest.fixture(scope="package")
def arena(cluster, server):
    """A tenant's namespace whose gangs wait behind two of a namespace that it must not learn of.

    One of these ends in an hour, on two of three nodes, and the other at an unknown time.
    """
    cluster.create_namespace("tenant")
    cluster.create_namespace(SECRET_NAMESPACE)
    arena = Arena(cluster, "tenant")
    arena.add_nodes(3)
    secret = Arena(cluster, SECRET_NAMESPACE)
    secret.pool = arena.pool
    secret.submit(gang(SECRET_GANG, size=2, cpu="3", **HOUR))
    # One after the other: the first node, for which a gang below waits, is that of a gang with an end.
    secret.until_placed(SECRET_GANG)
    secret.submit(gang(SECRET_LASTING, size=1, cpu="3"))
    secret.until_placed(SECRET_LASTING)
    arena.submit(gang("mine", size=2, cpu="3", **HOUR))
    arena.submit(gang("blocked", size=3, cpu="3", **HOUR))
    pinned = gang("pinned", size=1, cpu="3", **HOUR)
    pinned["spec"]["template"]["spec"]["nodeSelector"] = {"kubernetes.io/hostname": arena.nodes[0]}
    arena.submit(pinned)
    arena.until("mine", "Planned")
    arena.until("blocked", "Planned", "False")
    return arena


@pytest.fixture(scope="package")
def editor(arena):
    return kubeconfig_of(arena.api, "tenant", "editor", "edit")


@pytest.fixture(scope="package")
def viewer(arena):
    return kubeconfig_of(arena.api, "tenant", "viewer", "view")
