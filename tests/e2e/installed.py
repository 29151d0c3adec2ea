"""A release that tests begin with: the chart, installed, a namespace for gangs, and offers of the pool's nodes."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from e2e.cluster import POOL, SPEED_LABEL, Cluster
from e2e.gangs import NAMESPACE, bids
from e2e.release import Release


@contextmanager
def installed(cluster: Cluster, values: Sequence[str] = ()) -> Iterator[Release]:
    """Install the chart with these values; in the end nothing of it is left, nor of the tests' gangs."""
    release = Release(cluster, values)
    with ExitStack() as leaving:
        leaving.callback(cluster.delete, "namespace", NAMESPACE)
        leaving.callback(release.uninstall)
        release.install()
        cluster.kubectl("create", "namespace", NAMESPACE)
        # Its end takes as long as that of the release, beside which it comes.
        leaving.callback(cluster.delete, "namespace", NAMESPACE, "--wait=false")
        cluster.until(lambda: cluster.has("serviceaccount", "default", f"--namespace={NAMESPACE}"))
        cluster.apply(*bids(pool_speeds(cluster)))
        yield release


def pool_speeds(cluster: Cluster) -> list[tuple[str, str]]:
    """Return the nodes for gangs, each with the speed that its label says, by name."""
    nodes = cluster.items("nodes", f"--selector={POOL}")
    return sorted((node["metadata"]["name"], node["metadata"]["labels"][SPEED_LABEL]) for node in nodes)
