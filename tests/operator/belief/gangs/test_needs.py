"""What members ask for, compared: as planned, and as admission made them."""

from builders.facts import needs
from coschedule import NodeTerm, Requirement, Toleration
from lockstep.belief.gangs.needs import as_compared, combined, is_within
from lockstep.facts.cluster.volume import ClaimUse
from lockstep.facts.pods.pod import PodAffinity, PodTerm, WrittenTerm

ZONE_A, ZONE_B = ((NodeTerm((Requirement("zone", "In", (zone,)),), ()),) for zone in ("a", "b"))
GPU = Toleration("gpu", "Equal", "yes", "NoSchedule")
NOT_READY = Toleration("node.kubernetes.io/not-ready", "Exists", "", "NoExecute")


def test_what_every_pod_tolerates_is_no_difference():
    planned = needs(cpu=1000, tolerations=(GPU,))

    assert as_compared(planned, needs(cpu=1000, tolerations=(GPU, NOT_READY))) == planned


def test_toleration_that_was_asked_for_stays():
    planned = needs(tolerations=(NOT_READY,))

    assert as_compared(planned, needs(tolerations=(NOT_READY, GPU))) == needs(tolerations=(NOT_READY, GPU))


def test_what_every_pod_tolerates_for_a_while_is_no_difference_however_long():
    planned = needs(cpu=1000, tolerations=(GPU,))

    assert as_compared(planned, needs(cpu=1000, tolerations=(GPU, NOT_READY._replace(seconds=300.0)))) == planned


def test_both_tolerate_a_taint_for_as_long_as_the_shorter_one():
    short, long = NOT_READY._replace(seconds=5.0), NOT_READY._replace(seconds=60.0)

    both = combined(needs(tolerations=(long, GPU)), needs(tolerations=(short,)))

    assert both.constraints.tolerations == (short,)
    assert is_within(needs(tolerations=(long,)), needs(tolerations=(short,)))
    assert not is_within(needs(tolerations=(short,)), needs(tolerations=(long,)))


def test_claim_in_another_place_is_the_same_claim():
    planned = needs(claims=[ClaimUse("volumes[0]", "data")])

    assert as_compared(planned, needs(claims=[ClaimUse("volumes[1]", "data")])) == planned


def test_combined_needs_suit_both():
    one = needs(cpu=1000, selector=(("a", "b"),), tolerations=(GPU,), affinity=ZONE_A)
    other = needs(cpu=500, memory=7, selector=(("c", "d"),), affinity=ZONE_B, claims=[ClaimUse("volumes[0]", "data")])

    both = combined(one, other)

    assert dict(both.request) == {"cpu": 1000, "memory": 7}
    assert both.constraints.node_selector == (("a", "b"), ("c", "d"))
    assert both.constraints.tolerations == ()
    assert both.constraints.affinity == (NodeTerm((*ZONE_A[0].labels, *ZONE_B[0].labels), ()),)
    assert [use.claim for use in both.claims] == ["data"]
    assert is_within(one, both)
    assert is_within(other, both)
    assert not is_within(both, one)


def test_terms_without_requirements_match_nothing_together():
    nothing = (NodeTerm((), ()),)

    assert combined(needs(affinity=nothing), needs(affinity=ZONE_A)).constraints.affinity == ()


def test_wider_needs_are_within_narrower_ones():
    assert is_within(needs(cpu=1, tolerations=(GPU, NOT_READY)), needs(cpu=1, tolerations=(GPU,)))


def near(*selector, alike=(), unlike=()):
    """Needs to be in the zone of pods with these labels."""
    return needs()._replace(
        pod_affinity=PodAffinity((WrittenTerm(PodTerm("zone", selector, (), None), alike, unlike),))
    )


def test_what_the_api_server_adds_for_keys_that_are_to_match_is_no_difference():
    app = Requirement("app", "In", ("heat",))
    planned = near(app, alike=("attempt",), unlike=("team",))
    added = Requirement("attempt", "In", ("1",)), Requirement("team", "NotIn", ("a",))

    assert as_compared(planned, near(app, *added, alike=("attempt",), unlike=("team",))) == planned


def test_other_pods_near_which_to_be_are_a_difference():
    planned, admitted = near(Requirement("app", "In", ("heat",))), near(Requirement("app", "In", ("cold",)))

    assert as_compared(planned, admitted) == admitted
    assert combined(planned, admitted).pod_affinity.near == (
        *planned.pod_affinity.near,
        *admitted.pod_affinity.near,
    )
    assert not is_within(admitted, planned)
