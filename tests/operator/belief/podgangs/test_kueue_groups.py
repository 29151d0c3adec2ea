"""What is planned of pods that say themselves how many their group has, and which of them own its Gang."""

from dataclasses import replace

import pytest

from builders.facts import DEFAULT, pod_fact
from builders.pod_gangs import pod_gang, reserving, waiting_pod
from lockstep.api.podgang.kueue_group import TOTAL_COUNT, group_terms
from lockstep.api.pool import ALL_NODES
from lockstep.belief.podgangs.composing import composed, least_to_begin
from lockstep.belief.podgangs.group_owners import lacks_owners, owners_of_group
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.facts.gang.gang import AcceptedGang, RefusedGang
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.pod_gang import GroupMember, OwnerName, grouped
from lockstep.facts.gang.source import Source
from lockstep.facts.pods.pod import Membership, PodKey, PodPhase

GANG = pod_gang_key(DEFAULT, "g")


def of_group(name, count="2", *, uid="", **pod):
    """Describe a pod that says that count."""
    terms = group_terms({} if count is None else {TOTAL_COUNT: count})
    waiting = waiting_pod(name, source=Source.KUEUE_GROUP)
    fact = replace(pod_fact(name, **pod), uid=uid or f"uid-of-{name}")
    return grouped(fact, GroupMember(GANG, None, None if pod else waiting, terms=terms))


def running(name, count="2"):
    """Describe a pod that we have bound."""
    member = of_group(name, count, node="n1", phase=PodPhase.RUNNING)
    return replace(member, group=member.group._replace(seat=Membership(GANG, "uid-of-g", 1, 0)))


def group_of(*pods):
    group = PodGroup()
    for one in pods:
        group.enter(one)
    return group


def made(least=2, *owners, **more):
    """The Gang of the group, owned by pods of these names."""
    named = tuple(OwnerName(name, f"uid-of-{name}") for name in owners)
    return replace(pod_gang(least, **more), made_for=named[0].uid if named else "", owners=named)


def refusal(*pods, gang=None):
    found = composed(gang or made(), group_of(*pods), ALL_NODES)
    return found.refusal.message if isinstance(found, RefusedGang) else ""


def names(owners):
    return [one.name for one in owners]


def test_pods_that_agree_are_planned():
    found = composed(made(), group_of(of_group("a"), of_group("b")), ALL_NODES)

    assert isinstance(found, AcceptedGang)
    assert found.spec.awaits_pods == ""


@pytest.mark.parametrize("counts", [("0", "0"), ("2", "3")])
def test_sentence_stays_the_same_when_pods_are_updated(counts):
    pods = [of_group(name, count) for name, count in zip("ab", counts, strict=True)]

    assert refusal(*pods) == refusal(*pods, pods[0]) == refusal(*reversed(pods)) != ""


def test_pods_that_say_another_count_than_the_gang_wait_until_it_is_changed():
    found = composed(made(2), group_of(*(of_group(name, "3") for name in "abc")), ALL_NODES)

    assert "wait until Lockstep has compared" in found.spec.awaits_pods


@pytest.mark.parametrize(
    "ended",
    [
        pytest.param({"phase": PodPhase.FAILED}, id="failed"),
        pytest.param({"phase": PodPhase.SUCCEEDED}, id="succeeded"),
        pytest.param({"deleting": True}, id="being deleted"),
    ],
)
def test_pod_that_has_ended_counts_no_more(ended):
    gone = of_group("c", "7", **ended)

    assert refusal(of_group("a"), of_group("b"), gone) == ""


def test_group_is_refused_as_long_as_its_pods_contradict_each_other():
    group = group_of(of_group("a"), running("b", "3"))
    assert isinstance(composed(made(), group, ALL_NODES), RefusedGang)

    group.leave(PodKey(DEFAULT, "b"))

    assert isinstance(composed(made(), group, ALL_NODES), AcceptedGang)


def test_gang_that_a_user_has_written_says_itself_how_many_pods_it_needs():
    assert refusal(of_group("a", None), of_group("b", "9"), gang=pod_gang(2)) == ""


def test_what_is_reserved_is_carried_out_whatever_pods_say():
    gang = made(2, status=reserving(main=2))

    assert refusal(of_group("a"), of_group("b", "3"), gang=gang) == ""


def test_text_of_a_pod_makes_a_sentence_that_a_status_can_hold():
    assert len(refusal(of_group("a", "9" * 100_000), of_group("b", "8" * 100_000))) < 1_000


def test_first_pods_own_the_gang_and_those_that_have_ended_come_last():
    pods = [of_group(f"p{number}") for number in range(9)]
    group = group_of(of_group("a", phase=PodPhase.SUCCEEDED), *reversed(pods))

    assert names(owners_of_group(group, None)) == [f"p{number}" for number in range(8)]


def test_owners_are_kept_while_enough_of_them_are_left():
    group = group_of(*(of_group(name) for name in "abcdef"))

    assert names(owners_of_group(group, made(2, "gone", "d", "e", "f"))) == ["d", "e", "f"]
    assert not lacks_owners(group, made(2, "gone", "d", "e", "f"))
    assert names(owners_of_group(group, made(2, "f", "gone"))) == ["f", "a", "b", "c", "d", "e"]
    assert lacks_owners(group, made(2, "f", "gone"))


def test_pod_that_has_the_name_of_an_owner_is_none():
    group = group_of(of_group("a", uid="another"), of_group("b"))

    assert [one.uid for one in owners_of_group(group, made(2, "a"))] == ["another", "uid-of-b"]


def test_gang_of_a_user_or_of_another_source_lacks_no_owners():
    group = group_of(of_group("a"), of_group("b"))

    assert not lacks_owners(group, None)
    assert not lacks_owners(group, pod_gang(2))
    assert not lacks_owners(PodGroup(), made(2))


@pytest.mark.parametrize(
    ("pods", "want"),
    [
        pytest.param([of_group("a"), of_group("b")], 2, id="all wait"),
        pytest.param([of_group("a", "3"), of_group("b", "3")], 3, id="another group of the name needs more"),
        pytest.param([running("a"), of_group("b")], 0, id="one is on a node"),
        pytest.param([of_group("a", node="n1", phase=PodPhase.SUCCEEDED), of_group("b")], 1, id="one has succeeded"),
        pytest.param([of_group("a", node="n1", phase=PodPhase.FAILED), of_group("b")], 2, id="one has failed"),
    ],
)
def test_fewest_pods_that_may_begin_are_those_that_have_not_succeeded(pods, want):
    assert least_to_begin(made(2, "b"), group_of(*pods)) == want
