"""By which resource the use of a group is measured: the one of which its gangs hold the largest part."""

from dataclasses import replace

import pytest

from builders.facts import node_fact
from lockstep.api.pool import ALL_NODES
from lockstep.belief.shares.pool_capacity import PoolCapacity

GPU = "nvidia.com/gpu"
RESOURCES = {"cpu": 8000, "memory": 64, "pods": 10, "ephemeral-storage": 10}


def capacity():
    """Two nodes, of which one has devices."""
    plain, with_devices = tuple(RESOURCES.items()), (*RESOURCES.items(), (GPU, 4))
    nodes = {name: replace(node_fact(name), allocatable=its) for name, its in (("n1", plain), ("n2", with_devices))}
    made = PoolCapacity(nodes, ALL_NODES)
    made.update(0.0)
    return made


@pytest.mark.parametrize(
    ("members", "want"),
    [
        pytest.param([({"cpu": 4000, "memory": 8}, 1)], 4000 / 16000, id="cpu"),
        pytest.param([({"cpu": 1000, "memory": 32}, 2)], 64 / 128, id="memory"),
        pytest.param([({"cpu": 1000, GPU: 1}, 3)], 3 / 4, id="devices"),
        pytest.param([({"cpu": 4000}, 1), ({"cpu": 8000, "memory": 8}, 1)], 12000 / 16000, id="several roles"),
        pytest.param([({"cpu": 800, "pods": 1, "ephemeral-storage": 19}, 1)], 800 / 16000, id="what does not count"),
        pytest.param([({"cpu": 9000}, 2)], 1.0, id="all at most"),
        pytest.param([({"example.com/unknown": 5}, 1)], 0.0, id="what no node has"),
        pytest.param([], 0.0, id="nothing"),
    ],
)
def test_part_is_the_largest_of_any_resource_that_counts(members, want):
    assert capacity().part((tuple(request.items()), count) for request, count in members) == want
