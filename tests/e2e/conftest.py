"""A cluster, the pool of nodes in it, and a release of the chart."""

from collections.abc import Iterator

import pytest

from e2e.cluster import Cluster
from e2e.clusters import named_cluster
from e2e.gangs import Gangs
from e2e.installed import installed, pool_speeds
from e2e.release import Release
from failure_sections import show_beside


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The cluster that the tests run on."""
    with named_cluster(tmp_path_factory.mktemp("e2e")) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def release(cluster: Cluster) -> Iterator[Release]:
    """The chart, installed, and the offers of the pool's nodes; uninstalled in the end, with all gangs of the tests."""
    with installed(cluster) as release:
        yield release


@pytest.fixture
def gangs(cluster: Cluster, release: Release) -> Iterator[Gangs]:
    """Gangs in a namespace of the tests' own; none is left after a test."""
    del release
    gangs = Gangs(cluster)
    yield gangs
    gangs.delete_all()


@pytest.fixture(scope="module")
def pool(cluster: Cluster) -> list[str]:
    """The names of the nodes for gangs."""
    return [name for name, _ in pool_speeds(cluster)]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Show what the operators wrote last beside a test that failed."""
    report = yield
    cluster = getattr(item, "funcargs", {}).get("cluster")
    if report.failed and cluster is not None:
        show_beside(report, "The operators' logs", cluster.last_words)
    return report
