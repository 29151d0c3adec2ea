"""A cluster, the pool of nodes in it, and a release of the chart."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from e2e.cluster import POOL, SPEED_LABEL, Cluster
from e2e.clusters import named_cluster
from e2e.gangs import NAMESPACE, Gangs, bids
from e2e.release import Release


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The cluster that the tests run on."""
    with named_cluster(tmp_path_factory.mktemp("e2e")) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def release_values() -> tuple[str, ...]:
    """What the release is told beside values.yaml."""
    return ()


@pytest.fixture(scope="session")
def release(cluster: Cluster, release_values: tuple[str, ...]) -> Iterator[Release]:
    """The chart, installed, and the offers of the pool's nodes; uninstalled in the end, with all gangs of the tests."""
    release = Release(cluster, release_values)
    with ExitStack() as leaving:
        leaving.callback(release.uninstall)
        release.install()
        cluster.kubectl("create", "namespace", NAMESPACE)
        leaving.callback(cluster.delete, "namespace", NAMESPACE)
        cluster.until(lambda: cluster.has("serviceaccount", "default", f"--namespace={NAMESPACE}"))
        cluster.apply(*bids(pool_speeds(cluster)))
        yield release


@pytest.fixture
def gangs(cluster: Cluster, release: Release) -> Iterator[Gangs]:
    """Gangs in a namespace of the tests' own; none is left after a test."""
    del release
    gangs = Gangs(cluster)
    yield gangs
    gangs.delete_all()


@pytest.fixture(scope="session")
def pool(cluster: Cluster) -> list[str]:
    """The names of the nodes for gangs."""
    return [name for name, _ in pool_speeds(cluster)]


def pool_speeds(cluster: Cluster) -> list[tuple[str, str]]:
    """Return the nodes for gangs, each with the speed that its label says, by name."""
    nodes = cluster.items("nodes", f"--selector={POOL}")
    return sorted((node["metadata"]["name"], node["metadata"]["labels"][SPEED_LABEL]) for node in nodes)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Show what the operators wrote last beside a test that failed."""
    report = yield
    cluster = getattr(item, "funcargs", {}).get("cluster")
    if report.failed and cluster is not None:
        report.sections.append(("The operators' logs", cluster.last_words()))
    return report
