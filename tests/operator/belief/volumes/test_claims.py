"""Which claims a gang can use, and where their volumes let it go."""

import pytest

from builders.facts import claim_fact as claim
from builders.facts import take_changed
from builders.served import gang as gang_manifest
from coschedule import Constraints, Feasibility, GangKey, NodeTerm, Requirement
from engine.builders import node, snapshot
from lockstep.api.cluster.volume import parse_claim, parse_volume
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.belief.state import State
from lockstep.facts.cluster.volume import ClaimFact, StorageClass, VolumeFact

KEY = GangKey("default", "g")
EAST = NodeTerm((Requirement("zone", "In", ("east",)),), ())
WEST = NodeTerm((Requirement("zone", "In", ("west",)),), ())
ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
BETA = "failure-domain.beta.kubernetes.io/zone"
VOLUME = VolumeFact("pv", ((EAST, WEST),))


CLASS = StorageClass("local", "disk.example.com", waits=False)


APPLIES = {
    StorageClass: lambda state: state.claims.storage.classes.apply,
    VolumeFact: lambda state: state.claims.apply_volume,
    ClaimFact: lambda state: state.claims.apply_claim,
}


def state_with(*facts, size=2):
    state = State(lambda: None)
    manifest = gang_manifest("g", size=size)
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    manifest["spec"]["template"]["spec"]["volumes"] = volumes
    manifest["metadata"].setdefault("namespace", "default")
    for name, value in (("uid", "u"), ("resourceVersion", "1"), ("generation", 1)):
        manifest["metadata"].setdefault(name, value)
    manifest["metadata"].setdefault("creationTimestamp", "2026-01-01T00:00:00Z")
    state.apply_gang(parse_gang(manifest, None))
    for fact in (CLASS, *facts):
        APPLIES[type(fact)](state)(fact)
    return state


@pytest.mark.parametrize(
    ("facts", "want"),
    [
        pytest.param([VOLUME], "does not exist", id="no such claim"),
        pytest.param([claim(storage_class="x")], "is of storage class x, which does not exist", id="no such class"),
        pytest.param([claim(volume="pv")], "is bound to volume pv, which does not exist", id="unknown volume"),
        pytest.param([VOLUME, claim(volume="pv", deleting=True)], "is being deleted", id="that will soon be gone"),
    ],
)
def test_gang_waits_for_a_claim_that_is_not_ready(facts, want):
    state = state_with(*facts)

    refusal = state.refusal_of(state.gangs[KEY])

    assert refusal.reason == "ClaimNotReady"
    assert refusal.message == f"Claim data {want} (template.spec.volumes[0].persistentVolumeClaim)."


@pytest.mark.parametrize(
    ("facts", "want"),
    [
        pytest.param([claim()], "is not bound to a volume yet", id="not bound, of a class that does not wait"),
        pytest.param([claim(storage_class="")], "is not bound to a volume yet", id="not bound, without a class"),
        pytest.param([claim(storage_class=None)], "is not bound to a volume yet", id="without even the default class"),
        pytest.param([VOLUME, claim(volume="pv", bound=False)], "is not bound to volume pv yet", id="half bound"),
    ],
)
def test_claim_that_is_merely_not_bound_is_a_reason_of_its_own(facts, want):
    state = state_with(*facts)

    refusal = state.refusal_of(state.gangs[KEY])

    assert refusal.reason == "ClaimNotBound"
    assert refusal.message == f"Claim data {want} (template.spec.volumes[0].persistentVolumeClaim)."


def test_claim_that_members_cannot_share_is_refused_by_its_field():
    state = state_with(VOLUME, claim(volume="pv", mode="ReadWriteOnce"))

    refusal = state.refusal_of(state.gangs[KEY])

    assert refusal.reason == "UnsupportedField"
    assert refusal.message == (
        "template.spec.volumes[0].persistentVolumeClaim: claim data is ReadWriteOnce, "
        "which the members of a gang can't share."
    )


@pytest.mark.parametrize(
    ("fact", "size"),
    [
        (claim(volume="pv"), 2),
        (claim(volume="pv", mode="ReadOnlyMany"), 2),
        (claim(volume="pv", mode="ReadWriteOnce"), 1),
    ],
)
def test_bound_claim_that_the_members_can_share_is_accepted(fact, size):
    state = state_with(VOLUME, fact, size=size)

    assert state.refusal_of(state.gangs[KEY]) is None
    assert state.claims.constraints(KEY, state.gangs[KEY].spec.roles[0]).volumes == ((EAST, WEST),)


def test_volume_that_is_reached_from_everywhere_adds_nothing():
    state = state_with(VolumeFact("pv", ()), claim(volume="pv"))

    [role] = state.gangs[KEY].spec.roles
    assert state.claims.constraints(KEY, role) == role.constraints


@pytest.mark.parametrize(
    ("labels", "want"),
    [
        pytest.param({}, {"nowhere", "east", "old", "west", "both"}, id="no label"),
        pytest.param({ZONE: "east"}, {"nowhere", "east", "both"}, id="one zone"),
        pytest.param({ZONE: "east__west"}, {"nowhere", "east", "west", "both"}, id="several zones"),
        pytest.param({BETA: "east"}, {"nowhere", "east", "old"}, id="the old label is asked first"),
        pytest.param({ZONE: "east", REGION: "eu"}, {"nowhere"}, id="zone and region"),
        pytest.param({ZONE: "east__"}, {"nowhere", "east", "old", "west", "both"}, id="a label that makes no sense"),
    ],
)
def test_volume_is_reached_in_the_zones_of_its_labels(labels, want):
    nodes = {
        "nowhere": {},
        "east": {ZONE: "east"},
        "west": {ZONE: "west"},
        "old": {BETA: "east"},
        "both": {ZONE: "east", BETA: "west"},
    }
    volume = parse_volume({"metadata": {"name": "pv", "labels": labels}, "spec": {}})
    table = snapshot([node(name, labels=of_node) for name, of_node in nodes.items()], []).nodes

    passes = Feasibility(table).mask(Constraints(volumes=volume.affinities))

    assert {name for name, passing in zip(table.names, passes, strict=True) if passing} == want


def test_change_of_a_claim_concerns_the_gangs_that_use_claims():
    state = state_with(VOLUME)
    take_changed(state)
    state.changes.begin_plan()

    state.claims.apply_claim(claim())

    assert (take_changed(state), state.changes.is_plan_due) == ({KEY}, True)
    state.changes.begin_plan()
    state.claims.apply_claim(claim())
    assert (take_changed(state), state.changes.is_plan_due) == (set(), False)
    state.claims.remove_claim(claim().key)
    assert (take_changed(state), state.changes.is_plan_due) == ({KEY}, True)


def test_claims_and_volumes_are_parsed():
    metadata = {"name": "data", "namespace": "default", "uid": "uid-of-data"}
    spec = {"volumeName": "pv", "accessModes": ["ReadWriteMany"]}
    terms = [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["east"]}]}]
    affinity = {"nodeAffinity": {"required": {"nodeSelectorTerms": terms}}}

    bound = {**metadata, "annotations": {"pv.kubernetes.io/bind-completed": "yes"}}
    going = {**bound, "deletionTimestamp": "2026-01-01T00:00:00Z"}

    want = claim(volume="pv", storage_class=None, size=0)
    assert parse_claim({"metadata": bound, "spec": spec, "status": {"phase": "Bound"}}) == want
    assert parse_claim({"metadata": going, "spec": spec, "status": {"phase": "Bound"}}) == want._replace(
        is_deleting=True
    )
    assert not parse_claim({"metadata": bound, "spec": spec, "status": {"phase": "Lost"}}).is_bound
    assert not parse_claim({"metadata": metadata, "spec": spec}).is_bound
    assert parse_volume({"metadata": {"name": "pv"}, "spec": affinity}).affinities == ((EAST,),)
    assert parse_volume({"metadata": {"name": "pv"}, "spec": {}}).affinities == ()
