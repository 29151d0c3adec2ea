"""Gangs whose ranks have volumes: their size, and where each of them is planned."""

from dataclasses import replace

import pytest

from builders.facts import claim_fact, gang_fact, gang_spec, node_fact, role_spec, volume_fact, volume_request
from coschedule import Placement, plan
from lockstep.belief.state import State
from lockstep.belief.volumes.kept_volumes import kept_places
from lockstep.facts.cluster.volume import ClaimKey, ClaimUse, Sharing, StorageClass
from lockstep.facts.document import Document
from lockstep.facts.elastic import ElasticSpec
from lockstep.snapshot.snapshots import SnapshotCutter
from lockstep.snapshot.volumes.rank_order import ordered_by_rank
from lockstep.snapshot.volumes.role_parts import without_parts

KEPT = ClaimUse("volumeClaimTemplates[0]", "data", Sharing.KEPT, volume_request(mode="ReadWriteOnce"))
NODES = ("n1", "n2", "n3", "n4")


def state_with(places, *, made_for=None, cpu=1000):
    """Nodes with room for one member each; by rank the nodes that reach its volume, None for a claim without one."""
    state = State(lambda: None)
    for name in NODES:
        state.nodes.apply(node_fact(name, cpu=cpu))
    state.claims.storage.classes.apply(StorageClass("local", "disk.example.com", waits=True))
    for rank, place in enumerate(places):
        if place is not None:
            state.claims.apply_volume(volume_fact(f"pv-{rank}", on=place))
        claim = claim_fact(f"data-g-{rank}", volume="" if place is None else f"pv-{rank}")
        state.claims.apply_claim(claim._replace(gang_size=made_for or len(places)))
    return state


def planned(state, *, size=1, most=8, **spec):
    """The node of each rank as a plan has it, or why there is none."""
    spec = gang_spec(size=size, most=most, claims=(KEPT,), **spec)
    [role] = spec.roles
    gang = gang_fact("g", spec=spec_with_templates(spec, role))
    state.apply_gang(gang)
    [decision] = plan(SnapshotCutter(state).cut(0.0, [gang])).decisions
    if not isinstance(decision, Placement):
        return decision.refusal
    ordered = ordered_by_rank(without_parts(decision.members), kept_places(state.claims, gang))
    return None if ordered is None else [entry.node for entry in ordered for _ in range(entry.count)]


def spec_with_templates(spec, role):
    templates = (Document.of({"metadata": {"name": "data"}, "spec": {}}),)
    return replace(spec, roles=(replace(role, claim_templates=templates),))


@pytest.mark.parametrize(
    ("places", "want"),
    [
        pytest.param([["n3"], ["n1"]], ["n3", "n1"], id="each on a node of its own"),
        pytest.param([["n3", "n4"], ["n3", "n4"]], ["n3", "n4"], id="in one zone"),
        pytest.param([["n1", "n2"], ["n3", "n4"], ["n1", "n2"]], ["n1", "n3", "n2"], id="in two zones"),
        pytest.param([["n2"], ["n3", "n4"]], ["n2", "n3"], id="on a node and in a zone"),
        pytest.param([["n2"], None], ["n2", "n1"], id="one that is yet to be made"),
        pytest.param([None, ["n1"]], ["n2", "n1"], id="the first is yet to be made"),
    ],
)
def test_every_rank_is_planned_where_its_volumes_are(places, want):
    assert planned(state_with(places)) == want


def test_gang_keeps_the_size_for_which_its_volumes_were_made():
    assert planned(state_with([["n1"]], made_for=3)) == ["n1", "n2", "n3"]


def test_size_that_the_gang_cannot_have_is_nobodys():
    assert planned(state_with([["n3"]], made_for=3), size=2, most=2) == ["n1", "n2"]


def test_gang_without_a_volume_yet_has_any_size():
    assert planned(state_with([None, None])) == ["n1", "n2", "n3", "n4"]


def test_gang_waits_for_the_node_of_its_volume():
    refusal = planned(state_with([["gone"], ["n1"]]))

    assert "gone" not in str(refusal)
    assert not isinstance(refusal, list)


DATA = replace(
    role_spec("data", size=1, claims=(KEPT,)), claim_templates=(Document.of({"metadata": {"name": "data"}}),)
)
WORKERS = role_spec("workers", size=1, most=3)


@pytest.mark.parametrize(
    ("roles", "elastic", "want"),
    [
        pytest.param([DATA, WORKERS], ElasticSpec(120.0, 600.0), {"data": ["n3"], "workers": 3}, id="elastic"),
        pytest.param([DATA, WORKERS], None, {"data": ["n3"], "workers": 1}, id="not elastic"),
        pytest.param(
            [WORKERS, DATA], ElasticSpec(120.0, 600.0), {"data": ["n3"], "workers": 1}, id="ranks would change"
        ),
    ],
)
def test_volumes_of_one_role_leave_the_size_of_another_to_an_elastic_gang_whose_ranks_stay(roles, elastic, want):
    rank = roles.index(DATA)
    state = state_with([["n3"] if rank == 0 else None, ["n3"] if rank == 1 else None])
    state.claims.remove_claim(ClaimKey("default", f"data-g-{1 - rank}"))
    gang = gang_fact("g", spec=replace(gang_spec(roles=roles), elastic=elastic))
    state.apply_gang(gang)

    [decision] = plan(SnapshotCutter(state).cut(0.0, [gang])).decisions

    members = without_parts(decision.members)
    assert [one.node for one in members if one.role == "data"] == want["data"]
    assert sum(one.count for one in members if one.role == "workers") == want["workers"]
