"""What belief knows of preemptions: which gangs give way to which, which could, until when, and what budgets say."""

import math
from dataclasses import replace

import pytest

from builders.facts import DEFAULT, gang_fact, gang_spec, member_fact, node_fact, reservation
from builders.served import budget
from coschedule import GangKey, Members, SizeChange
from lockstep.api.cluster.budget import parse_budget, unreadable_budget
from lockstep.api.preemption import GangUid, Urgent, for_urgent_gang, named_preemptor, preemption_clause, shrinks_for
from lockstep.belief.state import State
from lockstep.facts.cluster.cluster import PriorityClass
from lockstep.facts.elastic import ElasticSpec
from lockstep.facts.gang.policies import Policies
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.pods.pod import PodPhase
from lockstep.report.text.sentences import as_sentence
from lockstep.report.text.size_sentences import shrink_for, size_change
from lockstep.snapshot.holders.awaited_ends import awaited_end
from lockstep.snapshot.holders.disruptions import disruptions, still_allowed
from lockstep.snapshot.holders.endings import expected_end
from lockstep.snapshot.holders.running import evictable_gangs, lowest_held_priority
from lockstep.snapshot.nodes.resource_columns import Columns

NOW = 1000.0
COLD, HOT = GangKey(DEFAULT, "cold"), GangKey(DEFAULT, "hot")
MEMBERS = (Members("n1", 1), Members("n2", 1))
SENTENCE = f"Gang {DEFAULT}/hot, of priority 5, takes the place of this gang."


def condition(kind, status="True", reason="", message=""):
    return ConditionFact(kind, status, reason, message, 1, NOW)


def holding(name="cold", *conditions, version="1", spec=None, **status):
    """Describe a gang whose first attempt holds a place on n1 and n2."""
    held = GangStatus(attempt=1, members=MEMBERS, reserved_at=NOW - 50, conditions=conditions, **status)
    return gang_fact(name, version=version, spec=spec, status=held)


def runs(name="cold", rank=0, **more):
    labels = (("lockstep.dev/gang", name), ("lockstep.dev/rank", str(rank)))
    return member_fact(name, rank=rank, node=f"n{rank + 1}", phase=PodPhase.RUNNING, labels=labels, **more)


@pytest.fixture
def state():
    """Two nodes, and a gang that runs there."""
    state = State(lambda: None)
    for name in ("n1", "n2"):
        state.nodes.apply(node_fact(name))
    state.priorities.apply(PriorityClass("urgent", 5, is_default=False))
    state.apply_gang(holding(started_at=NOW - 40))
    for rank in (0, 1):
        state.apply_pod(runs(rank=rank))
    return state


def evictable(state, *, below=5):
    return evictable_gangs(state, {"n1": 0, "n2": 1}, Columns(("cpu",), {}), NOW, below=below)


def urgent(**more):
    return gang_fact("hot", spec=gang_spec(priority_class="urgent"), **more)


def test_gang_that_runs_can_be_evicted_for_a_more_urgent_one(state):
    [one] = evictable(state).running

    assert (one.key, one.priority, one.size, one.since) == (COLD, 0, 2, NOW - 40)
    assert (one.end, one.grace) == (math.inf, 30)
    assert one.holds == ((0, (1000,)), (1, (1000,)))


@pytest.mark.parametrize(
    ("terms", "want"),
    [
        pytest.param(ElasticSpec(restart_time=120.0, min_interval=600.0), NOW - 4000, id="that changed its size"),
        pytest.param(None, NOW - 40, id="that was restarted"),
    ],
)
def test_gang_whose_size_has_just_changed_has_run_for_as_long_as_before(state, terms, want):
    spec = replace(gang_spec(size=1, most=4), elastic=terms)
    state.gangs[COLD] = holding(spec=spec, started_at=NOW - 40, active_since=NOW - 4000)

    assert [one.since for one in evictable(state).running] == [want]


def test_age_of_a_victim_counts_from_when_it_goes_on(state):
    state.gangs[COLD] = holding(queued_since=NOW - 70)

    assert [one.queued_since for one in evictable(state).running] == [NOW - 70]


def test_gang_of_that_priority_cannot(state):
    assert evictable(state, below=0).running == ()


@pytest.mark.parametrize(
    ("seconds", "want"), [(0, 0.0), (7, 7.0), (-5, 1.0), (None, 30.0)], ids=["none", "some", "below none", "not said"]
)
def test_grace_is_that_of_the_template(state, seconds, want):
    template = {"spec": {"containers": [], **({} if seconds is None else {"terminationGracePeriodSeconds": seconds})}}
    state.gangs[COLD] = holding(spec=gang_spec(template=template))

    assert [one.grace for one in evictable(state).running] == [want]


def test_no_grace_is_longer_than_an_hour(state):
    template = {"spec": {"containers": [], "terminationGracePeriodSeconds": 2**63 - 1}}
    state.gangs[COLD] = holding(spec=gang_spec(template=template))

    assert [one.grace for one in evictable(state).running] == [3600.0]


def test_member_that_a_user_deletes_with_a_longer_grace_is_expected_to_end_in_an_hour(state):
    state.giving_way.evicted.decide(COLD, HOT)
    for rank in (0, 1):
        state.apply_pod(runs(rank=rank, deleting=True, gone_by=NOW + 1e9))

    assert awaited_end(state, HOT, NOW) == NOW + 3600


def test_gang_that_is_being_torn_down_cannot_be_evicted_again(state):
    state.apply_gang(holding("cold", condition("Placed", "False", "Undoing"), version="2"))

    assert evictable(state).running == ()


def test_gang_that_is_to_be_suspended_is_not_evicted_as_well(state):
    state.gangs[COLD] = replace(state.gangs[COLD], policies=Policies(is_suspended=True))

    assert evictable(state).running == ()


def test_gang_that_is_about_to_be_evicted_ends_after_its_grace(state):
    state.giving_way.evicted.decide(COLD, HOT)

    assert evictable(state).running == ()
    assert expected_end(state, state.reservations[COLD], NOW) == NOW + 30
    assert awaited_end(state, HOT, NOW) == NOW + 30


def test_pods_that_are_being_deleted_say_until_when(state):
    state.giving_way.evicted.decide(COLD, HOT)
    state.apply_pod(runs(rank=0, deleting=True, gone_by=NOW + 12))
    state.apply_pod(runs(rank=1, deleting=True, gone_by=NOW + 9))

    assert awaited_end(state, HOT, NOW) == NOW + 12


def test_pods_that_overrun_their_grace_are_expected_a_little_later(state):
    state.giving_way.evicted.decide(COLD, HOT)
    for rank in (0, 1):
        state.apply_pod(runs(rank=rank, deleting=True, gone_by=NOW - 70))

    # Deleted 100 s ago with a grace of 30 s, which 25 steps of a twentieth make 101.6 s.
    assert awaited_end(state, HOT, NOW) == pytest.approx(NOW - 100 + 30 * 1.05**25)


def test_gang_that_holds_nothing_any_more_is_not_awaited(state):
    state.giving_way.evicted.decide(COLD, HOT)
    state.assumptions.forget(COLD)

    assert awaited_end(state, HOT, NOW) is None
    assert state.giving_way.evicted.victims_of(HOT) == ()


def test_status_names_the_preemptor_until_the_gang_is_placed_again(state):
    state.apply_gang(holding("cold", condition("Preempted", message=SENTENCE), version="2"))
    assert state.giving_way.evicted.victims_of(HOT) == (COLD,)
    assert state.giving_way.evicted.preemptor_of(COLD) == HOT

    state.apply_gang(holding("cold", condition("Preempted", "False", message="The gang is placed again."), version="3"))
    assert state.giving_way.evicted.victims_of(HOT) == ()
    assert state.giving_way.evicted.preemptor_of(COLD) is None


def test_decision_outlives_a_change_of_the_gang_without_it(state):
    state.giving_way.evicted.decide(COLD, HOT)
    state.apply_gang(holding(version="2"))
    assert state.giving_way.evicted.victims_of(HOT) == (COLD,)

    state.apply_gang(holding("cold", condition("Preempted", message=SENTENCE), version="3"))
    state.assumptions.forget(COLD)
    assert state.giving_way.evicted.victims_of(HOT) == (COLD,)


def test_gang_that_is_gone_gives_way_to_no_other(state):
    state.apply_gang(holding("cold", condition("Preempted", message=SENTENCE), version="2"))

    state.remove_gang(COLD, "uid-of-cold")

    assert state.giving_way.evicted.victims_of(HOT) == ()


@pytest.mark.parametrize(
    "gang", [GangKey("default", "hot"), GangKey("team-1", "a.b-c.9")], ids=lambda one: f"{one.namespace}/{one.name}"
)
def test_preemptor_is_read_as_it_was_formatted(gang):
    clause = preemption_clause(Urgent(gang, "uid-1", -7), victim=GangKey(gang.namespace, "cold"))

    assert named_preemptor(clause) == named_preemptor(as_sentence(clause)) == gang
    assert shrinks_for(clause) is None


def test_preemptor_of_another_namespace_is_read_by_its_uid():
    urgent = Urgent(HOT, "0b8e-7F", -7)
    evicted = preemption_clause(urgent, victim=GangKey("team-1", "cold"))
    shrunk = shrink_for(SizeChange(COLD, 2, (0,), NOW, NOW), for_urgent_gang(urgent, giver=GangKey("team-1", "cold")))

    assert evicted == "a gang of another namespace, of priority -7 and UID 0b8e-7F, takes the place of this gang"
    assert named_preemptor(evicted) == named_preemptor(as_sentence(evicted)) == GangUid("0b8e-7F")
    assert shrunk.startswith("shrinks from 2 to 1 member for an urgent gang of another namespace, of priority -7 and")
    assert shrinks_for(shrunk) == shrinks_for(as_sentence(shrunk)) == GangUid("0b8e-7F")
    assert (shrinks_for(evicted), named_preemptor(shrunk)) == (None, None)


@pytest.mark.parametrize(
    "sentence", ["", "Another gang takes the place of this gang.", "gang default, of priority 1", "Gang A/b, of"]
)
def test_foreign_sentence_names_no_gang(sentence):
    assert named_preemptor(sentence) is None


@pytest.mark.parametrize("open_ended", [False, True])
def test_gang_for_which_another_one_shrinks_is_read_as_it_was_formatted(open_ended):
    change = SizeChange(COLD, 2, (0,), NOW + 900, NOW + 300, is_open_ended=open_ended)
    clause = shrink_for(change, for_urgent_gang(Urgent(HOT, "uid-1", 5), giver=COLD), restart_time=120.0)

    assert shrinks_for(clause) == shrinks_for(as_sentence(clause)) == HOT
    assert (named_preemptor(clause), shrinks_for(shrink_for(change)), shrinks_for(size_change(change))) == (None,) * 3


@pytest.mark.parametrize("status", ["True", "False"])
def test_gang_that_shrinks_is_not_evicted(state, status):
    says = "Shrinks from 2 to 1 member for urgent gang default/hot, of priority 5: its end is unknown."
    state.apply_gang(holding("cold", condition("Preempted", status, "ShrunkForGang", says), version="2"))

    assert (state.giving_way.shrunk.victims_of(HOT), state.giving_way.evicted.victims_of(HOT)) == ((COLD,), ())
    assert awaited_end(state, HOT, NOW) is None
    state.apply_gang(holding("cold", condition("Preempted", "True", "Preempted", SENTENCE), version="3"))
    assert (state.giving_way.shrunk.victims_of(HOT), state.giving_way.evicted.victims_of(HOT)) == ((), (COLD,))


def test_budget_counts_members_that_run(state):
    fact = parse_budget(budget(allowed=1))
    state.budgets.apply(fact)
    state.apply_pod(runs(rank=1, deleting=True))

    assert disruptions(state, state.gangs[COLD], state.reservations[COLD]) == {fact: 1}


@pytest.mark.parametrize(
    ("selector", "want"),
    [
        pytest.param({}, 2, id="everything"),
        pytest.param({"matchLabels": {"lockstep.dev/gang": "cold"}}, 2, id="the gang"),
        pytest.param({"matchLabels": {"lockstep.dev/rank": "1"}}, 2, id="one rank, and so any"),
        pytest.param({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, 0, id="a label that no member has"),
    ],
)
def test_budget_counts_what_it_selects(state, selector, want):
    state.budgets.apply(parse_budget(budget(selector=selector)))

    assert disruptions(state, state.gangs[COLD], state.reservations[COLD]).total() == want


def test_gangs_on_their_way_out_use_up_a_budget(state):
    fact = parse_budget(budget(allowed=3))
    state.budgets.apply(fact)
    assert still_allowed(state).of(fact) == 3

    state.giving_way.evicted.decide(COLD, HOT)

    assert still_allowed(state).of(fact) == 1


@pytest.mark.parametrize(
    "manifest",
    [
        budget(allowed=-4),
        budget(allowed=7, counted=1, generation=2),
        {"metadata": {"namespace": "default", "name": "b", "generation": 1}, "spec": {}},
    ],
    ids=["below 0", "not counted since it was changed", "never counted"],
)
def test_budget_allows_nothing(manifest):
    assert parse_budget(manifest).allowed == 0


def test_budget_that_cannot_be_understood_protects_everything():
    fact = unreadable_budget(budget(allowed=5), ValueError())

    assert (fact.selector, fact.allowed) == ((), 0)


def test_lowest_priority_that_is_held_is_that_of_gangs_with_nodes(state):
    state.priorities.apply(PriorityClass("low", -5, is_default=False))
    state.apply_gang(urgent())
    state.apply_gang(gang_fact("waits", spec=gang_spec(priority_class="low")))

    assert lowest_held_priority(state) == 0
    state.assumptions.forget(COLD)
    assert lowest_held_priority(state) == math.inf


def test_reservation_that_no_status_stands_for_yet_cannot_be_evicted():
    state = State(lambda: None)
    state.apply_gang(gang_fact("cold"))
    state.assumptions.hold(reservation("cold"))

    assert evictable(state).running == ()
