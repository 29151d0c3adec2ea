"""The example of a sweep on a real control plane, with the operator's own rights."""

import re
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from builders.manifests import gang
from docs.markdown import fences
from eventually import eventually
from live.quick_start import Forked
from lockstep.cli import main
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


def ask(arena, *arguments):
    """What a command answers, in one line."""
    options = [f"--kubeconfig={arena.api.kubeconfig}", f"--namespace={arena.namespace}"]
    done = CliRunner().invoke(main, [*arguments, *options])
    assert done.exit_code == 0, done.stderr
    return " ".join(done.stdout.split())


def status(arena):
    """The status of the example."""
    path = f"/apis/lockstep.dev/v1alpha1/namespaces/{arena.namespace}/gangsweeps/search"
    return arena.api.request("GET", path).get("status", {})


def runs(arena):
    """The GangJobs that are there."""
    path = f"/apis/lockstep.dev/v1alpha1/namespaces/{arena.namespace}/gangjobs"
    return [one["metadata"]["name"] for one in arena.api.request("GET", path)["items"]]


def test_plan_says_what_would_become_of_the_example_and_explain_what_becomes_of_it(
    given, operator_kubeconfig, arena, tmp_path
):
    """The size, how many runs go at a time and their end, before anything exists; then how the sweep stands."""
    arena.add_nodes(2)

    planned = planned_with_nodes(arena, "-f", str(EXAMPLE))
    assert "search has 4 runs." in planned
    assert "At most 2 runs run at once: maxParallel allows no more." in planned
    assert "2 of its first 2 runs would start now. It would end at" in planned
    assert runs(arena) == []

    arena.api.kubectl("apply", "--namespace", arena.namespace, "-f", str(EXAMPLE))
    assert "does it run with --sweeps?" in ask(arena, "explain", "sweep/search")
    with running(OperatorProcess(operator_kubeconfig, tmp_path / "log", "--sweeps=true", spawn=Forked)):
        eventually(lambda: status(arena).get("running"))
        assert f"{arena.namespace}/search Running 4" in ask(arena, "queue")
        eventually(lambda: status(arena).get("state") == "Complete")
        eventually(lambda: {"SweepStarted", "SweepComplete"} <= reasons(arena))
    assert "search is complete. All runs have ended: 4 of 4 runs succeeded" in ask(arena, "explain", "sweep/search")


def test_plan_of_a_sweep_is_what_the_page_shows(given, arena, tmp_path):
    """64 minutes of work a run: with two members each, 40 runs end as soon as with four, with fewer members."""
    [block] = [fence.text for fence in fences(ROOT / "docs" / "why.md") if fence.mark == "sweeps"]
    arena.add_nodes(16, cpu="1")
    manifest = gang("tune", size=(1, 4), cpu="1", work={"serialTime": "64m"})
    sweep = {**manifest, "kind": "GangSweep", "spec": {"runs": 40, "template": manifest["spec"]}}
    (tmp_path / "sweep.yaml").write_text(yaml.safe_dump(sweep))
    command, *shown = block.splitlines()
    _, _, *asked = command.removeprefix("$ ").split()

    said = planned_with_nodes(arena, *(str(tmp_path / word) if word.endswith(".yaml") else word for word in asked))

    assert apart_from_times(said) == apart_from_times(" ".join(shown)).replace("default/", f"{arena.namespace}/")


def planned_with_nodes(arena, *arguments):
    """What `lockstep plan` says once the nodes are ready; on a busy machine kwok is late with their leases."""

    def planned():
        said = ask(arena, "plan", *arguments)
        assert "places for 0 members" not in " ".join(said.split())
        return said

    return eventually(planned)


def apart_from_times(text):
    """The words of a text without its times of the clock."""
    return re.sub(r"20[-0-9]+T[:0-9]+Z", "NOW", " ".join(text.split()))


def reasons(arena):
    """The reasons of all events."""
    path = f"/apis/events.k8s.io/v1/namespaces/{arena.namespace}/events"
    return {one["reason"] for one in arena.api.request("GET", path)["items"]}
