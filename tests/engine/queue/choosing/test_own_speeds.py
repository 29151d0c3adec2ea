"""Kinds of nodes that are faster or slower for some gangs: what is chosen, kept and reported is as fast as for them."""

import json

import numpy as np
import pytest

from coschedule.model.kinds import NO_KIND, number_kinds
from coschedule.queue.choosing.own_speeds import own_times
from coschedule.queue.codec import decode_snapshot, encode_snapshot
from coschedule.queue.keeping.memory import remembering
from coschedule.queue.plan import plan
from coschedule.queue.problem.gangs import Load
from coschedule.queue.problem.parts import encode_part
from coschedule.queue.why.by_speed import nodes_by_speed
from coschedule.queue.why.following import turn_of
from engine.builders import NOW, gang, node, nodes_taken, only, role, snapshot

TWO_KINDS = [node("a", kind=0), node("b", kind=1)]
SLOW_ON_A = [(0, 2.0)]


def times_of(decision):
    return (decision.start, decision.finish, nodes_taken(decision))


def test_gang_goes_where_it_is_fastest_itself():
    decision = only(TWO_KINDS, gang(serial=8, factors=SLOW_ON_A))

    assert times_of(decision) == (NOW, NOW + 8, (("b", 1),))


def test_slowest_node_is_the_slowest_for_the_gang():
    nodes = [node("a", kind=0), node("b", slowdown=1.5)]

    decision = only(nodes, gang(size=2, serial=8, factors=SLOW_ON_A))

    assert (decision.finish, decision.slowest) == (NOW + 8, "a")


def test_node_without_a_kind_is_as_fast_as_for_others():
    assert only([node("a")], gang(serial=8, factors=SLOW_ON_A)).finish == NOW + 8


@pytest.mark.parametrize(
    ("load", "pieces", "want"),
    [
        pytest.param(Load.PROPORTIONAL, None, [{"share": 1 / 3}, {"share": 2 / 3}], id="proportional"),
        pytest.param(Load.PIECES, 6, [{"pieces": 2}, {"pieces": 4}], id="pieces"),
    ],
)
def test_work_is_divided_as_fast_as_nodes_are_for_the_gang(load, pieces, want):
    decision = only(TWO_KINDS, gang(size=2, serial=12, load=load, pieces=pieces, factors=SLOW_ON_A))

    assert decision.finish == NOW + 8
    assert [encode_part(one.part) for one in decision.members] == [pytest.approx(one) for one in want]


def test_fast_kind_counts_for_a_deadline():
    late = only([node("a", kind=0)], gang(serial=8, deadline=NOW + 10, factors=SLOW_ON_A))
    in_time = only([node("a", kind=0)], gang(serial=8, deadline=NOW + 10, factors=[(0, 1.25)]))

    assert late.refusal.late_seconds == 6
    assert in_time.finish == NOW + 10


def test_speeds_are_reported_as_they_are_for_the_gang():
    snap = snapshot(TWO_KINDS, [gang(serial=8, factors=SLOW_ON_A)])
    made = plan(snap)
    [decision] = made.decisions

    groups = nodes_by_speed(turn_of(snap, made, decision.gang), decision)

    assert [(one.slowdown, one.used) for one in groups] == [(1.0, 1), (2.0, 0)]


def test_what_is_kept_goes_where_the_gang_has_become_faster_or_slower():
    before = snapshot(TWO_KINDS, [gang(serial=8, factors=SLOW_ON_A)])
    made = plan(before)

    def kept(nodes, factors):
        [found] = remembering(snapshot(nodes, [gang(serial=8, factors=factors)]), before, made).gangs
        return found.kept

    other_kinds = [node("a", kind=0), node("b", kind=0)]
    assert kept(TWO_KINDS, SLOW_ON_A) is not None
    assert kept(TWO_KINDS, []) is not None, "it is on b, where nothing has changed"
    assert kept(TWO_KINDS, [(1, 1.5)]) is None
    assert kept(other_kinds, SLOW_ON_A) is None


def test_snapshot_with_factors_can_be_written_and_read():
    snap = snapshot(TWO_KINDS, [gang(serial=8, factors=SLOW_ON_A)])

    again = decode_snapshot(json.loads(json.dumps(encode_snapshot(snap))))

    assert again.gangs == snap.gangs
    assert plan(again) == plan(snap)


def test_snapshot_of_before_there_were_kinds_can_be_read():
    document = encode_snapshot(snapshot(TWO_KINDS, [gang(serial=8)]))
    del document["kinds"], document["gangs"][0]["factors"]

    assert decode_snapshot(document).kinds.tolist() == [NO_KIND, NO_KIND]


@pytest.mark.parametrize("times", [0.0, -1.0, float("inf"), float("nan"), 1e308])
def test_factor_that_makes_no_slow_down_is_refused(times):
    with pytest.raises(ValueError, match="positive and finite, also by the factors"):
        snapshot([node("a", kind=0, slowdown=10.0)], [gang(factors=[(0, times)])])


def test_two_factors_for_one_kind_are_refused():
    with pytest.raises(ValueError, match="one factor for each kind"):
        gang(factors=[(0, 1.0), (0, 2.0)])


def test_kinds_are_numbered_by_name():
    kinds, numbers = number_kinds(["large", "", "gpu", "large"])

    assert kinds.tolist() == [1, NO_KIND, 0, 1]
    assert numbers == {"gpu": 0, "large": 1}


def test_several_roles_with_pieces_take_as_long_as_the_one_that_ends_last():
    # 12 and 20 units on one node each; for this gang the first is three times as slow, the second twice as fast.
    roles = [
        role("a", load=Load.PIECES, pieces=12),
        role("b", load=Load.PIECES, pieces=4, weight=5),
    ]
    on = [(np.array([0]), np.array([1])), (np.array([1]), np.array([1]))]

    assert own_times(roles, on, np.array([1.0, 1.0]), np.array([3.0, 0.5])) == 36 / 20
