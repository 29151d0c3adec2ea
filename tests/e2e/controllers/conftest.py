"""A control plane, the operator that also places pods of others, and a proxy between both."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.controllers.audit import pods_ended_by_operator
from e2e.controllers.kueue import CHECKED, Queue
from e2e.controllers.queued_jobs import Scenery
from e2e.controllers.scenes import SIZE, Stage
from failure_sections import show_beside
from live.arena import Arena
from live.background import Background
from live.pod_gangs import PodGangs
from live.proxy import Proxy, proxied
from live.quick_start import Forked
from lockstep.facts.gang.source import Source
from lockstep_demo.installing import install
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox import Component, Options, Sandbox, start

ROOT = Path(__file__).parents[3]
OPTIONS = (f"--sources={','.join(Source)}", "--sweeps=true")
ADDONS = frozenset({Component.KWOK, Component.CONTROLLER_MANAGER})
NAMESPACE_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A control plane with an audit log, with all of ours that is applied to a cluster."""
    state, audit = tmp_path_factory.mktemp("sandboxes"), tmp_path_factory.mktemp("audit")
    with start(Options(name="controllers", addons=ADDONS, state=state, audit=audit)) as sandbox:
        install(sandbox)
        sandbox.apply(ROOT / "crds" / "gangsweeps.yaml")
        for rights in ("sources", "sizing", "suspending", "sweeps"):
            sandbox.apply(ROOT / "operator" / f"rbac-{rights}.yaml")
        yield sandbox


@pytest.fixture(scope="session")
def background() -> Iterator[Background]:
    """An event loop beside the tests."""
    background = Background()
    yield background
    background.stop()


@pytest.fixture(scope="session")
def proxy(plane: Sandbox, tmp_path_factory: pytest.TempPathFactory, background: Background) -> Iterator[Proxy]:
    """What stands between the operator and the API server."""
    account = plane.kubeconfig_for_service_account("lockstep-system", "lockstep")
    with proxied(plane, account, tmp_path_factory.mktemp("proxy") / "kubeconfig", background) as proxy:
        yield proxy


@pytest.fixture(scope="session")
def operator(proxy: Proxy, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OperatorProcess]:
    """An operator that is ready."""
    log = tmp_path_factory.mktemp("operator") / "log"
    with running(OperatorProcess(proxy.kubeconfig, log, *OPTIONS, spawn=Forked)) as process:
        yield process


@pytest.fixture
def impatient(stage: Stage, proxy: Proxy, tmp_path: Path) -> Iterator[Stage]:
    """The stage with an operator that gives quota back if a start is farther away than some seconds."""
    stage.operator.stop()
    options = (*OPTIONS, "--quota-wait=10s")
    with running(OperatorProcess(proxy.kubeconfig, tmp_path / "log", *options, spawn=Forked)) as process:
        yield stage._replace(operator=process)


@pytest.fixture
def stage(plane: Sandbox, operator: OperatorProcess, proxy: Proxy) -> Iterator[Stage]:
    """A namespace and nodes of the test's own, and an undisturbed operator; empty again after the test."""
    namespace = f"test-{next(NAMESPACE_NUMBERS)}"
    plane.create_namespace(namespace)
    arena = Arena(plane, namespace)
    gangs = PodGangs(arena)
    yield Stage(arena, gangs, operator, proxy)
    proxy.reset()
    if not operator.is_alive:
        operator.start()
    gangs.close()
    arena.close()


@pytest.fixture
def evicting(plane: Sandbox) -> Iterator[None]:
    """The operator may evict pods during a test."""
    rights = ROOT / "operator" / "rbac-evicting.yaml"
    plane.apply(rights)
    yield
    plane.kubectl("delete", f"--filename={rights}")


@pytest.fixture(scope="session")
def allowed_evictions() -> set[str]:
    """The evictions that tests have asked for, as the audit log has them."""
    return set()


@pytest.fixture(autouse=True)
def nothing_ended(plane: Sandbox, allowed_evictions: set[str]) -> Iterator[None]:
    """Whatever a test does, the operator neither deletes nor evicts a pod, but those that the test allows."""
    yield
    assert {*pods_ended_by_operator(plane.audit_events())} - allowed_evictions == set()


@pytest.fixture
def members_may_end(nothing_ended: None, plane: Sandbox, allowed_evictions: set[str]) -> Iterator[None]:
    """Members of GangJobs are the operator's own pods, so it may delete them."""
    yield
    allowed_evictions |= {*pods_ended_by_operator(plane.audit_events())}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Show what the operator wrote last beside a test that failed."""
    report = yield
    played = getattr(item, "funcargs", {})
    stage = played.get("impatient", played.get("stage"))
    if report.when == "call" and report.failed and stage is not None:
        show_beside(report, "The operator's log", stage.operator.log_tail)
    return report


@pytest.fixture
def scenery(controller: None, stage: Stage) -> Iterator[Scenery]:
    """A queue of Jobs with a quota for one gang of the usual size; ``controller`` is a file's own Kueue."""
    scenery = Scenery(stage, Queue(stage.arena.api, stage.arena.namespace, cpu=SIZE, **CHECKED))
    yield scenery
    scenery.close()
