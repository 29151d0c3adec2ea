"""What is around a gang narrows where it may go."""

import pytest

from builders.facts import claim_fact, gang_fact, gang_spec, member_fact, node_fact, pod_fact, reservation
from coschedule import Requirement
from lockstep.belief.state import State
from lockstep.facts.cluster.cluster import NamespaceFact
from lockstep.facts.cluster.volume import AttachLimits, ClaimUse, CsiVolume, VolumeFact
from lockstep.facts.pods.pod import PodTerm
from lockstep.snapshot.constraints import constraints_of

ONCE = frozenset({"ReadWriteOncePod"})


@pytest.fixture
def state():
    state = State(lambda: None)
    for name in ("n1", "n2"):
        state.nodes.apply(node_fact(name, labels={"host": name}))
    state.claims.apply_volume(VolumeFact("pv", ()))
    return state


def with_claim(name="g", *, modes=ONCE):
    spec = gang_spec(size=1, claims=(ClaimUse("volumes[0].persistentVolumeClaim", "data"),))
    gang = gang_fact(name, spec=spec)
    claim = claim_fact("data", namespace=gang.key.namespace, volume="pv", modes=modes)
    return gang, claim


def barred(state, gang):
    return constraints_of(state, gang, gang.spec.roles[0]).barred


def test_nothing_around_changes_nothing(state):
    gang = gang_fact("g")

    assert constraints_of(state, gang, gang.spec.roles[0]) == gang.spec.roles[0].constraints


def test_pod_that_wants_no_gang_near_it_is_left_alone(state):
    term = PodTerm("host", (), (), ())
    state.apply_pod(pod_fact("other", node="n2", anti_affinity_terms=(term,)))

    [(phrase, names)] = barred(state, gang_fact("g"))

    assert (phrase, names) == ("near a pod whose anti-affinity keeps it away", {"n2"})


def test_labels_of_the_gangs_namespace_count_and_their_change_leads_to_a_plan(state):
    term = PodTerm("host", (), (), (Requirement("team", "In", ("a",)),))
    state.apply_pod(pod_fact("other", node="n2", anti_affinity_terms=(term,)))
    gang = gang_fact("g")
    assert barred(state, gang) == ()
    state.changes.begin_plan()

    state.namespaces.apply(NamespaceFact(gang.key.namespace, {"team": "a"}))

    assert state.changes.is_plan_due
    assert [names for _, names in barred(state, gang)] == [{"n2"}]
    state.namespaces.remove(gang.key.namespace)
    assert barred(state, gang) == ()


def test_claim_for_one_pod_closes_all_nodes_while_another_pod_uses_it(state):
    gang, claim = with_claim()
    state.claims.apply_claim(claim)
    assert barred(state, gang) == ()
    user = pod_fact("user", node="n2", claims=("data",))

    state.apply_pod(user)

    assert barred(state, gang) == (("closed to it while another pod uses claim data", frozenset({"n1", "n2"})),)
    state.remove_pod(user.key, user.uid)
    assert barred(state, gang) == ()


def test_claim_that_several_pods_may_use_closes_nothing(state):
    gang, claim = with_claim(modes=frozenset({"ReadWriteOnce"}))
    state.claims.apply_claim(claim)

    state.apply_pod(pod_fact("user", node="n2", claims=("data",)))

    assert barred(state, gang) == ()


def test_claim_for_one_pod_is_used_by_a_gang_that_has_reserved(state):
    gang, claim = with_claim()
    other, _ = with_claim("other")
    state.claims.apply_claim(claim)
    state.apply_gang(other)

    state.assumptions.hold(reservation("other", members=(("n1", 1),)))

    assert [names for _, names in barred(state, gang)] == [{"n1", "n2"}]
    assert barred(state, other) == ()


def test_node_that_can_attach_no_more_volumes_is_barred(state):
    gang, claim = with_claim(modes=frozenset({"ReadWriteMany"}))
    other, _ = with_claim("other")
    state.claims.apply_claim(claim)
    state.claims.apply_volume(VolumeFact("pv", (), CsiVolume("disk.example.com", "a")))
    state.attachments.apply_limits(AttachLimits("n2", {"disk.example.com": 0}))

    assert barred(state, gang) == (("where disk.example.com can attach no more volumes", frozenset({"n2"})),)
    # What another gang is about to attach there is attached once for both.
    state.apply_gang(other)
    state.assumptions.hold(reservation("other", members=(("n2", 1),)))
    assert barred(state, gang) == ()


def test_gangs_own_member_does_not_stand_in_its_way(state):
    gang, claim = with_claim()
    state.claims.apply_claim(claim)

    state.apply_pod(member_fact("g", node="n1", claims=("data",)))

    assert barred(state, gang) == ()
