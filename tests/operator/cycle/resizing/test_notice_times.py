"""For how long members may prepare a change: owners and promises come first."""

from dataclasses import replace

import pytest

from builders.facts import bid_fact, gang_fact, member_fact, node_fact, reservation
from builders.served import gang
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.belief.state import State
from lockstep.cycle.resizing.notice_times import PromisedStarts, begin_of_change, beginning_at, latest_begin
from lockstep.facts.cluster.node import OnReturn
from lockstep.facts.elastic import ElasticSpec, NextSize

NOW = 1000.0
GRACE = 30
NEVER = float("inf")
GANG = parse_gang(gang("g", pod_spec={"terminationGracePeriodSeconds": GRACE}), None)


def state_with(*bids):
    """A state with four nodes and these bids."""
    state = State(lambda: None)
    for number in range(1, 5):
        state.nodes.apply(node_fact(f"n{number}"))
    for one in bids:
        state.bids.apply(one)
    state.advance_to(NOW)
    return state


def begin(*bids, before=NEVER, finish=None, goals=(), deadline=None, on=("n1", "n2"), then=("n1", "n2", "n3")):
    """When the change begins at the latest."""
    seconds = None if deadline is None else deadline - GANG.created
    asking = replace(GANG, spec=replace(GANG.spec, deadline_seconds=seconds))
    held = reservation(members=tuple((node, 1) for node in on))
    room = reservation(members=tuple((node, 1) for node in then), finish=finish)
    return begin_of_change(state_with(*bids), asking, held, room, promises=PromisedStarts(before, goals), now=NOW)


def evicting(node="n1", *, grace=0.0, **owner):
    return bid_fact(node, on_return=OnReturn.EVICT, grace_seconds=grace, **owner)


def test_wait_is_two_minutes():
    assert begin() == NOW + 120


@pytest.mark.parametrize(
    ("seconds", "want"), [(1000, 120), (151, 120), (149, 119), (60.5, 30), (40, 10), (39, None), (1, None)]
)
def test_members_have_left_when_their_node_is_taken_back(seconds, want):
    found = begin(bid_fact("n1", until=NOW + seconds), then=("n2", "n3"))

    assert found == (None if want is None else NOW + want)


@pytest.mark.parametrize(("grace", "want"), [(600, 120), (100, 70), (30, None)])
def test_members_have_left_when_the_grace_of_an_owner_who_is_back_is_over(grace, want):
    found = begin(evicting(grace=grace, owner_present=True), then=("n2", "n3"))

    assert found == (None if want is None else NOW + want)


@pytest.mark.parametrize("on_return", [OnReturn.KEEP, OnReturn.PACE])
def test_owner_who_lets_members_stay_shortens_no_wait(on_return):
    assert begin(bid_fact("n1", on_return=on_return, owner_present=True), then=("n2", "n3")) == NOW + 120


@pytest.mark.parametrize(("promised", "want"), [(1000, 120), (100, 70), (35, None), (-5, None)])
def test_members_of_a_gang_that_shrinks_have_left_before_a_promised_start(promised, want):
    assert begin(before=NOW + promised) == (None if want is None else NOW + want)


@pytest.mark.parametrize(("finish", "want"), [(3600, 120), (3850, 50), (3895, None), (None, None)])
def test_next_size_ends_before_its_own_node_is_taken_back(finish, want):
    found = begin(bid_fact("n3", until=NOW + 3900), finish=None if finish is None else NOW + finish)

    assert found == (None if want is None else NOW + want)


@pytest.mark.parametrize(
    ("after", "want"), [(-1, 120), (0, None), (9, None), (10, 10), (50, 50), (119, 119), (121, 120), (9000, 120)]
)
@pytest.mark.parametrize("of", ["deadline", "promise", "promise among others"])
def test_time_that_the_next_size_keeps_without_a_notice_it_keeps_with_one(of, after, want):
    goal = NOW + 3600 + after
    goals = {"deadline": (), "promise": [goal], "promise among others": [NOW, NOW + 9000, goal]}[of]

    found = begin(finish=NOW + 3600, goals=goals, deadline=goal if of == "deadline" else None)

    assert found == (None if want is None else NOW + want)


@pytest.mark.parametrize("goals", [(), [NOW + 10]])
def test_gang_of_unknown_end_has_all_the_time_that_nodes_and_promises_leave(goals):
    assert begin(goals=goals) == NOW + 120


def test_earliest_time_of_all_nodes_counts():
    bids = (bid_fact("n1", until=NOW + 140), evicting("n2", grace=80, owner_present=True), bid_fact("n4", until=NOW))

    assert begin(*bids, then=("n3",)) == NOW + 50


def test_nodes_without_a_bid_may_be_held_for_any_time():
    assert latest_begin(state_with(), gang_fact(), reservation()) == NEVER


RESTART = 40.0
ELASTIC = replace(GANG, spec=replace(GANG.spec, elastic=ElasticSpec(RESTART, 600.0)))


def ends_at(*begins, end, then, progress=""):
    """When a gang ends that would end at ``end``, or at its next size in ``then`` seconds after a change now.

    The change is to begin at the first of the times, then at the next one.
    """
    state = state_with()
    state.apply_pod(member_fact(rank=0, node="n1", progress=progress))
    finish = None if then is None else NOW + RESTART + then
    change = NextSize(members=(), decided_at=NOW, expected_finish=finish, why="")
    for begin in begins:
        change = beginning_at(state, ELASTIC, reservation(finish=end), change, begin=begin, now=NOW)
    assert change.begins_at == begins[-1]
    return change.expected_finish


def worked_out(begin, *, end, then):
    """The same, second by second."""
    left, second = 1.0, NOW
    while second < begin:
        left -= 1 / (end - NOW)
        second += 1
    second += RESTART
    while left > 1e-9:
        left -= 1 / then
        second += 1
    return second + left * then


@pytest.mark.parametrize("then", [500.0, 4000.0])
@pytest.mark.parametrize("end", [NOW + 240, NOW + 1000, NOW + 9000])
@pytest.mark.parametrize("begins", [(0,), (120,), (120, 1), (120, 60), (120, 60, 10), (7, 120)], ids=str)
def test_what_members_do_until_the_change_begins_is_not_left_for_the_next_size(begins, end, then):
    found = ends_at(*(NOW + after for after in begins), end=end, then=then)

    assert found == pytest.approx(worked_out(NOW + begins[-1], end=end, then=then), abs=1e-3)


@pytest.mark.parametrize(
    "known",
    [
        pytest.param({"end": None}, id="end is unknown"),
        pytest.param({"end": NOW + 239}, id="end is near"),
        pytest.param({"end": NOW + 9000, "progress": "0.1"}, id="members report their work"),
    ],
)
def test_gang_ends_as_much_later_as_the_change_begins_where_its_end_does_not_show_what_is_left(known):
    assert ends_at(NOW + 120, then=500.0, **known) == NOW + 120 + RESTART + 500
    assert ends_at(NOW + 120, NOW + 20, then=500.0, **known) == NOW + 20 + RESTART + 500


def test_gang_that_has_no_end_at_its_next_size_gets_none_by_a_notice():
    assert ends_at(NOW + 120, end=NOW + 9000, then=None) is None
