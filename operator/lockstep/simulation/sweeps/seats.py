"""How replicas divide the nodes of clusters, by their order [C 7.4.4, 7.4.5].

The common size is the largest size that all replicas can have together. In their order, each replica gets the fastest
seat that leaves the common size to each later replica. So no replica grows at the expense of another, as the thesis
asks of a coalition.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lockstep.simulation.sweeps.sweep import StationCluster


class ReplicaSeat(NamedTuple):
    """``size`` nodes of the cluster number ``cluster``; a replica does ``rate`` mean runs a second on them."""

    cluster: int
    size: int
    rate: float


def seats(claims: int, clusters: Sequence[StationCluster], times: Mapping[int, float]) -> list[ReplicaSeat]:
    """Return a seat for each of ``claims`` replicas, or for fewer if not all have room for the smallest size."""
    left = [cluster.places for cluster in clusters]
    claims = min(claims, _holds(left, min(times)))
    common = max((size for size in times if _holds(left, size) >= claims), default=min(times))
    divided: list[ReplicaSeat] = []
    for behind in reversed(range(claims)):
        seat = max(_possible(left, clusters, times, common, behind), key=lambda one: (one.rate, -one.size))
        left[seat.cluster] -= seat.size
        divided.append(seat)
    return divided


def _holds(left: Sequence[int], size: int) -> int:
    return sum(places // size for places in left)


def _possible(
    left: Sequence[int],
    clusters: Sequence[StationCluster],
    times: Mapping[int, float],
    common: int,
    behind: int,
) -> list[ReplicaSeat]:
    """List the seats that leave ``common`` nodes to each of the ``behind`` later replicas."""
    return [
        ReplicaSeat(index, size, cluster.speed / times[size])
        for index, cluster in enumerate(clusters)
        for size in times
        if size <= left[index] and _holds([*left[:index], left[index] - size, *left[index + 1 :]], common) >= behind
    ]
