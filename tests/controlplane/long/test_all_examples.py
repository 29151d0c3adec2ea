"""Examples are applied at once, in a namespace of a fresh control plane, and each reaches what its comment says.

A run that makes long searches whole applies all of them, as the quick start does.
"""

import re
from pathlib import Path

import pytest

from eventually import eventually
from live.arena import GANGS
from live.examples import EXAMPLES, OFFERS, documents_of, pod_gangs_of
from live.quick_start import Forked
from lockstep_demo.installing import install
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox import Component, Options, generic_nodes, start
from searches import sample

ALL_SECONDS = 600
# More than of other searches, so that there is some crowd.
ONE_IN = 3
DEPLOYMENTS = "/apis/apps/v1/deployments"
SOURCE_RIGHTS = Path(__file__).parents[3] / "operator" / "rbac-sources.yaml"


@pytest.fixture(scope="module")
def plane(tmp_path_factory):
    """A control plane as `make sandbox-up` starts it, with an operator as the quick start runs it."""
    addons = frozenset({Component.KWOK, Component.CONTROLLER_MANAGER, Component.SCHEDULER})
    folder = tmp_path_factory.mktemp("examples")
    with start(Options(name="examples", addons=addons, state=folder)) as sandbox:
        install(sandbox)
        sandbox.apply(SOURCE_RIGHTS)
        sandbox.create_nodes(generic_nodes(12))
        account = sandbox.kubeconfig_for_service_account("lockstep-system", "lockstep")
        with running(
            OperatorProcess(account, folder / "log", "--gate-image=sandbox", "--sources=pods,job,single", spawn=Forked)
        ):
            yield sandbox


def wanted(examples):
    """What the first comment of each example promises at first of its gangs or pods: condition and status."""
    for example in examples:
        found = re.search(r"^# Reaches: (\w+?)(?:=(True|False))?\b[ .,]", example.read_text(), re.MULTILINE)
        assert found, example
        owners = [*documents_of(example, "GangJob"), *documents_of(example, "Deployment")]
        for name in (*(one["metadata"]["name"] for one in owners), *pod_gangs_of(example)):
            yield name, found[1], found[2] or "True"


def test_examples_applied_at_once_reach_what_their_comments_say(plane, pytestconfig):
    examples = [OFFERS, *sample(pytestconfig, "examples at once", EXAMPLES[1:], one_in=ONE_IN)]
    wants = [*wanted(examples)]
    plane.kubectl("apply", *(f"--filename={example}" for example in examples))

    held = set()

    def missing():
        holds = conditions(plane, f"{GANGS}/gangjobs")
        # A Gang is placed until its pods have ended.
        held.update(conditions(plane, f"{GANGS}/gangs") | until_available(plane))
        return [want for want in wants if want not in holds | held and not has_gone_on(want, holds)]

    try:
        eventually(lambda: not missing(), seconds=ALL_SECONDS, every=1)
    except AssertionError as error:
        raise AssertionError(f"{missing()}\n{plane.kubectl('get', 'gangjobs')}") from error


def until_available(plane):
    """The conditions of Deployments. One that is available is deleted: its pods would never leave nodes to others."""
    found = conditions(plane, DEPLOYMENTS)
    for name, kind, status in found:
        if (kind, status) == ("Available", "True"):
            plane.kubectl("delete", "deployment", name, "--ignore-not-found")
    return found


def conditions(plane, path):
    """The conditions of all objects there: name, condition and status."""
    return {
        (gang["metadata"]["name"], one["type"], one["status"])
        for gang in plane.request("GET", path)["items"]
        for one in gang.get("status", {}).get("conditions", [])
    }


def has_gone_on(want, holds):
    """Whether a gang that was to be placed has ended well meanwhile."""
    name, kind, _ = want
    return kind == "Placed" and (name, "Complete", "True") in holds


@pytest.mark.parametrize("example", [one for one in EXAMPLES if one.stem != "22-gpus"], ids=lambda one: one.stem)
def test_example_leaves_nothing_for_the_limit_range_of_another_to_fill_in(example):
    """All are in one namespace then."""
    for gang in documents_of(example, "GangJob"):
        for role in gang["spec"].get("roles", [gang["spec"]]):
            for container in role["template"]["spec"]["containers"]:
                assert {"cpu", "memory"} <= container["resources"]["requests"].keys()
