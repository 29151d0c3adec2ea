"""Sweeps that are deleted while their runs wait and run, on a real control plane with its garbage collector."""

import pytest

from builders.manifests import gang
from controlplane.test_sweeps import KIND, RIGHTS
from eventually import eventually
from live.quick_start import Forked
from lockstep_demo.operator_process import OperatorProcess, running

API = "/apis/lockstep.dev/v1alpha1"


@pytest.fixture
def swept(installed, operator_kubeconfig, arena, tmp_path):
    """An operator that obeys sweeps, and room for two runs."""
    installed.apply(KIND)
    installed.apply(RIGHTS)
    arena.add_nodes(1, cpu="4")
    with running(OperatorProcess(operator_kubeconfig, tmp_path / "log", "--sweeps=true", spawn=Forked)):
        yield arena
    installed.kubectl("delete", f"--filename={RIGHTS}")


@pytest.mark.parametrize("policy", ["Background", "Foreground"])
def test_nothing_is_left_of_a_deleted_sweep_and_the_next_of_its_name_begins_anew(swept, policy):
    """Runs that wait and runs that hold nodes go; the next sweep, of the same name at once, has runs of its own."""
    first = submit(swept)
    eventually(lambda: len(runs(swept)) > 2 and any(members(swept)))

    delete(swept, policy)
    eventually(lambda: sweep(swept) is None)
    second = submit(swept)

    eventually(lambda: owners(swept) == {second})
    eventually(lambda: status(swept).get("running"))
    assert first != second
    assert status(swept).get("failed", 0) == 0
    delete(swept, policy)
    eventually(lambda: sweep(swept) is None and runs(swept) == [] and members(swept) == [])


def test_orphaned_runs_are_gangs_of_their_own_and_the_next_sweep_does_not_take_them(swept):
    """They stay, nothing is made after, and a sweep of the name counts them as names that are taken."""
    submit(swept)
    eventually(lambda: len(runs(swept)) > 2 and any(members(swept)))

    delete(swept, "Orphan")
    eventually(lambda: sweep(swept) is None)
    eventually(lambda: owners(swept) == {None})
    left = set(runs(swept))
    second = submit(swept)

    eventually(lambda: status(swept).get("failed", 0) >= len(left))
    assert {one["reason"] for one in status(swept)["failures"]} == {"NameTaken"}
    assert left <= set(runs(swept))
    assert owners(swept) <= {None, second}


def submit(arena):
    """Submit a sweep of a thousand runs that do not end by themselves; returns its UID."""
    template = gang("x", size=1, cpu="2")["spec"]
    template["template"]["spec"]["nodeSelector"] = {"lockstep.dev/test-pool": arena.pool}
    template["template"].setdefault("metadata", {})["annotations"] = {"lockstep.dev/sandbox-run-for": "1h"}
    body = {
        "apiVersion": "lockstep.dev/v1alpha1",
        "kind": "GangSweep",
        "metadata": {"name": "s", "namespace": arena.namespace},
        "spec": {"runs": 1000, "template": template},
    }
    return arena.api.request("POST", place(arena, "gangsweeps"), body)["metadata"]["uid"]


def delete(arena, policy):
    arena.api.request("DELETE", f"{place(arena, 'gangsweeps')}/s?propagationPolicy={policy}")


def sweep(arena):
    found = [one for one in items(arena, "gangsweeps") if one["metadata"]["name"] == "s"]
    return found[0] if found else None


def status(arena):
    return (sweep(arena) or {}).get("status", {})


def runs(arena):
    return [one["metadata"]["name"] for one in items(arena, "gangjobs")]


def owners(arena):
    """The UIDs of the sweeps that the GangJobs belong to; None for those of none."""
    references = [one["metadata"].get("ownerReferences") for one in items(arena, "gangjobs")]
    return {one[0]["uid"] if one else None for one in references}


def members(arena):
    path = f"/api/v1/namespaces/{arena.namespace}/pods"
    return [one["metadata"]["name"] for one in arena.api.request("GET", path)["items"]]


def items(arena, plural):
    return arena.api.request("GET", place(arena, plural))["items"]


def place(arena, plural):
    return f"{API}/namespaces/{arena.namespace}/{plural}"
