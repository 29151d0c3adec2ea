"""What stored objects cost the operator that reads them: however many and large they are, their bytes do not stay."""

from pathlib import Path

import orjson
import pytest

from builders.manifests import gang
from eventually import eventually
from live.arena import GANGS as GANGS_API
from lockstep_demo.operator_process import OperatorProcess, running
from tenants.made import made_of
from tenants.sweeps import shapes_of_sweeps

ROOT = Path(__file__).parents[2]
MOST_BYTES_MORE = 128 * 2**20
PODS = 40
VARIABLES = 12_000
GANGS = 60
ANNOTATION = 250_000
LONG_WORDS = "spec.template.template.spec.containers[].securityContext.capabilities.drop"
COMING, ROUNDS = 20, 3
MOST_BYTES_KEPT = 110 * 2**20


@pytest.fixture
def peak(operator_kubeconfig, tmp_path):
    """Starts an operator, waits until it sees so many suspended gangs, and returns the most memory that it has had."""

    def measure(gangs):
        with running(OperatorProcess(operator_kubeconfig, tmp_path / "log")) as process:
            eventually(lambda: process.metrics()['lockstep_gangs{state="suspended"}'] == gangs, seconds=120)
            return process.peak_resident_bytes()

    return measure


def large_pod(number):
    """A pod of a megabyte: many small variables, and who has written each of them."""
    env = [{"name": f"a{one:05}", "value": "x"} for one in range(VARIABLES)]
    spec = {"containers": [{"name": "main", "image": "work:1", "env": env}], "schedulerName": "nobody"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"p{number}"}, "spec": spec}


def large_gang(number):
    """A gang that waits for good, with as many annotations as an object may have."""
    one = gang(f"g{number}", size=1, suspend=True)
    one["metadata"]["annotations"] = {"example.com/note": "x" * ANNOTATION}
    return one


def test_large_objects_cost_little_at_the_start(arena, peak):
    before = peak(gangs=0)
    for number in range(PODS):
        arena.create(large_pod(number))
    for number in range(GANGS):
        arena.submit(large_gang(number))
    after = peak(gangs=GANGS)

    assert after - before <= MOST_BYTES_MORE, (
        f"{before / 2**20:.0f} MiB without them, {after / 2**20:.0f} MiB with them"
    )


@pytest.fixture
def sweeps(installed):
    """The kind of sweeps, and the rights during the test."""
    installed.apply(ROOT / "crds" / "gangsweeps.yaml")
    installed.apply(ROOT / "operator" / "rbac-sweeps.yaml")
    yield
    installed.kubectl("delete", f"--filename={ROOT / 'operator' / 'rbac-sweeps.yaml'}")


def largest_sweeps():
    """Sweeps whose templates have as many and as long words as the schema allows. Python pools no such pieces."""
    shapes = [one for one in shapes_of_sweeps() if (one.field, one.name) == (LONG_WORDS, "longest entries")]
    [text] = made_of(shapes)[0].texts
    return [{**orjson.loads(text), "metadata": {"name": f"w{number}"}} for number in range(COMING)]


def test_memory_of_large_objects_that_come_and_go_again_and_again_is_given_back(
    sweeps, arena, operator_kubeconfig, tmp_path
):
    path = f"{GANGS_API}/namespaces/{arena.namespace}/gangsweeps"
    with running(OperatorProcess(operator_kubeconfig, tmp_path / "log", "--sweeps=true")) as process:
        before = process.resident_bytes()
        for _ in range(ROUNDS):
            for one in largest_sweeps():
                arena.api.request("POST", path, one)
            eventually(lambda: process.metrics()['lockstep_gangs{state="pending"}'] >= COMING, seconds=120)
            arena.api.request("DELETE", path)
            eventually(lambda: process.metrics()['lockstep_gangs{state="pending"}'] == 0, seconds=120)
        # Memory is given back a while after it is freed.
        eventually(lambda: process.resident_bytes() - before <= MOST_BYTES_KEPT, seconds=30)
