"""What stored objects cost the operator that reads them: however many and large they are, their bytes do not stay."""

import orjson
import pytest

from builders.manifests import gang
from eventually import eventually
from lockstep_demo.operator_process import OperatorProcess, running
from tenants.made import made_of
from tenants.shapes import shapes_of_gangs

MOST_BYTES_MORE = 128 * 2**20
PODS = 40
VARIABLES = 12_000
GANGS = 60
ANNOTATION = 250_000
LONG_WORDS = "spec.template.spec.containers[].securityContext.capabilities.drop"
COMING, ROUNDS = 20, 4


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


def largest_gangs():
    """Gangs whose templates have as many and as long words as the schema allows, in pieces that Python does not pool."""
    [shape] = [one for one in shapes_of_gangs() if (one.field, one.name) == (LONG_WORDS, "longest entries")]
    [text] = made_of([shape])[0].texts
    spec = orjson.loads(text)["spec"]
    return [{**gang(f"w{number}", size=1), "spec": spec} for number in range(COMING)]


def test_memory_of_large_objects_that_come_and_go_again_and_again_is_given_back(arena, operator_kubeconfig, tmp_path):
    with running(OperatorProcess(operator_kubeconfig, tmp_path / "log")) as process:
        before = process.resident_bytes()
        for _ in range(ROUNDS):
            for one in largest_gangs():
                arena.submit(one)
            eventually(lambda: process.metrics()['lockstep_gangs{state="pending"}'] == COMING, seconds=120)
            arena.api.request("DELETE", arena.gangs)
            eventually(lambda: process.metrics()['lockstep_gangs{state="pending"}'] == 0, seconds=120)
        after = process.peak_resident_bytes()

    assert after - before <= MOST_BYTES_MORE, f"{before / 2**20:.0f} MiB before, {after / 2**20:.0f} MiB at most"
    print(before >> 20, after >> 20)
