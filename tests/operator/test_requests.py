"""What a pod takes from its node, checked against Kubernetes' own rules."""

import pytest

from fake_cluster.manifests import container
from lockstep.watch.requests import pod_request

SIDECAR = {"restartPolicy": "Always"}


def request(*containers, init=(), status=None, is_member=False, **spec):
    whole = {"containers": list(containers), **({"initContainers": list(init)} if init else {}), **spec}
    return dict(pod_request(whole, status or {}, is_member=is_member))


def cpu(amount, **more):
    return container(**{"requests": {"cpu": amount}, **more})


@pytest.mark.parametrize(
    ("containers", "init", "want_cpu"),
    [
        pytest.param([cpu("1")], [], 1000, id="one container"),
        pytest.param([cpu("1"), cpu("500m")], [], 1500, id="containers run together"),
        pytest.param([cpu("1")], [cpu("3")], 3000, id="a larger init container runs alone"),
        pytest.param([cpu("1")], [cpu("500m")], 1000, id="a smaller init container is covered"),
        pytest.param([cpu("1")], [cpu("2"), cpu("3")], 3000, id="init containers run one after another"),
        pytest.param([cpu("1")], [cpu("2", **SIDECAR)], 3000, id="a sidecar runs beside the containers"),
        pytest.param(
            [cpu("1")], [cpu("2", **SIDECAR), cpu("4")], 6000, id="an init container runs beside an earlier sidecar"
        ),
        pytest.param(
            [cpu("1")], [cpu("4"), cpu("2", **SIDECAR)], 4000, id="an init container is over before a later sidecar"
        ),
        pytest.param(
            [cpu("1")],
            [cpu("1", **SIDECAR), cpu("1"), cpu("1", **SIDECAR), cpu("5"), cpu("1", **SIDECAR)],
            7000,
            id="sidecars add up as they start",
        ),
        pytest.param([container(limits={"cpu": "2"})], [], 2000, id="a limit without a request counts"),
        pytest.param(
            [container(requests={"cpu": "1"}, limits={"cpu": "2"})], [], 1000, id="a request counts before its limit"
        ),
        pytest.param([container()], [], None, id="what asks for nothing takes nothing"),
        pytest.param([cpu("0")], [], None, id="a request of 0 restricts nothing"),
    ],
)
def test_cpu_of_containers(containers, init, want_cpu):
    assert request(*containers, init=init).get("cpu") == want_cpu


def test_resources_peak_one_by_one():
    big_memory = container(requests={"cpu": "1", "memory": "8Gi"})
    big_cpu = container(requests={"cpu": "4", "memory": "1Gi"})

    amounts = request(big_memory, init=[big_cpu])

    assert (amounts["cpu"], amounts["memory"]) == (4000, 8 * 2**30)


def test_overhead_is_added_on_top():
    assert request(cpu("1"), init=[cpu("3")], overhead={"cpu": "250m", "memory": "64Mi"}) == {
        "cpu": 3250,
        "memory": 64 * 2**20,
        "pods": 1,
    }


def test_resources_of_the_pod_take_precedence():
    amounts = request(
        container(requests={"cpu": "1", "memory": "1Gi", "example.com/gpu": "1"}),
        resources={"requests": {"cpu": "3"}},
        overhead={"cpu": "1"},
    )

    assert amounts == {"cpu": 4000, "memory": 2**30, "example.com/gpu": 1, "pods": 1}


def test_limit_of_the_pod_counts_where_nothing_is_requested():
    assert request(container(), resources={"limits": {"cpu": "2"}})["cpu"] == 2000


def test_extended_resources_are_counted():
    assert request(container(limits={"example.com/gpu": "2"}), cpu("1"))["example.com/gpu"] == 2


def test_every_pod_takes_a_place():
    assert request(container()) == {"pods": 1}


def test_member_takes_a_slot_of_its_nodes_bid():
    assert request(container(), is_member=True) == {"pods": 1, "lockstep.dev/slots": 1}


@pytest.mark.parametrize(
    ("spec", "want_ports"),
    [
        pytest.param({"ports": [{"containerPort": 80}]}, set(), id="a port of the pod's own network"),
        pytest.param({"ports": [{"containerPort": 80, "hostPort": 8080}]}, {"tcp-8080"}, id="a host port"),
        pytest.param({"ports": [{"hostPort": 53, "protocol": "UDP"}]}, {"udp-53"}, id="a protocol"),
        pytest.param(
            {"ports": [{"hostPort": 53, "protocol": "UDP"}, {"hostPort": 53, "protocol": "TCP"}]},
            {"udp-53", "tcp-53"},
            id="protocols do not clash",
        ),
        pytest.param(
            {"ports": [{"hostPort": 53, "hostIP": "10.0.0.1"}, {"hostPort": 53, "hostIP": "10.0.0.2"}]},
            {"tcp-53"},
            id="addresses count as one",
        ),
    ],
)
def test_host_ports(spec, want_ports):
    amounts = request(container(**spec))

    assert {name for name in amounts if name != "pods"} == {f"lockstep.dev/host-port-{port}" for port in want_ports}
    assert set(amounts.values()) == {1}


def test_host_network_makes_every_port_a_host_port():
    amounts = request(container(ports=[{"containerPort": 80}]), hostNetwork=True)

    assert amounts["lockstep.dev/host-port-tcp-80"] == 1


def test_port_of_a_sidecar_counts():
    sidecar = container("log", ports=[{"hostPort": 9000}], **SIDECAR)

    assert request(container(), init=[sidecar])["lockstep.dev/host-port-tcp-9000"] == 1


@pytest.mark.parametrize(
    ("allocated", "want_cpu"),
    [
        pytest.param("3", 3000, id="shrinking: what is still allocated counts"),
        pytest.param("500m", 1000, id="growing: what is asked for counts"),
    ],
)
def test_resized_container(allocated, want_cpu):
    status = {"containerStatuses": [{"name": "main", "allocatedResources": {"cpu": allocated}}]}

    assert request(cpu("1"), status=status)["cpu"] == want_cpu


def test_resized_sidecar():
    status = {"initContainerStatuses": [{"name": "log", "allocatedResources": {"cpu": "2"}}]}

    assert request(cpu("1"), init=[cpu("1", name="log", **SIDECAR)], status=status)["cpu"] == 3000


def test_status_without_allocations_changes_nothing():
    assert request(cpu("1"), status={"containerStatuses": [{"name": "main"}]})["cpu"] == 1000
