"""Volumes that do not come: the attempt is undone in time, and what comes too late is where the next one goes."""

from collections.abc import Iterator

import pytest

from builders.manifests import gang
from builders.volumes import claim_templates
from live.provisioner import SELECTED_NODE, provisioning
from live.quick_start import Forked
from lockstep_demo.operator_process import OperatorProcess, running

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture(scope="module")
def operator(operator_kubeconfig, tmp_path_factory) -> Iterator[OperatorProcess]:
    """An operator that does not wait long."""
    log = tmp_path_factory.mktemp("operator") / "log"
    with running(OperatorProcess(operator_kubeconfig, log, "--provision-timeout=2s", spawn=Forked)) as process:
        yield process


@pytest.fixture
def provisioner(arena, background):
    """A provisioner of the arena's own, with one class that waits."""
    with provisioning(arena.api, arena.namespace, f"{arena.pool}.example.com", background) as provisioner:
        provisioner.add_class()
        yield provisioner


def claim(arena):
    return arena.api.request("GET", f"{arena.core}/persistentvolumeclaims/data-heat-0")


def test_another_node_is_tried_where_a_volume_takes_too_long(arena, provisioner):
    first, second = arena.add_nodes(2, cpu="1")
    provisioner.ignores.add(first)

    arena.submit(gang("heat", size=1, volumeClaimTemplates=claim_templates(provisioner.name)))

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == [second]
    assert provisioner.selected["data-heat-0"] == [first, second]


def test_claim_gets_no_node_while_no_attempt_is_under_way(arena, provisioner):
    [name] = arena.add_nodes(1, cpu="1")
    provisioner.ignores.add(name)

    arena.submit(gang("heat", size=1, volumeClaimTemplates=claim_templates(provisioner.name)))

    placed = arena.until("heat", "Placed", "False", "NoNodeFits")
    assert "could not be created recently" in placed["message"]
    assert SELECTED_NODE not in claim(arena)["metadata"].get("annotations", {})
    assert arena.pods("heat") == []


def test_volume_that_comes_too_late_is_used_by_the_next_attempt(arena, provisioner):
    [name] = arena.add_nodes(1, cpu="1")
    provisioner.ignores.add(name)
    arena.submit(gang("heat", size=1, volumeClaimTemplates=claim_templates(provisioner.name)))
    arena.until("heat", "Placed", "False", "NoNodeFits")

    provisioner.make_volume(claim(arena), name)

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == [name]


def test_claim_that_a_user_deletes_is_made_again(arena, provisioner):
    [name] = arena.add_nodes(1, cpu="1")
    provisioner.ignores.add(name)
    arena.submit(gang("heat", size=1, volumeClaimTemplates=claim_templates(provisioner.name)))
    arena.until("heat", "Placed", "False", "NoNodeFits")
    before = claim(arena)["metadata"]["uid"]
    arena.delete(f"{arena.core}/persistentvolumeclaims/data-heat-0")
    provisioner.ignores.clear()
    other = arena.add_nodes(1, cpu="1")

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == other
    assert claim(arena)["metadata"]["uid"] != before
