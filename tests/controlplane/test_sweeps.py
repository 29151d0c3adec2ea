"""The example of a sweep on a real control plane, with the operator's own rights."""

from pathlib import Path

import pytest

from eventually import eventually
from live.quick_start import Forked
from lockstep_demo.operator_process import OperatorProcess, running

ROOT = Path(__file__).parents[2]
RIGHTS = ROOT / "operator" / "rbac-sweeps.yaml"
KIND = ROOT / "crds" / "gangsweeps.yaml"
EXAMPLE = ROOT / "examples" / "sweeps" / "parameters.yaml"


@pytest.fixture
def given(installed):
    """The kind, and the rights during the test."""
    installed.apply(KIND)
    installed.apply(RIGHTS)
    yield
    installed.kubectl("delete", f"--filename={RIGHTS}")


def test_example_runs_to_its_end(given, operator_kubeconfig, arena, tmp_path):
    """Four runs with their parameters succeed, none is left, and kubectl shows it."""
    arena.add_nodes(2)
    with running(OperatorProcess(operator_kubeconfig, tmp_path / "log", "--sweeps=true", spawn=Forked)):
        arena.api.kubectl("apply", "--namespace", arena.namespace, "-f", str(EXAMPLE))

        eventually(lambda: status(arena).get("state") == "Complete")
        eventually(lambda: runs(arena) == [])

    assert (status(arena)["succeeded"], status(arena)["runs"]) == (4, 4)
    table = arena.api.kubectl("get", "sweeps", "--namespace", arena.namespace)
    assert table.split()[:6] == ["NAME", "STATE", "RUNS", "RUNNING", "SUCCEEDED", "FAILED"]


def status(arena):
    """The status of the example."""
    path = f"/apis/lockstep.dev/v1alpha1/namespaces/{arena.namespace}/gangsweeps/search"
    return arena.api.request("GET", path).get("status", {})


def runs(arena):
    """The GangJobs that are there."""
    path = f"/apis/lockstep.dev/v1alpha1/namespaces/{arena.namespace}/gangjobs"
    return [one["metadata"]["name"] for one in arena.api.request("GET", path)["items"]]
