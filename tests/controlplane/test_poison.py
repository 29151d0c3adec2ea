"""Whatever the API server accepts costs its own object at most: others land, and the operator lives on."""

from pathlib import Path

import pytest

from builders.manifests import bid, foreign_pod, gang, priority_class
from eventually import eventually
from live.arena import BIDS, GANGS, PRIORITIES
from live.brew import Brew
from live.quick_start import Forked
from lockstep_demo.installing import install
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox import ApiError, Node, Options, Taint, TaintEffect, start
from searches import sample

ROOT = Path(__file__).parents[2]
ROUNDS = 4
OBJECTS_A_ROUND = 25
SEED = 1
NAMESPACE = "default"
CORE = f"/api/v1/namespaces/{NAMESPACE}"
OWN_GANGS = f"{GANGS}/namespaces/{NAMESPACE}/gangjobs"
KEPT_APART = {"only": "good"}


RULES = "x-kubernetes-validations"


@pytest.fixture(scope="module")
def plane(tmp_path_factory):
    """An API server of this file's own: what is poured into it must not meet other tests."""
    with start(Options(name="poison", state=tmp_path_factory.mktemp("sandboxes"))) as sandbox:
        install(sandbox)
        taint = Taint(key="only", value="good", effect=TaintEffect.NO_SCHEDULE)
        sandbox.create_nodes([Node(name="good", labels=KEPT_APART, taints=(taint,)), Node(name="victim")])
        sandbox.request("POST", PRIORITIES, priority_class("good", 1_000_000_000))
        yield sandbox


@pytest.fixture(scope="module")
def operator(plane, tmp_path_factory):
    kubeconfig = plane.kubeconfig_for_service_account("lockstep-system", "lockstep")
    process = OperatorProcess(kubeconfig, tmp_path_factory.mktemp("operator") / "log", spawn=Forked)
    with running(process):
        yield process


def good_gang(name):
    """A gang that nothing but the poison can keep from landing at once."""
    tolerations = [{"key": "only", "value": "good", "effect": "NoSchedule"}]
    return gang(
        name, size=2, cpu="1m", pod={"nodeSelector": KEPT_APART, "tolerations": tolerations}, priorityClassName="good"
    )


def condition(plane, path, kind):
    conditions = plane.request("GET", path).get("status", {}).get("conditions") or []
    return next((one for one in conditions if one["type"] == kind), {})


def until_good_gang_lands(plane, name):
    plane.request("POST", OWN_GANGS, good_gang(name))
    eventually(lambda: condition(plane, f"{OWN_GANGS}/{name}", "Placed").get("status") == "True")


def assert_unharmed(operator):
    assert operator.is_ready()
    assert "Traceback" not in operator.log_tail()
    assert operator.metrics()['lockstep_cycles_total{result="error"}'] == 0
    assert not any(value for name, value in operator.metrics().items() if name.startswith("lockstep_gang_errors_total"))


def test_odd_objects_of_every_kind_cost_no_other_anything(plane, operator, pytestconfig):
    brew = Brew(plane, NAMESPACE, SEED)
    for turn in sample(pytestconfig, "odd objects", range(ROUNDS), least=2):
        brew.pour(range(turn * OBJECTS_A_ROUND, (turn + 1) * OBJECTS_A_ROUND))
        until_good_gang_lands(plane, f"good-{turn}")
    assert_unharmed(operator)
    # Whatever they are, they are not all refused.
    assert min(brew.accepted.values()) >= 5, brew.accepted

    for path in (OWN_GANGS, f"{CORE}/pods", "/api/v1/nodes", BIDS, PRIORITIES):
        plane.request("DELETE", f"{path}?labelSelector=poison")
    until_good_gang_lands(plane, "good-afterwards")
    assert_unharmed(operator)


NONSENSE = [
    pytest.param({"cpu": "-1"}, id="less than nothing"),
    pytest.param({"cpu": "9300000000000000"}, id="more CPUs than 64 bits count"),
    pytest.param({"memory": "1e30"}, id="more bytes than 64 bits count"),
    pytest.param({"memory": "1e1000000"}, id="a million digits"),
    pytest.param({"memory": "much"}, id="no quantity"),
]


@pytest.mark.parametrize("requests", NONSENSE)
def test_nonsense_quantity_is_refused_by_the_api_server_or_reported_in_a_condition(plane, operator, requests, request):
    name = f"strict-{request.node.callspec.indices['requests']}"
    refusal = refusal_of(plane, OWN_GANGS, gang(name, container={"resources": {"requests": requests}}))
    if refusal is None:
        assert_is_reported(plane, name, requests)
    else:
        assert "resources.requests" in refusal
    until_good_gang_lands(plane, f"good-beside-{name}")
    assert_unharmed(operator)


def refusal_of(plane, path, manifest):
    """What the API server says against an object; nothing where it creates it."""
    try:
        plane.request("POST", path, manifest)
    except ApiError as error:
        return str(error)
    return None


def assert_is_reported(plane, name, requests):
    accepted = eventually(lambda: condition(plane, f"{OWN_GANGS}/{name}", "Accepted"))
    [(resource, quantity)] = requests.items()
    assert (accepted["status"], accepted["reason"]) == ("False", "InvalidSpec")
    assert accepted["message"].startswith(f"template.spec.containers[0].resources.requests.{resource}: {quantity} is ")


HUGE = [
    {"cpu": "9223372036854775"},
    {"memory": "9223372036854775807"},
    {"memory": "1e1000"},
    {"example.com/x": "9223372036854775807"},
]


@pytest.mark.parametrize("node", ["victim", "no-such-node"])
def test_pods_with_huge_requests_on_any_node_survive_a_start(plane, operator, node):
    for number, requests in enumerate(3 * HUGE):
        pod = foreign_pod(f"huge-{node}-{number}", node)
        pod["spec"]["containers"][0]["resources"] = {"requests": requests, "limits": requests}
        plane.request("POST", f"{CORE}/pods", pod)
    until_good_gang_lands(plane, f"good-beside-{node}")
    operator.kill()
    operator.start()

    until_good_gang_lands(plane, f"good-after-{node}")
    assert_unharmed(operator)


def test_pod_of_an_unknown_phase_survives_a_start(plane, operator):
    plane.request("POST", f"{CORE}/pods", foreign_pod("dreams", "victim"))
    plane.request("PATCH", f"{CORE}/pods/dreams/status", {"status": {"phase": "Dreaming"}})
    eventually(lambda: operator.metrics()['lockstep_objects_not_understood_total{resource="pods"}'])
    operator.kill()
    operator.start()

    until_good_gang_lands(plane, "good-beside-dreams")
    assert operator.metrics()['lockstep_objects_not_understood_total{resource="pods"}'] == 1
    assert_unharmed(operator)


ODD_TIMES = ["2020-01-01t00:00:00z", "2020-01-01T00:00:00+99:00", "0000-01-01T00:00:00Z", "2020-01-01T00:00:00.5-99:59"]


def test_bids_with_odd_times_are_understood(plane, operator):
    for number, time in enumerate(ODD_TIMES):
        plane.request("POST", BIDS, bid(f"odd-time-{number}", availableFrom=time, expiresAt="9999-12-31T23:59:59z"))
    until_good_gang_lands(plane, "good-beside-odd-times")

    assert operator.metrics()['lockstep_objects_not_understood_total{resource="nodebids"}'] == 0
    for number in range(len(ODD_TIMES)):
        # All that is wrong with it is that it has no node.
        path = f"{BIDS}/odd-time-{number}"
        eventually(lambda path=path: condition(plane, path, "Accepted").get("reason") == "NodeNotFound")
    assert_unharmed(operator)


@pytest.fixture
def lenient(plane):
    """The same API with next to no schema, as if everything were accepted; and as it was afterwards."""
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    patched = [("nodebids", ("properties", "spec")), ("gangjobs", ("properties", "spec", "properties", "template"))]
    for resource, place in patched:
        path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{resource}.lockstep.dev"
        definition = plane.request("GET", path)
        holder = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        for field in place[:-1]:
            holder = holder[field]
        holder[place[-1]] = anything
        # Rules about what has no schema any more would be refused.
        definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"].pop(RULES, None)
        plane.request("PUT", path, definition)
    yield
    for resource in ("gangjobs", "nodebids"):
        plane.apply(ROOT / f"crds/{resource}.yaml")


@pytest.mark.usefixtures("lenient")
def test_what_no_schema_refuses_is_reported_in_a_condition(plane, operator):
    requests = [parameter.values[0] for parameter in NONSENSE]
    for number, one in enumerate(requests):
        nonsense = gang(f"lenient-{number}", container={"resources": {"requests": one}})
        eventually(lambda nonsense=nonsense: refusal_of(plane, OWN_GANGS, nonsense) is None)
    for number, one in enumerate(requests):
        assert_is_reported(plane, f"lenient-{number}", one)
    eventually(lambda: refusal_of(plane, BIDS, bid("no-speed", capacity="0")) is None)
    accepted = eventually(lambda: condition(plane, f"{BIDS}/no-speed", "Accepted"))

    assert (accepted["status"], accepted["reason"]) == ("False", "InvalidSpec")
    assert "so its node is not offered to gangs: dutyCycle must not be negative" in accepted["message"]
    until_good_gang_lands(plane, "good-beside-nonsense")
    assert_unharmed(operator)
