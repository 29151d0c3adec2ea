"""A real control plane for the tests of this folder, and the operator on it as a process of its own."""

import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from eventually import eventually
from failure_sections import show_beside
from followed.terminal import Terminal, terminal
from live.agents import RBAC
from live.arena import Arena
from live.asking import asker_in, questions
from live.background import Background
from live.examples import EXAMPLES, OFFERS
from live.last_needed import until_last_needed
from live.leftovers import shared_by_files
from live.proxy import Proxy, proxied
from live.quick_start import Forked
from live.releases import HERE
from live.watching import PodWatch, watched_pods
from lockstep_demo.installing import install
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox import Component, Options, Sandbox, generic_nodes, start
from sandbox.binaries import Tool

ROOT = Path(__file__).parents[2]
SOURCE_RIGHTS = [ROOT / "operator" / f"rbac-{name}.yaml" for name in ("sources", "sizing")]
SUSPENDING_RIGHTS = ROOT / "operator" / "rbac-suspending.yaml"
EVICTING_RIGHTS = ROOT / "operator" / "rbac-evicting.yaml"
REPLICA_SETS = "/apis/apps/v1/namespaces/{}/replicasets"
NAMESPACE_NUMBERS = itertools.count(1)
collect_ignore = [] if HERE.can_write_users else ["test_record.py"]


@pytest.fixture(scope="session")
def control_plane(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """An API server with kwok and the controller manager, without nodes; one for all tests that need a server."""
    options = Options(
        name="tests",
        addons=frozenset({Component.KWOK, Component.CONTROLLER_MANAGER}),
        state=tmp_path_factory.mktemp("sandboxes"),
        flags=HERE.flags,
    )
    with until_last_needed(pytestconfig, shared_by_files(pytestconfig, start(options))) as sandbox:
        yield sandbox


@pytest.fixture
def namespace(control_plane: Sandbox) -> str:
    """A namespace of the test's own, in which pods are admitted.

    It stays: its deletion would cost the control plane as much as twenty pods.
    """
    name = f"test-{next(NAMESPACE_NUMBERS)}"
    control_plane.create_namespace(name)
    return name


@pytest.fixture(scope="session")
def installed(control_plane: Sandbox) -> Sandbox:
    """The control plane with everything of ours that is applied to a cluster."""
    install(control_plane)
    return control_plane


@pytest.fixture(scope="session")
def agents(installed: Sandbox) -> Sandbox:
    """The control plane, on which agents may do what they may, and are confined to it."""
    installed.apply(RBAC)
    return installed


@pytest.fixture(scope="module")
def sources(installed: Sandbox) -> Iterator[Sandbox]:
    """The control plane, on which the operator may place pods of others during the tests of a file."""
    for rights in SOURCE_RIGHTS:
        installed.apply(rights)
    yield installed
    for rights in SOURCE_RIGHTS:
        installed.kubectl("delete", f"--filename={rights}")


@pytest.fixture(scope="module")
def suspending(sources: Sandbox) -> Iterator[Sandbox]:
    """The same, and the operator may suspend the owners of such pods."""
    sources.apply(SUSPENDING_RIGHTS)
    yield sources
    sources.kubectl("delete", f"--filename={SUSPENDING_RIGHTS}")


@pytest.fixture(scope="module")
def evicting(sources: Sandbox) -> Iterator[Sandbox]:
    """The control plane of ``sources``, and the operator may evict such pods."""
    sources.apply(EVICTING_RIGHTS)
    yield sources
    sources.kubectl("delete", f"--filename={EVICTING_RIGHTS}")


@pytest.fixture(scope="session")
def operator_kubeconfig(installed: Sandbox) -> Path:
    """What the operator logs in with: the rights of operator/rbac.yaml and no others."""
    return installed.kubeconfig_for_service_account("lockstep-system", "lockstep")


@pytest.fixture(scope="module")
def operator(operator_kubeconfig: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OperatorProcess]:
    """An operator that is ready; one for all tests of a file."""
    with running(
        OperatorProcess(operator_kubeconfig, tmp_path_factory.mktemp("operator") / "log", spawn=Forked)
    ) as process:
        yield process


@pytest.fixture
def arena(installed: Sandbox, namespace: str) -> Iterator[Arena]:
    """A namespace and nodes of the test's own; empty, and gone after the test."""
    arena = Arena(installed, namespace)
    yield arena
    arena.close()


@pytest.fixture
def twelve_nodes(arena: Arena) -> Iterator[Arena]:
    """The nodes of the sandbox, each with the offer of the first example; also what the examples create is deleted."""
    arena.create_nodes(generic_nodes(12))
    arena.api.apply(OFFERS)
    yield arena
    created = (f"--filename={example}" for example in EXAMPLES)
    # To wait for each of so many objects takes kubectl ten seconds. The arena waits for gangs and pods.
    arena.api.kubectl("delete", "--namespace", arena.namespace, "--ignore-not-found", "--wait=false", *created)
    eventually(lambda: not arena.api.request("GET", f"{REPLICA_SETS.format(arena.namespace)}?limit=1")["items"])


@pytest.fixture
def reader(arena: Arena, tmp_path: Path) -> Iterator[Terminal]:
    """A terminal of a user who may do everything, in an empty folder and with the arena's namespace."""
    own = tmp_path / "kubeconfig"
    shutil.copy(arena.api.kubeconfig, own)
    (tmp_path / "kubectl").symlink_to(arena.api.program(Tool.KUBECTL))
    path = os.pathsep.join([str(tmp_path), str(Path(sys.executable).parent), os.environ["PATH"]])
    free_ports = {"LOCKSTEP_RUN_LISTEN_PORT": "0", "LOCKSTEP_RUN_DEBUG_LISTEN_PORT": "0"}
    with terminal({**os.environ, **free_ports, "PATH": path, "KUBECONFIG": str(own)}, tmp_path / "terminal") as opened:
        opened.follow(f"cd {tmp_path}\nkubectl config set-context --current --namespace={arena.namespace}")
        yield opened


@pytest.fixture(scope="session")
def background() -> Iterator[Background]:
    """An event loop beside the tests."""
    background = Background()
    yield background
    background.stop()


@pytest.fixture
def pods_seen(arena: Arena, background: Background) -> Iterator[PodWatch]:
    """Everything that an observer of the arena's pods has seen since the test began."""
    with watched_pods(arena.api, arena.namespace, background) as watch:
        yield watch


@pytest.fixture(scope="module")
def proxy(
    installed: Sandbox, operator_kubeconfig: Path, tmp_path_factory: pytest.TempPathFactory, background: Background
) -> Iterator[Proxy]:
    """A proxy before the API server; an operator that logs in with its kubeconfig talks to it."""
    target = tmp_path_factory.mktemp("proxy") / "kubeconfig"
    with proxied(installed, operator_kubeconfig, target, background) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def operator_behind_proxy(proxy: Proxy, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OperatorProcess]:
    """An operator that talks to the proxy and is ready; one for all tests of a file."""
    with running(
        OperatorProcess(proxy.kubeconfig, tmp_path_factory.mktemp("operator") / "log", spawn=Forked)
    ) as process:
        yield process


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Show what the operator wrote last beside a test that failed."""
    report = yield
    operator = getattr(item, "funcargs", {}).get("operator")
    if report.failed and operator is not None:
        show_beside(report, "The operator's log", operator.log_tail)
    return report


@pytest.fixture
def kubectl(arena):
    """Run kubectl as a person in the arena's namespace does; what both outputs show."""

    def run(*arguments, manifest=""):
        where = (f"--kubeconfig={arena.api.kubeconfig}", f"--namespace={arena.namespace}")
        done = subprocess.run(
            [arena.api.program(Tool.KUBECTL), *where, *arguments],
            input=manifest,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        return done.stdout + done.stderr

    return run


@pytest.fixture
def asker(arena: Arena) -> Iterator[Path]:
    """A user with the rights that the documentation says, and with that of creating GangJobs in the arena."""
    with asker_in(arena) as kubeconfig:
        yield kubeconfig


@pytest.fixture
def ask(arena: Arena, asker: Path) -> Callable[..., Result]:
    """Ask a question in the arena's namespace, and check that nothing has been written meanwhile."""
    return questions(arena, asker)
