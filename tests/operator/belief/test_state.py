"""Belief depends on the newest fact of everything, not on the order in which facts came."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.facts import (
    bid_fact,
    gang_fact,
    gang_spec,
    member_fact,
    node_fact,
    pod_fact,
    reservation,
    take_changed,
)
from coschedule import GangKey, UnitTime
from lockstep.belief.state import State, is_older
from lockstep.facts.elastic import ElasticSpec
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.pod import Membership, PodKey, PodPhase

RUNNING, SUCCEEDED, FAILED = PodPhase.RUNNING, PodPhase.SUCCEEDED, PodPhase.FAILED


@pytest.fixture
def wakes():
    return []


@pytest.fixture
def state(wakes):
    return State(lambda: wakes.append(1))


@pytest.fixture
def holding(state):
    """A gang whose two members are on n1 and n2."""
    gang = gang_fact("g")
    state.apply_gang(gang)
    state.assumptions.hold(reservation("g"))
    return gang


def committed(state, node="n1", resource="cpu"):
    return int(state.ledger.committed(state.ledger.rows((node,)), state.ledger.columns((resource,)))[0, 0])


def settled(state):
    """Forget what was marked so far."""
    take_changed(state)
    state.changes.begin_plan()
    return state.changes.generation, state.nodes.generation


NEWEST = {
    "node": node_fact("n1", cpu=4000),
    "pod": pod_fact("p", node="n1", phase=RUNNING),
    "member": member_fact("g", rank=0, node="n1", phase=RUNNING),
    "gang": gang_fact("g", version="9", generation=2, spec=gang_spec(size=3)),
    "bid": bid_fact("n1", version="5", slowdown=2.0),
}
OLDER = [
    (lambda state, fact: state.nodes.apply(fact), node_fact("n1")),
    (State.apply_pod, pod_fact("p")),
    (State.apply_pod, pod_fact("p", node="n1")),
    (State.apply_pod, member_fact("g", rank=0)),
    (State.apply_gang, gang_fact("g", version="2")),
    (lambda state, fact: state.bids.apply(fact), bid_fact("n1", version="3")),
]
LAST = [
    (lambda state, fact: state.nodes.apply(fact), NEWEST["node"]),
    (State.apply_pod, NEWEST["pod"]),
    (State.apply_pod, NEWEST["member"]),
    (State.apply_gang, NEWEST["gang"]),
    (lambda state, fact: state.bids.apply(fact), NEWEST["bid"]),
]


@settings(max_examples=200)
@given(
    st.lists(st.sampled_from(OLDER), max_size=12), st.integers(0, 2**32), st.lists(st.sampled_from(LAST), max_size=6)
)
def test_order_and_repetition_of_facts_do_not_matter(older, seed, repeated):
    state = State(lambda: None)
    for apply, fact in older:
        apply(state, fact)
    last = [*LAST, *repeated]
    random.Random(seed).shuffle(last)  # noqa: S311 - an order is no secret
    for apply, fact in last:
        apply(state, fact)

    assert state.nodes == {"n1": NEWEST["node"]}
    assert state.gangs == {NEWEST["gang"].key: NEWEST["gang"]}
    assert state.bids == {"n1": NEWEST["bid"]}
    assert state.pods == {fact.key: fact for fact in (NEWEST["pod"], NEWEST["member"])}
    assert state.members(NEWEST["gang"]) == {NEWEST["member"].key: NEWEST["member"]}
    assert (committed(state), state.ledger.assumed) == (2000, 0)


@pytest.mark.parametrize(
    ("apply", "fact"),
    [
        pytest.param(lambda state, fact: state.nodes.apply(fact), node_fact(), id="node"),
        pytest.param(lambda state, fact: state.bids.apply(fact), bid_fact(), id="bid"),
        pytest.param(State.apply_pod, pod_fact(node="n1"), id="pod"),
    ],
)
def test_same_fact_again_wakes_no_waiter(state, wakes, apply, fact):
    apply(state, fact)
    before = (settled(state), len(wakes))
    apply(state, fact)

    assert (settled(state), len(wakes)) == before
    assert not state.changes.is_plan_due


@pytest.mark.parametrize(
    ("apply", "newer", "older"),
    [
        pytest.param(State.apply_gang, gang_fact(version="10"), gang_fact(version="9", generation=7), id="gang"),
        pytest.param(
            lambda state, fact: state.bids.apply(fact), bid_fact(version="10"), bid_fact(version="9", slots=1), id="bid"
        ),
    ],
)
def test_older_version_is_no_change(state, wakes, apply, newer, older):
    apply(state, newer)
    count = len(wakes)
    apply(state, older)

    assert len(wakes) == count
    assert [*state.gangs.values(), *state.bids.values()] == [newer]


@pytest.mark.parametrize(
    ("version", "known", "want"),
    [
        ("9", "10", True),
        ("10", "9", False),
        ("10", "10", False),
        ("a", "10", False),
        ("10", "a", False),
        ("", "", False),
    ],
)
def test_versions_are_compared_as_numbers(version, known, want):
    assert is_older(version, known) is want


def test_gang_created_again_under_its_name_is_another_gang(state):
    state.apply_gang(gang_fact("g", uid="first", version="50"))
    state.assumptions.hold(reservation("g"))
    state.apply_gang(gang_fact("g", uid="second", version="40"))

    assert state.gangs["default", "g"].uid == "second"
    assert state.reservations == {}
    [left] = state.assumptions.leftovers.take()
    assert (left.gang.uid, state.assumptions.leftovers.is_unseen(left)) == ("first", True)


def test_late_word_of_a_removed_gang_does_not_remove_its_successor(state):
    state.apply_gang(gang_fact("g", uid="second"))
    state.remove_gang(("default", "g"), "first")

    assert state.gangs["default", "g"].uid == "second"


@pytest.mark.parametrize(
    ("pod", "want_cpu"),
    [
        pytest.param(pod_fact("p"), 0, id="a pod without a node"),
        pytest.param(pod_fact("p", node="n1"), 1000, id="a bound pod"),
        pytest.param(pod_fact("p", node="n1", phase=RUNNING), 1000, id="a running pod"),
        pytest.param(pod_fact("p", node="n1", phase=RUNNING, deleting=True), 1000, id="a pod that is being deleted"),
        pytest.param(pod_fact("p", node="n1", phase=SUCCEEDED), 0, id="a pod that has succeeded"),
        pytest.param(pod_fact("p", node="n1", phase=FAILED), 0, id="a pod that has failed"),
    ],
)
def test_what_a_pod_takes(state, pod, want_cpu):
    state.apply_pod(pod_fact("p", node="n1"))
    state.apply_pod(pod)
    if not pod.node:
        state.remove_pod(pod.key, pod.uid)
        state.apply_pod(pod)

    assert committed(state) == want_cpu


def test_pod_that_ends_asks_for_a_plan(state):
    state.apply_pod(pod_fact("p", node="n1", phase=RUNNING))
    settled(state)
    state.apply_pod(pod_fact("p", node="n1", phase=SUCCEEDED))

    assert state.changes.is_plan_due


def test_pod_that_starts_to_run_asks_for_no_plan(state):
    state.apply_pod(pod_fact("p", node="n1"))
    settled(state)
    state.apply_pod(pod_fact("p", node="n1", phase=RUNNING))

    assert not state.changes.is_plan_due


def test_removed_pod_gives_back_what_it_took(state):
    state.apply_pod(pod_fact("p", node="n1"))
    state.remove_pod(PodKey("default", "p"), "uid-of-p")

    assert (committed(state), state.pods) == (0, {})


def test_late_word_of_a_removed_pod_does_not_remove_its_successor(state):
    state.apply_pod(pod_fact("p", uid="first", node="n1"))
    state.apply_pod(pod_fact("p", uid="second", node="n2"))
    state.remove_pod(PodKey("default", "p"), "first")

    assert (committed(state, "n1"), committed(state, "n2")) == (0, 1000)
    assert state.pods[PodKey("default", "p")].uid == "second"


def test_member_that_another_pod_has_replaced_has_departed(state, holding):
    state.apply_pod(member_fact("g", uid="first", node="n1", phase=FAILED))
    state.apply_pod(member_fact("g", uid="second"))

    assert [pod.uid for pod in state.departed(holding).values()] == ["first"]
    assert [pod.uid for pod in state.members(holding).values()] == ["second"]


def test_removing_what_is_not_there_is_no_change(state, wakes):
    state.remove_pod(PodKey("default", "p"), "uid-of-p")
    state.nodes.remove("n1")
    state.bids.remove("n1")
    state.remove_gang(("default", "g"), "u")

    assert wakes == []


def test_change_of_a_member_is_a_change_of_its_gang(state):
    state.apply_pod(member_fact("g"))
    first = take_changed(state)
    state.remove_pod(member_fact("g").key, member_fact("g").uid)

    assert (first, take_changed(state)) == ({("default", "g")}, {("default", "g")})
    assert take_changed(state) == set()


def test_departed_member_is_remembered_as_it_was_last_seen(state, holding):
    state.apply_pod(member_fact("g", node="n1", phase=SUCCEEDED))
    state.remove_pod(member_fact("g").key, member_fact("g").uid)

    assert state.departed(holding) == {member_fact("g").key: member_fact("g", node="n1", phase=SUCCEEDED)}


NOT_OF_THE_ATTEMPT = [
    pytest.param(member_fact("g", attempt=2), id="another attempt"),
    pytest.param(member_fact("g", rank=2), id="a rank that the gang cannot have"),
    pytest.param(pod_fact("p"), id="unowned"),
]


@pytest.mark.parametrize("pod", NOT_OF_THE_ATTEMPT)
def test_departed_pod_that_is_not_of_the_attempt_is_not_remembered(state, holding, pod):
    state.apply_pod(pod)
    state.remove_pod(pod.key, pod.uid)

    assert state.departed(holding) == {}


def test_departed_member_is_forgotten_with_its_attempt(state, holding):
    state.apply_pod(member_fact("g"))
    state.remove_pod(member_fact("g").key, member_fact("g").uid)
    state.assumptions.forget(holding.key)

    assert state.departed(holding) == {}
    assert state.counts.roster._departed == {}


def test_departed_member_is_forgotten_with_its_gang(state, holding):
    state.apply_pod(member_fact("g"))
    state.remove_pod(member_fact("g").key, member_fact("g").uid)
    state.remove_gang(holding.key, holding.uid)

    assert state.counts.roster._departed == {}


def test_members_of_gangs_that_are_gone_are_orphans(state):
    state.apply_gang(gang_fact("g"))
    state.apply_pod(member_fact("g"))
    state.apply_pod(member_fact("lost", rank=0))
    state.apply_pod(member_fact("lost", rank=1))
    state.apply_pod(pod_fact("foreign"))

    assert {pod.key.name for pod in state.orphans({GangKey("default", "lost")})} == {"lost-1-0", "lost-1-1"}

    state.apply_gang(gang_fact("lost"))
    assert state.orphans({GangKey("default", "lost")}) == []


def test_status_of_ours_asks_for_no_plan(state):
    state.apply_gang(gang_fact("g", version="1"))
    settled(state)
    state.apply_gang(gang_fact("g", version="2", status=GangStatus(attempt=1)))

    assert not state.changes.is_plan_due
    assert take_changed(state) == {("default", "g")}


@pytest.mark.parametrize(
    "after",
    [gang_fact("g", version="2", generation=2), gang_fact("g", version="2", deleting=True)],
    ids=["spec", "deletion"],
)
def test_change_that_the_planner_sees_asks_for_a_plan(state, after):
    state.apply_gang(gang_fact("g", version="1"))
    settled(state)
    state.apply_gang(after)

    assert state.changes.is_plan_due


@pytest.mark.parametrize(
    ("unit_times", "want"),
    [
        pytest.param([UnitTime(2, 100.0), UnitTime(4, 60.0)], True, id="known at one more"),
        pytest.param([UnitTime(2, 101.0)], False, id="another one at the same size"),
    ],
)
def test_speed_that_becomes_known_at_a_size_asks_for_a_plan(state, unit_times, want):
    spec = gang_spec(elastic=ElasticSpec(restart_time=120.0, min_interval=600.0))
    state.apply_gang(gang_fact("g", version="1", spec=spec, status=GangStatus(unit_times=(UnitTime(2, 100.0),))))
    settled(state)
    state.apply_gang(gang_fact("g", version="2", spec=spec, status=GangStatus(unit_times=tuple(unit_times))))

    assert state.changes.is_plan_due == want


def test_pod_of_another_namespace_that_names_the_gangs_uid_is_no_member():
    """Statuses of evicted gangs name the UIDs of gangs in other namespaces."""
    state, uid = State(lambda: None), "uid-of-g"
    gang = gang_fact("g", uid=uid)
    state.apply_gang(gang)
    state.assumptions.hold(reservation("g"))
    before = dict(state.ledger.charged(gang.key, uid, 1))
    foreign = pod_fact("x-1-7", node="n1", member=Membership(GangKey("other", "x"), uid, 1, 7))
    state.apply_pod(replace(foreign, key=PodKey("other", "x-1-7")))

    assert not state.members(gang)
    assert state.ledger.charged(gang.key, uid, 1) == before
