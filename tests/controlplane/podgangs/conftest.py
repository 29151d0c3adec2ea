"""An operator that also places pods of others, and the Gangs of a test."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from live.arena import Arena
from live.pod_gangs import PodGangs
from live.proxy import Proxy
from live.quick_start import Forked
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox import Sandbox

Running = Callable[[str], AbstractContextManager[OperatorProcess]]


@pytest.fixture(scope="module")
def operator(request: pytest.FixtureRequest, sources: Sandbox, with_sources: Running) -> Iterator[OperatorProcess]:
    """An operator that is ready; one for all tests of a file, which may name its ``SOURCES``."""
    assert sources
    with with_sources(getattr(request.module, "SOURCES", "all")) as process:
        yield process


@pytest.fixture(scope="module")
def with_sources(operator_kubeconfig: Path, tmp_path_factory: pytest.TempPathFactory) -> Running:
    """Run an operator with these sources."""
    log = tmp_path_factory.mktemp("operator") / "log"
    return lambda sources: running(OperatorProcess(operator_kubeconfig, log, f"--sources={sources}", spawn=Forked))


@pytest.fixture(scope="module")
def behind_proxy(proxy: Proxy, tmp_path_factory: pytest.TempPathFactory) -> Running:
    """Run an operator with these sources that talks to the proxy."""
    log = tmp_path_factory.mktemp("operator") / "log"
    return lambda sources: running(OperatorProcess(proxy.kubeconfig, log, f"--sources={sources}", spawn=Forked))


@pytest.fixture(autouse=True)
def undisturbed(request: pytest.FixtureRequest) -> Iterator[None]:
    """Disturb nothing after the test."""
    proxy = request.getfixturevalue("proxy") if "proxy" in request.fixturenames else None
    yield
    if proxy is not None:
        proxy.reset()


@pytest.fixture
def gangs(arena: Arena) -> Iterator[PodGangs]:
    """The Gangs of the test's own."""
    gangs = PodGangs(arena)
    yield gangs
    gangs.close()
