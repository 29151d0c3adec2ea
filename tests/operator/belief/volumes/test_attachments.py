"""Which nodes can attach no more volumes."""

from dataclasses import replace

import pytest

from builders.facts import claim_fact, gang_fact, gang_spec, needs, node_fact, pod_fact, reservation, volume_request
from builders.pod_gangs import pod_gang, waiting_pod
from coschedule import GangKey, Members
from lockstep.api.cluster.volume import parse_attachment, parse_csi_node, parse_volume
from lockstep.api.pods.pod import parse_pod
from lockstep.belief.holding.reservation import requests_of
from lockstep.belief.state import State
from lockstep.facts.cluster.volume import (
    AttachLimits,
    Attachment,
    ClaimUse,
    CsiVolume,
    Sharing,
    StorageClass,
    VolumeFact,
)
from lockstep.facts.gang.pod_gang import GroupMember, grouped
from lockstep.facts.pods.pod import PodKey

DRIVER = "disk.example.com"
A, B, C = (CsiVolume(DRIVER, handle) for handle in "abc")


def state_with(*facts, limit=1):
    """A node n1 with a limit and n2 without, and a claim bound to each of the volumes a, b and c."""
    state = State(lambda: None)
    for name in ("n1", "n2"):
        state.nodes.apply(node_fact(name))
    for volume in (A, B, C):
        state.claims.apply_volume(VolumeFact(f"pv-{volume.handle}", (), volume))
        state.claims.apply_claim(claim_fact(f"claim-{volume.handle}", volume=f"pv-{volume.handle}"))
    state.attachments.apply_limits(AttachLimits("n1", {DRIVER: limit, "other.example.com": 0}))
    for fact in facts:
        (state.attachments.apply_attachment if isinstance(fact, Attachment) else state.apply_pod)(fact)
    return state


def user(name, *handles, node="n1"):
    return pod_fact(name, node=node, claims=tuple(f"claim-{handle}" for handle in handles))


def left_over(handle, *, driver=DRIVER):
    return Attachment(f"attachment-{handle}", "n1", driver, f"pv-{handle}")


@pytest.mark.parametrize(
    ("facts", "wanted", "want_full"),
    [
        pytest.param([], {A}, False, id="room for one"),
        pytest.param([], {A, B}, True, id="room for one of two"),
        pytest.param([user("p", "b")], {A}, True, id="another volume is in use"),
        pytest.param([user("p", "a")], {A}, False, id="the volume itself is in use"),
        pytest.param([user("p", "a"), user("q", "a")], {A}, False, id="a volume counts once"),
        pytest.param([user("p", "b", node="n2")], {A}, False, id="in use on another node"),
        pytest.param([left_over("b")], {A}, True, id="attached, though not used"),
        pytest.param([left_over("b"), user("p", "b")], {B}, False, id="attached and in use"),
        pytest.param([left_over("b", driver="other.example.com")], {A}, False, id="attached by another driver"),
        pytest.param([user("p", "b")], {CsiVolume("free.example.com", "x")}, False, id="a driver without a limit"),
    ],
)
def test_node_attaches_no_more_volumes_than_its_drivers_say(facts, wanted, want_full):
    full = state_with(*facts).attachments.full(frozenset(wanted))

    assert full == ({DRIVER: {"n1"}} if want_full else {})


def holding(state, handle, *, name="other"):
    """A gang of one that has reserved n1, and whose member uses the claim of that volume."""
    spec = gang_spec(size=1, claims=(ClaimUse("template.spec.volumes[0]", f"claim-{handle}"),))
    state.apply_gang(gang_fact(name, spec=spec))
    state.assumptions.hold(reservation(name, members=(("n1", 1),)))
    return state


def test_volumes_of_a_gang_of_pods_count_while_the_kinds_of_its_waiting_pods_change():
    state, gang = state_with(limit=4), pod_gang(2)
    state.pod_gang_facts.apply(gang)

    def arrive(name, cpu, handle):
        its_needs = needs(cpu=cpu, claims=(ClaimUse("volumes[0]", f"claim-{handle}"),))
        member = GroupMember(gang.key, None, waiting_pod(name, its_needs=its_needs))
        state.apply_pod(grouped(pod_fact(name), member))
        state.pod_gang_facts.renew(gang.key)

    arrive("worker", 1000, "a")
    arrive("leader", 2000, "b")
    spec = state.gangs[gang.key].spec
    members = tuple(Members("n1", 1, role=role.name) for role in spec.roles)
    held = replace(reservation(), gang=gang.key, members=members, requests=requests_of(spec))
    state.assumptions.hold(held)
    assert state.attachments.room(DRIVER) == {"n1": 2}

    # Its status does not have the reservation yet.
    state.remove_pod(PodKey("default", "leader"), "uid-of-leader")
    state.pod_gang_facts.renew(gang.key)
    assert state.attachments.room(DRIVER) == {"n1": 2}
    arrive("other", 1000, "a")
    assert state.attachments.room(DRIVER) == {"n1": 2}

    state.claims.apply_claim(claim_fact("claim-b", volume="pv-c"))
    assert state.attachments.full(frozenset({A, B, C})) == {}
    state.assumptions.forget(gang.key)
    assert state.attachments.room(DRIVER) == {"n1": 4}


def test_what_is_about_to_be_attached_counts():
    assert holding(state_with(), "b").attachments.full(frozenset({A})) == {DRIVER: {"n1"}}
    assert holding(state_with(), "a").attachments.full(frozenset({A})) == {}


def test_what_a_gang_is_about_to_attach_does_not_stand_in_its_own_way():
    state = holding(state_with(limit=2), "b")
    holding(state, "c", name="another")

    assert state.attachments.full(frozenset({A})) == {DRIVER: {"n1"}}
    assert state.attachments.full(frozenset({A}), but=GangKey("default", "other")) == {}
    state.assumptions.forget(GangKey("default", "another"))
    assert state.attachments.full(frozenset({A})) == {}


@pytest.mark.parametrize("sharing", [Sharing.KEPT, Sharing.EPHEMERAL])
@pytest.mark.parametrize(("succeeded", "want"), [((), 0), ((0,), 1), ((0, 1), 2)])
def test_volumes_of_reserved_members_count_before_their_claims_exist(sharing, succeeded, want):
    state = state_with(limit=2)
    state.claims.storage.classes.apply(StorageClass("disks", DRIVER, waits=True))
    use = ClaimUse("", "data", sharing, volume_request(storage_class="disks"))
    state.apply_gang(gang_fact("g", spec=gang_spec(size=2, claims=(use,))))
    held = reservation("g", members=(("n1", 2),))

    state.assumptions.hold(replace(held, succeeded_ranks=sum(1 << rank for rank in succeeded)))

    assert state.attachments.room(DRIVER)["n1"] == want


def test_volume_is_free_again_when_its_pod_is_gone():
    state = state_with(user("p", "b"))
    assert state.attachments.full(frozenset({A})) == {DRIVER: {"n1"}}

    state.remove_pod(user("p", "b").key, user("p", "b").uid)

    assert state.attachments.full(frozenset({A})) == {}


def test_limit_and_attachment_can_change_and_go():
    state = state_with(left_over("b"), limit=2)
    assert state.attachments.full(frozenset({A})) == {}

    state.attachments.apply_limits(AttachLimits("n1", {DRIVER: 1}))
    assert state.attachments.full(frozenset({A})) == {DRIVER: {"n1"}}
    state.attachments.remove_attachment("attachment-b")
    assert state.attachments.full(frozenset({A})) == {}
    state.attachments.apply_attachment(left_over("b"))
    state.attachments.remove_limits("n1")
    assert state.attachments.full(frozenset({A})) == {}


def test_claim_that_is_bound_later_counts_from_then_on():
    state = state_with(user("p", "later"))
    assert state.attachments.full(frozenset({A})) == {}

    state.claims.apply_claim(claim_fact("claim-later", volume="pv-b"))

    assert state.attachments.full(frozenset({A})) == {DRIVER: {"n1"}}


def test_manifests_are_parsed():
    drivers = [{"name": DRIVER, "allocatable": {"count": 3}}, {"name": "free.example.com"}]
    source = {"persistentVolumeName": "pv-a"}
    spec = {"attacher": DRIVER, "nodeName": "n1", "source": source}
    csi = {"driver": DRIVER, "volumeHandle": "a"}

    assert parse_csi_node({"metadata": {"name": "n1"}, "spec": {"drivers": drivers}}) == AttachLimits("n1", {DRIVER: 3})
    assert parse_csi_node({"metadata": {"name": "n1"}, "spec": {"drivers": None}}) == AttachLimits("n1", {})
    assert parse_attachment({"metadata": {"name": "attachment-a"}, "spec": spec}) == left_over("a")
    assert parse_attachment({"metadata": {"name": "x"}, "spec": {**spec, "source": {}}}).volume == ""
    assert parse_volume({"metadata": {"name": "pv-a"}, "spec": {"csi": csi}}).csi == A


def test_claims_of_a_pod_are_noted_once_and_those_of_ephemeral_volumes_by_their_names():
    claim = {"persistentVolumeClaim": {"claimName": "data"}}
    ephemeral = {"ephemeral": {"volumeClaimTemplate": {}}}
    volumes = [{"name": "a", **claim}, {"name": "b", **claim}, {"name": "c", **ephemeral}, {"name": "d"}]
    metadata = {"name": "p", "namespace": "default", "uid": "u", "resourceVersion": "1"}

    assert parse_pod({"metadata": metadata, "spec": {"containers": [], "volumes": volumes}}).claims == ("data", "p-c")
