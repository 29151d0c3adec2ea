"""A tenant who deletes members with a grace period of years keeps their nodes for an hour at most."""

import pytest

from builders.manifests import gang
from eventually import eventually
from live.arena import Arena
from live.quick_start import Forked
from lockstep_demo.installing import install
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox import Options, start

NAMESPACE = "patient"
YEARS = 1_000_000_000
HOUR = 3_600


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    """An API server of this file's own, whose pods nothing runs or removes."""
    with start(Options(name="graces", state=tmp_path_factory.mktemp("sandboxes"))) as sandbox:
        install(sandbox)
        sandbox.create_namespace(NAMESPACE)
        arena = Arena(sandbox, NAMESPACE)
        arena.add_nodes(2)
        kubeconfig = sandbox.kubeconfig_for_service_account("lockstep-system", "lockstep")
        log = tmp_path_factory.mktemp("operator") / "log"
        with running(OperatorProcess(kubeconfig, log, spawn=Forked)):
            yield arena


def test_members_that_their_owner_deletes_for_years_are_deleted_for_an_hour(arena):
    arena.submit(gang("heat"))
    arena.until_placed("heat")

    for pod in arena.pods("heat"):
        arena.api.request("DELETE", f"{arena.core}/pods/{pod['metadata']['name']}?gracePeriodSeconds={YEARS}")

    arena.until("heat", "Placed", "False", "Undoing")
    eventually(lambda: graces(arena) == [HOUR, HOUR], seconds=90)


def graces(arena):
    return [pod["metadata"].get("deletionGracePeriodSeconds") for pod in arena.pods("heat")]
