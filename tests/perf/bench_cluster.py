"""What the benchmarks run on: a control plane of their own, nodes without kubelets, the operator as a process."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from builders.manifests import gang
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import load_configuration
from lockstep_demo.installing import install
from lockstep_demo.operator_process import OperatorProcess, Spawn, running, spawn
from sandbox import Component, Options, Sandbox, generic_nodes, start

NAMESPACE = "bench"


@contextmanager
def bare_cluster(
    nodes: int, *addons: Component, flags: Mapping[Component, tuple[str, ...]] | None = None
) -> Iterator[Sandbox]:
    """An API server with these nodes, our kinds and addons, and nothing else: no kubelets, no controllers."""
    options = Options(name="bench", addons=frozenset(addons), state=Path(mkdtemp()), flags=flags or {})
    with start(options) as sandbox:
        install(sandbox)
        sandbox.request("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        sandbox.create_nodes(generic_nodes(nodes))
        _await_first_gang(sandbox)
        yield sandbox


def _await_first_gang(sandbox: Sandbox) -> None:
    """Let the 2 s go by for which the API server holds back the first object of a kind that has just been defined."""
    sandbox.request("POST", f"/apis/lockstep.dev/v1alpha1/namespaces/{NAMESPACE}/gangjobs?dryRun=All", gang("first"))


def admin_client(sandbox: Sandbox) -> KubeClient:
    """A client with all rights, as many requests at once as the operator."""
    configuration = load_configuration(kubeconfig=str(sandbox.kubeconfig), context=None)
    return KubeClient(configuration, concurrency=64, observer=lambda *_: None)


def writes(sandbox: Sandbox) -> float:
    """How many requests that write the API server has answered, by its own count."""
    lines = sandbox.kubectl("get", "--raw", "/metrics").splitlines()
    samples = (line for line in lines if line.startswith("apiserver_request_total{"))
    return sum(float(line.rsplit(" ", 1)[1]) for line in samples if re.search(r'verb="(POST|PUT|PATCH|DELETE)"', line))


@contextmanager
def operator(sandbox: Sandbox, *, spawn: Spawn = spawn) -> Iterator[OperatorProcess]:
    """The operator as users run it, under its own service account, ready."""
    kubeconfig = sandbox.kubeconfig_for_service_account("lockstep-system", "lockstep")
    with (
        TemporaryDirectory() as folder,
        running(OperatorProcess(kubeconfig, Path(folder) / "log", spawn=spawn)) as process,
    ):
        yield process
