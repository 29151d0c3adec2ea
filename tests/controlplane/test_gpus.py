"""GPUs in a namespace with a LimitRange: what admission makes of the members is what is planned, and what is bound."""

import pytest

from builders.manifests import POOL_LABEL, gang
from live.examples import documents_of, example_of
from sandbox import Node

pytestmark = pytest.mark.usefixtures("operator")

GPU = "nvidia.com/gpu"
ALLOCATABLE = {"cpu": "8", "memory": "16Gi", "pods": "110", GPU: "4"}
EXAMPLE = example_of("22-gpus")
LIMITS = {
    "type": "Container",
    "max": {GPU: "2"},
    # Without this, who asks for no GPU would get the maximum.
    "default": {"cpu": "4", "memory": "6Gi", GPU: "1"},
}


@pytest.fixture
def lab(arena):
    """Four nodes with 4 GPUs and 8 cpu each, and a namespace with a LimitRange for cpu, memory and GPUs."""
    names = [f"{arena.pool}-n{number:02}" for number in range(1, 5)]
    arena.create_nodes(Node(name=name, labels={POOL_LABEL: arena.pool}, allocatable=ALLOCATABLE) for name in names)
    metadata = {"name": "limits"}
    arena.create({"apiVersion": "v1", "kind": "LimitRange", "metadata": metadata, "spec": {"limits": [LIMITS]}})
    return arena


def asking(gpus, **more):
    """A container that asks for so many GPUs, and for nothing else but ``more``."""
    return {"resources": {"limits": {GPU: str(gpus), **more}}}


def test_size_and_nodes_are_those_of_what_admission_makes(lab):
    [example] = documents_of(EXAMPLE, "GangJob")

    lab.submit(example)

    lab.until_placed("gpus")
    changed = lab.condition("gpus", "Accepted")
    assert (changed["status"], changed["reason"]) == ("True", "ChangedByAdmission")
    assert "cpu" in changed["message"]
    assert lab.nodes_of("gpus") == sorted(2 * lab.nodes)
    for pod in lab.pods("gpus"):
        [container] = pod["spec"]["containers"]
        assert container["resources"]["requests"] == {"cpu": "4", "memory": "6Gi", GPU: "1"}


def test_gpus_bound_the_size_where_there_is_cpu_enough(lab):
    lab.submit(gang("wide", size=(1, 16), container=asking(2, cpu="1", memory="1Gi"), work={"serialTime": "10m"}))

    lab.until_placed("wide")

    assert lab.nodes_of("wide") == sorted(2 * lab.nodes)


def test_container_that_asks_for_no_gpu_gets_the_default(lab):
    lab.submit(gang("frugal", size=(1, 20), cpu="100m", work={"serialTime": "10m"}))

    lab.until_placed("frugal")

    # One GPU each, by default, and 4 cpu and 6Gi are what they may use, not what they ask for.
    assert "nvidia.com/gpu" in lab.condition("frugal", "Accepted")["message"]
    assert {pod["spec"]["containers"][0]["resources"]["requests"][GPU] for pod in lab.pods("frugal")} == {"1"}


def test_more_than_a_container_may_have_is_refused_with_the_numbers(lab):
    lab.submit(gang("greedy", size=2, container=asking(4)))

    refused = lab.until("greedy", "Accepted", "False", "TemplateRefused")

    assert "maximum nvidia.com/gpu usage per Container is 2, but limit is 4" in refused["message"]
    assert lab.pods("greedy") == []
