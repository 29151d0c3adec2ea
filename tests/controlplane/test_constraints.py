"""Members go only where their pod may: one case a kind of constraint; the tables are beside the engine."""

import pytest

from builders.manifests import foreign_pod, gang
from eventually import eventually
from sandbox import Taint, TaintEffect

pytestmark = pytest.mark.usefixtures("operator")

DEDICATED = Taint(key="dedicated", value="gpu", effect=TaintEffect.NO_SCHEDULE)
TOLERATION = {"key": "dedicated", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"}


def affinity(**term):
    return {
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}
    }


def test_tainted_node_is_left_alone(arena):
    arena.add_nodes(1, taints=(DEDICATED,))
    [free] = arena.add_nodes(1)

    arena.submit(gang("heat", size=(1, 8), work={"serialTime": "1h"}))

    arena.until_placed("heat")
    assert set(arena.nodes_of("heat")) == {free}


def test_tainted_node_is_used_by_gangs_that_tolerate_it(arena):
    [tainted] = arena.add_nodes(1, taints=(DEDICATED,))

    arena.submit(gang("heat", pod={"tolerations": [TOLERATION]}))

    arena.until_placed("heat")
    assert set(arena.nodes_of("heat")) == {tainted}


def test_node_that_is_only_better_avoided_is_used(arena):
    taint = Taint(key="dedicated", effect=TaintEffect.PREFER_NO_SCHEDULE)
    arena.add_nodes(1, taints=(taint,))

    arena.submit(gang("heat"))

    arena.until_placed("heat")


def test_selector_is_obeyed(arena):
    arena.add_nodes(1)
    [fast] = arena.add_nodes(1, labels={"speed": "fast"})

    arena.submit(gang("heat", size=4, pod={"nodeSelector": {"speed": "fast"}}))

    arena.until_placed("heat")
    assert set(arena.nodes_of("heat")) == {fast}


def test_affinity_to_labels_is_obeyed(arena):
    arena.add_nodes(1, labels={"generation": "3"})
    [new] = arena.add_nodes(1, labels={"generation": "7"})

    term = {"matchExpressions": [{"key": "generation", "operator": "Gt", "values": ["5"]}]}
    arena.submit(gang("heat", size=4, pod=affinity(**term)))

    arena.until_placed("heat")
    assert set(arena.nodes_of("heat")) == {new}


def test_affinity_to_a_name_is_obeyed(arena):
    _, named, _ = arena.add_nodes(3)

    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [named]}]}
    arena.submit(gang("heat", size=4, pod=affinity(**term)))

    arena.until_placed("heat")
    assert set(arena.nodes_of("heat")) == {named}


def test_members_with_a_host_port_share_no_node(arena):
    nodes = arena.add_nodes(3)

    arena.submit(gang("heat", size=3, container={"ports": [{"containerPort": 80, "hostPort": 8080}]}))

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == nodes


def test_host_port_of_another_gang_is_in_the_way(arena):
    arena.add_nodes(2)
    port = {"ports": [{"containerPort": 80, "hostPort": 8080}]}
    arena.submit(gang("heat", size=1, container=port))
    arena.until_placed("heat")

    arena.submit(gang("second", size=2, container=port))

    arena.until("second", "Placed", "False", "HoldsNodes")


def test_node_whose_pods_want_no_member_near_them_is_left_alone(arena):
    taken, free = arena.add_nodes(2)
    selector = {"matchExpressions": [{"key": "lockstep.dev/gang", "operator": "Exists"}]}
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": selector}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    arena.create(foreign_pod("shy", taken, affinity={"podAntiAffinity": required}))

    arena.submit(gang("heat", size=(1, 8), work={"serialTime": "1h"}))

    arena.until_placed("heat")
    assert set(arena.nodes_of("heat")) == {free}


def test_disk_named_in_the_template_is_on_a_node_once(arena):
    nodes = arena.add_nodes(2)

    arena.submit(gang("heat", pod={"volumes": [{"name": "disk", "gcePersistentDisk": {"pdName": "one"}}]}))

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == nodes


def test_node_holds_no_more_pods_than_it_says(arena):
    [node] = arena.add_nodes(1)
    arena.api.request("PATCH", f"/api/v1/nodes/{node}/status", {"status": {"allocatable": {"pods": "3"}}})

    arena.submit(gang("heat", size=(1, 4), cpu="100m", work={"serialTime": "1h"}))

    arena.until_placed("heat")
    assert arena.status("heat")["size"] == 3


def test_extended_resource_is_counted(arena):
    arena.add_nodes(1)
    [gpus] = arena.add_nodes(1)
    arena.api.request("PATCH", f"/api/v1/nodes/{gpus}/status", {"status": {"allocatable": {"example.com/gpu": "2"}}})
    one_gpu = {"resources": {"requests": {"cpu": "1"}, "limits": {"example.com/gpu": "1"}}}

    arena.submit(gang("heat", size=(1, 4), container=one_gpu, work={"serialTime": "1h"}))

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == [gpus, gpus]


def test_cordoned_node_is_used_once_it_is_uncordoned(arena):
    [node] = arena.add_nodes(1)
    arena.api.request("PATCH", f"/api/v1/nodes/{node}", {"spec": {"unschedulable": True}})
    arena.submit(gang("heat"))
    arena.until("heat", "Placed", "False", "NoNodeFits")

    arena.api.request("PATCH", f"/api/v1/nodes/{node}", {"spec": {"unschedulable": None}})

    arena.until_placed("heat")


def test_node_that_is_not_ready_is_used_once_it_is(arena):
    [node] = arena.add_nodes(1)
    say_ready(arena, node, "False")
    arena.submit(gang("heat"))
    arena.until("heat", "Placed", "False", "NoNodeFits")

    say_ready(arena, node, "True")

    arena.until_placed("heat")


def test_node_that_joins_makes_room(arena):
    arena.add_nodes(1, cpu="1")
    arena.submit(gang("heat"))
    arena.until("heat", "Placed", "False", "NotEnoughRoom")

    arena.add_nodes(1, cpu="1")

    arena.until_placed("heat")


def test_limits_without_requests_count(arena):
    arena.add_nodes(1, cpu="3")
    limit = {"resources": {"limits": {"cpu": "2"}}}

    arena.submit(gang("heat", size=(1, 3), container=limit, work={"serialTime": "1h"}))

    arena.until_placed("heat")
    assert arena.status("heat")["size"] == 1


def test_template_as_jobs_have_them_lands(arena):
    arena.add_nodes(1, cpu="4")
    job_like = gang(
        "heat",
        size=(1, 16),
        cpu=0.5,
        container={
            "resources": {"requests": {"cpu": 0.5, "memory": 1e6}},
            "env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}],
            "ports": [{"containerPort": 80}, {"containerPort": 80}],
        },
        work={"serialTime": "1h"},
    )
    job_like["spec"]["template"]["metadata"] |= {"name": "mine", "creationTimestamp": None}

    arena.submit(job_like)

    arena.until_placed("heat")
    assert [pod["metadata"]["name"] for pod in arena.pods("heat")] == [f"heat-1-{rank}" for rank in range(8)]


def test_init_container_that_needs_more_than_the_others_counts(arena):
    arena.add_nodes(1, cpu="4")
    init = {"name": "init", "image": "registry.k8s.io/pause:3.10", "resources": {"requests": {"cpu": "2"}}}

    arena.submit(gang("heat", size=(1, 4), pod={"initContainers": [init]}, work={"serialTime": "1h"}))

    arena.until_placed("heat")
    assert arena.status("heat")["size"] == 2


def say_ready(arena, node, value):
    """Let a node say whether it is ready, and wait until it is seen."""
    condition = {"type": "Ready", "status": value, "reason": "Test", "message": "the test says so"}
    path = f"/api/v1/nodes/{node}"
    arena.api.request("PATCH", f"{path}/status", {"status": {"conditions": [condition]}})
    eventually(lambda: arena.api.request("GET", path)["status"]["conditions"][0]["status"] == value)
