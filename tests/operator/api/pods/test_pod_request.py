"""What a pod takes from its node, checked against Kubernetes' own rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.served import container
from lockstep.api.pods.pod_request import cpu_beside_containers, pod_limits, pod_request
from lockstep.facts.columns import WHOLE

SIDECAR = {"restartPolicy": "Always"}
INFEASIBLE = {"conditions": [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}]}
DEFERRED = {"conditions": [{"type": "PodResizePending", "status": "True", "reason": "Deferred"}]}


def request(*containers, init=(), status=None, is_member=False, **spec):
    whole = {"containers": list(containers), **({"initContainers": list(init)} if init else {}), **spec}
    return dict(pod_request(whole, status or {}, is_member=is_member))


def resized(in_force, allocated):
    return {"resources": {"requests": {"cpu": in_force}}, "allocatedResources": {"cpu": allocated}}


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


def test_limit_of_the_pod_is_no_request_where_its_containers_ask_for_less():
    amounts = request(cpu("1"), cpu("500m"), resources={"limits": {"cpu": "4", "memory": "1Gi"}})

    assert amounts == {"cpu": 1500, "memory": 2**30, "pods": 1}


def test_container_that_asks_for_nothing_of_a_resource_asks_for_it():
    assert "cpu" not in request(cpu("0"), resources={"limits": {"cpu": "4"}})


def test_huge_pages_of_the_pod_are_taken_whole():
    pages = {"hugepages-2Mi": "2Mi"}

    amounts = request(container(requests=pages, limits=pages), resources={"limits": {"hugepages-2Mi": "6Mi"}})

    assert amounts["hugepages-2Mi"] == 6 * 2**20


def test_extended_resources_are_counted():
    assert request(container(limits={"example.com/gpu": "2"}), cpu("1"))["example.com/gpu"] == 2


def test_every_pod_takes_a_place():
    assert request(container()) == {"pods": 1}


def test_member_takes_a_slot_of_its_nodes_bid():
    assert request(container(), is_member=True) == {"pods": 1, "bid slots": 1}


@pytest.mark.parametrize(
    ("ports", "want"),
    [
        pytest.param([{"containerPort": 80}], {}, id="a port of the pod's own network"),
        pytest.param([{"containerPort": 80, "hostPort": 8080}], {"TCP 8080": WHOLE}, id="a host port"),
        pytest.param([{"hostPort": 53, "protocol": "UDP"}], {"UDP 53": WHOLE}, id="a protocol"),
        pytest.param([{"hostPort": 53, "hostIP": "0.0.0.0"}], {"TCP 53": WHOLE}, id="all addresses, spelt out"),  # noqa: S104
        pytest.param(
            [{"hostPort": 53, "protocol": "UDP"}, {"hostPort": 53, "protocol": "TCP"}],
            {"UDP 53": WHOLE, "TCP 53": WHOLE},
            id="protocols do not clash",
        ),
        pytest.param(
            [{"hostPort": 53, "hostIP": "10.0.0.1"}, {"hostPort": 53, "hostIP": "10.0.0.2"}],
            {"TCP 53": 1, "TCP 53 on 10.0.0.1": WHOLE, "TCP 53 on 10.0.0.2": WHOLE},
            id="addresses share the port",
        ),
        pytest.param(
            [{"hostPort": 53, "hostIP": "10.0.0.1"}, {"hostPort": 53}],
            {"TCP 53": WHOLE, "TCP 53 on 10.0.0.1": WHOLE},
            id="one address and all",
        ),
    ],
)
def test_host_ports(ports, want):
    amounts = request(container(ports=ports))

    assert amounts == {"pods": 1, **{f"host port {port}": amount for port, amount in want.items()}}


def test_host_network_makes_every_port_a_host_port():
    amounts = request(container(ports=[{"containerPort": 80}]), hostNetwork=True)

    assert amounts["host port TCP 80"] == WHOLE


def test_port_of_a_sidecar_counts():
    sidecar = container("log", ports=[{"hostPort": 9000}], **SIDECAR)

    assert request(container(), init=[sidecar])["host port TCP 9000"] == WHOLE


def test_port_of_an_init_container_is_free_again_when_the_pod_runs():
    init = container("prepare", ports=[{"hostPort": 9000}])

    assert request(container(), init=[init]) == {"pods": 1}


@pytest.mark.parametrize(
    ("volume", "want"),
    [
        pytest.param({"emptyDir": {}}, {}, id="nothing that others could want"),
        pytest.param({"gcePersistentDisk": {"pdName": "a"}}, {"GCE a": WHOLE}, id="a GCE disk"),
        pytest.param({"gcePersistentDisk": {"pdName": "a", "readOnly": True}}, {"GCE a": 1}, id="read by several"),
        pytest.param({"awsElasticBlockStore": {"volumeID": "a", "readOnly": True}}, {"EBS a": WHOLE}, id="EBS"),
        pytest.param({"iscsi": {"iqn": "a", "lun": 1}}, {"iSCSI a": WHOLE}, id="iSCSI, whatever the LUN"),
        pytest.param({"iscsi": {"iqn": "a", "readOnly": True}}, {"iSCSI a": 1}, id="iSCSI that is read"),
        pytest.param(
            {"rbd": {"monitors": ["m", "n"], "image": "a"}},
            {"RBD rbd/a at m": WHOLE, "RBD rbd/a at n": WHOLE},
            id="RBD, of the default pool",
        ),
        pytest.param(
            {"rbd": {"monitors": ["m"], "image": "a", "pool": "p", "readOnly": True}},
            {"RBD p/a at m": 1},
            id="RBD that is read",
        ),
    ],
)
def test_disks(volume, want):
    amounts = request(container(), volumes=[{"name": "v", **volume}])

    assert amounts == {"pods": 1, **{f"disk {disk}": amount for disk, amount in want.items()}}


def test_restart_of_all_containers_needs_a_node_that_declares_it():
    rule = {"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [42]}}

    amounts = request(container(restartPolicyRules=[rule]))

    assert amounts == {"pods": 1, "declared feature RestartAllContainersOnContainerExits": 1}
    assert request(container(restartPolicyRules=[{"action": "Restart"}])) == {"pods": 1}


def test_resource_named_like_a_column_of_ours_is_another():
    amounts = request(container(requests={"lockstep.dev/slots": "3"}), is_member=True)

    assert amounts == {"lockstep.dev/slots": 3, "bid slots": 1, "pods": 1}


@pytest.mark.parametrize(
    ("status", "want_cpu"),
    [
        pytest.param(resized("1", "3"), 3000, id="shrinking: what is still allocated counts"),
        pytest.param(resized("3", "1"), 3000, id="shrinking: what is still in force counts"),
        pytest.param(resized("500m", "500m"), 1000, id="growing: what is asked for counts"),
        pytest.param(resized("500m", "700m") | INFEASIBLE, 700, id="infeasible: what is asked for does not count"),
        pytest.param(resized("500m", "700m") | DEFERRED, 1000, id="deferred: what is asked for counts"),
        pytest.param({"allocatedResources": {"cpu": "3"}}, 1000, id="nothing is in force yet"),
    ],
)
def test_resized_container(status, want_cpu):
    of_container = {"name": "main", **{key: value for key, value in status.items() if key != "conditions"}}
    conditions = {"conditions": status["conditions"]} if "conditions" in status else {}

    assert request(cpu("1"), status={"containerStatuses": [of_container], **conditions})["cpu"] == want_cpu


def test_resized_sidecar():
    status = {"initContainerStatuses": [{"name": "log", **resized("1", "2")}]}

    assert request(cpu("1"), init=[cpu("1", name="log", **SIDECAR)], status=status)["cpu"] == 3000


def test_init_container_that_is_no_sidecar_is_not_resized():
    status = {"initContainerStatuses": [{"name": "prepare", **resized("5", "5")}]}

    assert request(cpu("1"), init=[cpu("2", name="prepare")], status=status)["cpu"] == 2000


@pytest.mark.parametrize(
    ("status", "want_cpu"),
    [
        pytest.param(resized("1", "3"), 3000, id="shrinking"),
        pytest.param(resized("500m", "500m"), 1000, id="growing"),
        pytest.param(resized("500m", "700m") | INFEASIBLE, 700, id="infeasible"),
        pytest.param({"allocatedResources": {"cpu": "3"}}, 1000, id="nothing is in force yet"),
    ],
)
def test_resized_pod(status, want_cpu):
    amounts = request(container(), resources={"requests": {"cpu": "1"}}, status=status)

    assert amounts["cpu"] == want_cpu


def test_status_without_allocations_changes_nothing():
    assert request(cpu("1"), status={"containerStatuses": [{"name": "main"}]})["cpu"] == 1000


def limited(**limits):
    return {**container(), "resources": {"limits": limits}}


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        pytest.param({"containers": [container(requests={"cpu": "1"})]}, {}, id="requests alone"),
        pytest.param(
            {"containers": [limited(cpu="1"), limited(cpu="2", memory="1")]}, {"cpu": 3000, "memory": 1}, id="a sum"
        ),
        pytest.param(
            {"containers": [limited(cpu="1")], "initContainers": [limited(cpu="5")]}, {"cpu": 5000}, id="a large start"
        ),
        pytest.param(
            {"containers": [limited(cpu="1")], "initContainers": [limited(cpu="5") | SIDECAR]},
            {"cpu": 6000},
            id="a sidecar",
        ),
        pytest.param(
            {"containers": [limited(cpu="1")], "resources": {"limits": {"cpu": "3"}}}, {"cpu": 3000}, id="the whole pod"
        ),
        pytest.param(
            {"containers": [limited(cpu="1")], "overhead": {"cpu": "250m", "memory": "1Mi"}},
            {"cpu": 1250},
            id="overhead of what is limited",
        ),
    ],
)
def test_limits_are_summed_like_requests(spec, wanted):
    assert pod_limits(spec) == wanted


amounts = st.integers(0, 9).map(lambda cores: cpu(str(cores)))
init_containers = st.tuples(st.integers(0, 9), st.booleans()).map(
    lambda drawn: cpu(str(drawn[0]), **(SIDECAR if drawn[1] else {}))
)


@given(st.lists(amounts, min_size=1, max_size=3), st.lists(init_containers, max_size=4), st.integers(0, 2))
def test_cpu_of_a_pod_follows_from_that_of_its_containers(containers, init, overhead):
    spec = {"containers": containers, "initContainers": init, "overhead": {"cpu": str(overhead)}}
    beside, least = cpu_beside_containers(spec)
    of_containers = sum(
        dict(pod_request({"containers": [one]}, {}, is_member=False)).get("cpu", 0) for one in containers
    )

    assert max(of_containers + beside, least) == dict(pod_request(spec, {}, is_member=False)).get("cpu", 0)
