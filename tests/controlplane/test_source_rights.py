"""The rights that sources need are a manifest of their own: enough with it, and said where it is missing."""

from pathlib import Path

import pytest

from builders.manifests import gang
from live.quick_start import Forked
from lockstep.api.podgang.owners import OWNERS
from lockstep.facts.gang.source import Source
from lockstep_demo.operator_process import OperatorProcess, running

RIGHTS = Path(__file__).parents[2] / "operator" / "rbac-sources.yaml"
REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
ACCOUNT = "system:serviceaccount:lockstep-system:lockstep"
READS = ("get gangs", "list gangs", "watch gangs", "patch gangs/status")
# Every operator may read pods.
KINDS = {owner.resource for owner in OWNERS.values()} - {"pods"}
NEEDS = (*READS, "create gangs", "patch gangs", *(f"get {kind}" for kind in KINDS))


@pytest.fixture
def operator(operator_kubeconfig, tmp_path):
    """An operator that places pods of others, of every source of that manifest; it is yet to be started."""
    sources = ",".join(source for source in Source if not source.startswith("sized"))
    return OperatorProcess(operator_kubeconfig, tmp_path / "log", f"--sources={sources}", spawn=Forked)


@pytest.fixture
def given(installed):
    """The manifest, applied during the test."""
    installed.apply(RIGHTS)
    yield
    installed.kubectl("delete", f"--filename={RIGHTS}")


def test_missing_rights_are_named_at_the_start_and_cost_no_gangjob(operator, arena):
    arena.add_nodes(1)

    with running(operator):
        said = [line for line in operator.log_text().splitlines() if "the API server forbids this process" in line]
        arena.submit(gang("heat"))
        arena.until_placed("heat")

    for need in NEEDS:
        assert any(f"forbids this process to {need} in the whole cluster" in line for line in said)
    assert all("apply operator/rbac-sources.yaml" in line for line in said)


def test_nothing_is_missing_with_the_manifest(operator, given):
    with running(operator):
        assert "the API server forbids this process" not in operator.log_text()


@pytest.mark.parametrize(
    ("group", "resource", "verb"),
    [
        pytest.param("lockstep.dev", "gangs", "update", id="replace a Gang"),
        pytest.param("lockstep.dev", "gangs", "delete", id="delete a Gang"),
        pytest.param("batch", "jobs", "patch", id="change an owner"),
        pytest.param("batch", "jobs", "list", id="see all owners"),
        pytest.param("batch", "jobs", "delete", id="delete an owner"),
    ],
)
def test_manifest_does_not_let_the_operator(installed, given, group, resource, verb):
    asked = {"group": group, "resource": resource, "verb": verb}

    answer = installed.request("POST", REVIEWS, {"spec": {"user": ACCOUNT, "resourceAttributes": asked}})

    assert not answer["status"]["allowed"]
