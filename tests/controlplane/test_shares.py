"""Fair shares on a real control plane, with the operator's own rights."""

import re
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from builders.manifests import gang
from eventually import eventually
from live.arena import Arena
from live.electorate import Voter, until_one_leads
from live.quick_start import Forked
from lockstep.cli import main
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox.errors import ApiError

ROOT = Path(__file__).parents[2]
RIGHTS = ROOT / "operator" / "rbac-shares.yaml"
KIND = ROOT / "crds" / "fairshares.yaml"
PATH = "/apis/lockstep.dev/v1alpha1/fairshares"


@pytest.fixture
def given(installed):
    """The kind, and the rights during the test."""
    installed.apply(KIND)
    installed.apply(RIGHTS)
    yield
    installed.kubectl("delete", f"--filename={RIGHTS}")
    installed.kubectl("delete", "--ignore-not-found", "fairshare", "default")


def fair_share(*groups, name="default", **more):
    """Describe a FairShare; each group has one namespace, and ``more`` are further fields of the spec."""
    spec = more | {"groups": [{"name": group, "weight": weight, "namespaces": [one]} for group, weight, one in groups]}
    return {"apiVersion": "lockstep.dev/v1alpha1", "kind": "FairShare", "metadata": {"name": name}, "spec": spec}


def no_namespaces():
    """Describe a FairShare whose group has no namespaces."""
    share = fair_share(("a", 1, "a"))
    share["spec"]["groups"][0]["namespaces"] = []
    return share


@pytest.mark.parametrize(
    ("manifest", "says"),
    [
        (fair_share(name="second"), "A FairShare must be named default"),
        (fair_share(("others", 1, "a")), "The name others is reserved for all namespaces that no group names"),
        (fair_share(("a", 0, "a")), "should be greater than or equal to 1"),
        (fair_share(("a", 1, "a"), ("a", 1, "b")), "Duplicate value"),
        (no_namespaces(), "should have at least 1 items"),
        (fair_share(preemption={"reclaimWithinPriority": "Sometimes"}), 'supported values: "Never", "Any"'),
    ],
    ids=["name", "others", "weight", "twice", "no namespace", "preemption"],
)
def test_fair_share_that_makes_no_sense_is_refused(given, installed, manifest, says):
    with pytest.raises(ApiError, match=says):
        installed.request("POST", PATH, manifest)


def test_group_with_less_use_is_planned_first_and_explain_says_so(given, operator_kubeconfig, arena, tmp_path):
    """A gang of one namespace runs and is charged. Then a gang of another one is planned before its next one."""
    other = Arena(arena.api, f"{arena.namespace}-other")
    arena.api.create_namespace(other.namespace)
    other.pool = arena.pool
    arena.add_nodes(1)
    arena.api.request("POST", PATH, fair_share(("busy", 1, arena.namespace), ("idle", 1, other.namespace)))
    log = tmp_path / "log"
    with closing(other), running(OperatorProcess(operator_kubeconfig, log, "--fair-shares=true", spawn=Forked)):
        arena.submit(gang("first", size=1, cpu="4"))
        eventually(lambda: used(arena).get("busy", 0) > 0)
        arena.submit(gang("second", size=1, cpu="4"))
        other.submit(gang("third", size=1, cpu="4"))
        explained = eventually(lambda: ask(arena, "explain", "second", namespace=arena.namespace))

    # Gangs of other tests may wait too, on nodes that are gone: all of them are planned before it.
    assert re.search(r"as number ([2-9]|\d\d+) of \1: its group busy has used", explained)
    assert "times its share lately" in explained
    assert "busy" in arena.api.kubectl("get", "fairshare", "default")


def test_next_leader_goes_on_from_the_use_that_the_last_one_has_written(given, operator_kubeconfig, arena, tmp_path):
    """The gang that has used it is gone, so nothing but the status shows it."""
    arena.add_nodes(1)
    arena.api.request("POST", PATH, fair_share(("busy", 1, arena.namespace), ("idle", 1, "nowhere")))
    voters = [Voter(operator_kubeconfig, tmp_path, "--fair-shares=true") for _ in range(2)]
    try:
        leader = until_one_leads(voters)
        [other] = [voter for voter in voters if voter is not leader]
        arena.submit(gang("first", size=1, cpu="4"))
        eventually(lambda: used(arena).get("busy", 0) > 0)
        arena.delete_gang("first")
        eventually(lambda: not arena.pods("first"))
        next_count(arena)
        before = used(arena)["busy"]

        leader.process.kill()
        assert until_one_leads([other]) is other
        next_count(arena)
        assert before * 0.99 < used(arena)["busy"] <= before
    finally:
        for voter in voters:
            voter.process.end()


def next_count(arena):
    """Wait until the status is written again."""
    before = counted_at(arena)
    eventually(lambda: counted_at(arena) != before)


def counted_at(arena):
    return arena.api.request("GET", f"{PATH}/default")["status"]["countedAt"]


def used(arena):
    """What the status says that each group has used, in milliseconds."""
    status = arena.api.request("GET", f"{PATH}/default").get("status", {})
    return {one["name"]: one["usedMilliseconds"] for one in status.get("groups", ())}


def ask(arena, *arguments, namespace):
    """What a command answers, in one line."""
    options = [f"--kubeconfig={arena.api.kubeconfig}", f"--namespace={namespace}", "--fair-shares=true"]
    done = CliRunner().invoke(main, [*arguments, *options])
    assert done.exit_code == 0, done.stderr
    return " ".join(done.stdout.split())
