"""GangJobs that were stored before the schema had its bounds, and exceed them: reported, never planned, deletable."""

from pathlib import Path

import pytest

from builders.manifests import gang
from eventually import eventually
from live.arena import Arena
from live.quick_start import Forked
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox import ApiError

CRD = Path(__file__).parents[2] / "crds/gangjobs.yaml"
DEFINITION = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gangjobs.lockstep.dev"
NAMESPACE = "stored"
# From which bound of today on there was a larger one before, and which.
FORMER_BOUNDS = {"maxItems": (50, 100_000), "maxProperties": (250, 10_000), "maxLength": (4_096, 1_572_864)}

TOLERATIONS = [{"key": f"k{number}", "operator": "Exists"} for number in range(2_000)]
VOLUME = {"name": "data", "rbd": {"image": "i", "monitors": [f"{number:x}" for number in range(5_000)]}}
VARIABLES = {"env": [{"name": "A"}] * 1_000}
ALL_TOGETHER = "all lists and maps up to this field have 10,010 entries, and may have at most 10,000 together"
BEYOND = {
    "tolerations": (
        {"pod": {"tolerations": TOLERATIONS}},
        "template.spec.tolerations: has 2,000 entries, and may have at most 100",
    ),
    "monitors": (
        {"pod": {"volumes": [VOLUME]}},
        "template.spec.volumes[0].rbd.monitors: has 5,000 entries, and may have at most 50",
    ),
    "labels": (
        {"pod": {"nodeSelector": {f"k{number}": "v" for number in range(2_000)}}},
        "template.spec.nodeSelector: has 2,000 entries, and may have at most 250",
    ),
    "letters": (
        {"container": {"args": ["a" * 900_000]}},
        "template.spec.containers[0].args[0]: has 900,000 characters, and may have at most 131,072",
    ),
    "all-together": (
        {"pod": {"containers": [{"name": f"c{number}", "image": "x", **VARIABLES} for number in range(10)]}},
        f"template.spec.containers[9].env: {ALL_TOGETHER}",
    ),
}
# Beyond the bounds, and within those that a pod has.
LARGE = {"tolerations": TOLERATIONS[:200]}


@pytest.fixture(scope="module")
def arena(installed):
    installed.create_namespace(NAMESPACE)
    arena = Arena(installed, NAMESPACE)
    arena.add_nodes(2)
    yield arena
    arena.close()


@pytest.fixture(scope="module")
def stored(arena):
    """GangJobs beyond the bounds, of which two hold nodes; stored, and then today's bounds are in force."""
    [version] = arena.api.request("GET", DEFINITION)["spec"]["versions"]
    loosen(version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["template"])
    try:
        arena.api.request("PATCH", DEFINITION, {"spec": {"versions": [version]}})
        store(arena)
    finally:
        # Other files share the control plane.
        arena.api.apply(CRD)
    eventually(lambda: "must have at most 100 items" in refusal(arena, gang("one-more", pod=LARGE)))
    return arena


def store(arena):
    """Create the GangJobs as soon as the API server takes them."""
    for name, (parts, _) in BEYOND.items():
        eventually(lambda name=name, parts=parts: refusal(arena, gang(name, **parts)) == "")
    for name, run_for in (("ends", "1s"), ("breaks", None)):
        arena.submit(gang(name, pod=dict(LARGE), cpu="500m", run_for=run_for))
        arena.api.request("PATCH", f"{arena.gangs}/{name}/status", {"status": reserved(arena.nodes)})


@pytest.fixture(scope="module")
def operator(stored, operator_kubeconfig, tmp_path_factory):
    assert stored
    process = OperatorProcess(operator_kubeconfig, tmp_path_factory.mktemp("operator") / "log", spawn=Forked)
    with running(process):
        yield process
        assert "Traceback" not in process.log_text()
        assert not any(value for name, value in process.metrics().items() if name.startswith("lockstep_gang_errors"))


def loosen(schema):
    """Give a schema the bounds of before, where it has today's."""
    for bound, (least, former) in FORMER_BOUNDS.items():
        if schema.get(bound, 0) >= least:
            schema[bound] = max(former, schema[bound])
    for nested in (*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")):
        if isinstance(nested, dict):
            loosen(nested)


def reserved(nodes):
    members = [{"node": node, "count": 1} for node in nodes]
    return {"attempt": 1, "size": len(nodes), "members": members, "reservedAt": "2026-01-01T00:00:00Z"}


def refusal(arena, manifest):
    """What the API server says against a GangJob; nothing where it creates it."""
    try:
        arena.api.request("POST", arena.gangs, manifest)
    except ApiError as error:
        return str(error)
    return ""


def until_another_lands(arena, name):
    """By then the operator has checked everything that it knew before."""
    arena.submit(gang(name, cpu="100m"))
    arena.until_placed(name)


@pytest.mark.usefixtures("operator")
@pytest.mark.parametrize("name", BEYOND)
def test_condition_of_a_stored_gang_says_which_field_is_too_large_and_by_how_much(stored, name):
    _, want = BEYOND[name]

    accepted = stored.until(name, "Accepted", "False", "InvalidSpec")

    assert accepted["message"] == f"{want}. Delete this GangJob, and create one within the bounds."
    assert stored.status(name)["state"] == "Refused"


def test_stored_gang_is_reported_once_and_never_planned(stored, operator):
    for name in BEYOND:
        stored.until(name, "Accepted", "False")
    before = {name: stored.gang(name)["metadata"]["resourceVersion"] for name in BEYOND}

    until_another_lands(stored, "beside")
    operator.kill()
    operator.start()
    until_another_lands(stored, "after-a-start")

    assert {name: stored.gang(name)["metadata"]["resourceVersion"] for name in BEYOND} == before
    assert [stored.pods(name) for name in BEYOND] == [[] for _ in BEYOND]


@pytest.mark.usefixtures("operator")
def test_stored_gang_that_holds_nodes_runs_to_its_end(stored):
    stored.until_complete("ends")


@pytest.mark.usefixtures("operator")
def test_stored_gang_that_loses_a_member_is_reported_and_not_planned_again(stored):
    stored.until_placed("breaks")

    stored.delete_pod("breaks-1-0")

    accepted = stored.until("breaks", "Accepted", "False", "InvalidSpec")
    assert accepted["message"].startswith("template.spec.tolerations: has 200 entries, and may have at most 100. ")
    stored.until_no_pods("breaks")
    until_another_lands(stored, "in-its-place")
    assert stored.status("breaks")["attempt"] == 1


@pytest.mark.usefixtures("operator")
def test_stored_gang_can_be_changed_and_deleted(stored):
    for name in BEYOND:
        path = f"{stored.gangs}/{name}"
        stored.api.request("PATCH", path, {"metadata": {"labels": {"seen": "true"}}, "spec": {"suspend": True}})
        stored.api.kubectl("delete", "--namespace", NAMESPACE, "--cascade=foreground", "--wait=false", "gj", name)
    for name in BEYOND:
        eventually(lambda name=name: stored.is_gone(name))
