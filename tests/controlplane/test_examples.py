"""Every example is applied as a reader would, on the nodes that it speaks of, and reaches what its first comment says.

The comment is the case: "Reaches: STATE", and where something has to be done first, "Reaches then: STATE" after the
command.
"""

import re
import subprocess

import pytest

from eventually import eventually
from live.examples import EXAMPLES, documents_of, example_of, pod_gangs_of
from live.pod_gangs import PodGangs
from live.quick_start import Forked
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox.binaries import Tool

NUMBERS = {"twelve": 12}

# What comments say of the size that is chosen, and how they say it.
SIZES = {
    "02-range": (7, "Lockstep chooses 7 members"),
    "05-deadline": (2, "So the gang gets 2 members"),
    "10-proportional": (11, "11 members get shares from 4.8 % to 12 %"),
    "11-pieces": (10, "the gang gets 10 members"),
    "33-pieces-of-roles": (5, "so the gang gets 5 members in all"),
}

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture(scope="module")
def operator(sources, operator_kubeconfig, tmp_path_factory):
    """An operator that is ready, as the quick start runs it, for all tests of the file."""
    assert sources
    log = tmp_path_factory.mktemp("operator") / "log"
    with running(OperatorProcess(operator_kubeconfig, log, "--sources=pods,job,single", spawn=Forked)) as process:
        yield process


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_example_reaches_what_its_comment_says(twelve_nodes, example):
    twelve_nodes.api.kubectl("apply", "--namespace", twelve_nodes.namespace, "-f", str(example))

    steps = steps_of(example)

    assert any(step.startswith("Reaches: ") for step in steps), "an example says what it reaches"
    for step in steps:
        if step.startswith("kubectl "):
            run_in_shell(twelve_nodes, step)
        else:
            check(twelve_nodes, step.partition(": ")[2], example)


@pytest.mark.parametrize("stem", SIZES)
def test_size_is_what_the_comment_says(twelve_nodes, stem):
    size, words = SIZES[stem]
    example = example_of(stem)
    assert words in example.read_text(encoding="utf-8")
    twelve_nodes.api.kubectl("apply", "--namespace", twelve_nodes.namespace, "-f", str(example))

    [name] = gangs_of(example)

    twelve_nodes.until_placed(name)
    assert twelve_nodes.status(name)["size"] == size


def test_sandbox_says_that_it_paces_no_member(twelve_nodes):
    twelve_nodes.api.kubectl("apply", "--namespace", twelve_nodes.namespace, "-f", str(example_of("21-pace")))

    twelve_nodes.until_placed("tides")

    eventually(lambda: "resize" in twelve_nodes.status("tides").get("pace", {}).get("message", ""))


def test_there_are_examples():
    assert len(EXAMPLES) >= 5


def check(arena, state, example):
    """Wait until what an example says in words is so."""
    if found := re.match(r"(\w+) NodeBids", state):
        listed = arena.api.kubectl("get", "nb", "--no-headers").splitlines()
        assert len(listed) == NUMBERS[found[1]]
        return
    found = re.match(r"(Complete|Failed|Placed|Planned|Accepted|Suspended|Available)(?:=(True|False))?\b", state)
    assert found, f"no test knows how to check {state!r}"
    for name in gangs_of(example):
        arena.until(name, found[1], found[2] or "True")
    for name in pod_gangs_of(example):
        PodGangs(arena).until(name, found[1], found[2] or "True")
    for deployment in documents_of(example, "Deployment"):
        until = ("wait", "--namespace", arena.namespace, f"--for=condition={found[1]}", "--timeout=90s")
        arena.api.kubectl(*until, f"deployment/{deployment['metadata']['name']}")


def steps_of(example):
    """What the first comment says to do and what it promises, in order."""
    lines = example.read_text(encoding="utf-8").splitlines()
    comment = [line[1:].strip() for line in lines[: next(n for n, line in enumerate(lines) if line[:1] != "#")]]
    return [line for line in comment if re.match(r"Reaches( then)?: |kubectl ", line)]


def gangs_of(example):
    """The names of the GangJobs in an example."""
    return [document["metadata"]["name"] for document in documents_of(example, "GangJob")]


def run_in_shell(arena, command):
    """Run a command line that says ``kubectl``, as a reader would paste it whose namespace is the arena's."""
    program = f'"{arena.api.program(Tool.KUBECTL)}" --kubeconfig="{arena.api.kubeconfig}" --namespace={arena.namespace}'
    kubectl = f'kubectl() {{ {program} "$@"; }}'
    subprocess.run(["bash", "-euc", f"{kubectl}; {command}"], check=True, capture_output=True, timeout=300)
