"""Gangs of every load in a plan: what each member gets, and the same choice as the engine's single-gang problems."""

import math
from dataclasses import replace

import pytest

from coschedule.queue.problem.decisions import Unplaceable
from coschedule.queue.problem.gangs import Load
from coschedule.queue.problem.members import Members
from coschedule.queue.problem.parts import Pieces
from coschedule.queue.problem.refusals import NoTimeForSize, Reason
from engine.builders import NOW, gang, node, only

SPEEDS = [node("n1", slowdown=1.0), node("n2", slowdown=2.0), node("n3", slowdown=4.0)]


def test_equal_members_have_no_share_of_their_own():
    placement = only(SPEEDS, gang(size=2, serial=8))

    assert placement.members == (Members("n1", 1), Members("n2", 1))


def test_proportional_members_have_the_share_of_their_speed():
    placement = only(SPEEDS, gang(size=3, serial=7, load=Load.PROPORTIONAL))

    assert [one.part.fraction for one in placement.members] == pytest.approx([4 / 7, 2 / 7, 1 / 7])
    assert placement.finish == NOW + 4


def test_slow_node_is_welcome_when_shares_are_proportional():
    """With equal shares a node of a quarter of the speed would hold the others up; here it does its part."""
    assert only(SPEEDS, gang(most=3, serial=8)).size == 1
    assert only(SPEEDS, gang(most=3, serial=8, load=Load.PROPORTIONAL)).size == 3


@pytest.mark.parametrize("now", [100.0, NOW, 1.8e9])
def test_fewer_members_are_chosen_where_more_end_at_the_same_float(now):
    """Finishes are compared, and not run times: five and six members both end 1.25 s from now, but for a rounding."""
    nodes = [node(name, free=4, slowdown=1.25) for name in ("n1", "n2")]
    asked = gang(times=[2, 8, 1, 3, 1, 1, 5, 1], size=4, most=10, load=Load.PROPORTIONAL)

    placement = only(nodes, asked, now=now)

    assert (placement.size, placement.finish) == (5, now + 1.25)


def test_members_on_one_node_have_the_same_share():
    placement = only([node("n1", free=2), node("n2", slowdown=2.0)], gang(size=3, serial=5, load=Load.PROPORTIONAL))

    assert [(one.node, one.count) for one in placement.members] == [("n1", 2), ("n2", 1)]
    assert [one.part.fraction for one in placement.members] == pytest.approx([0.4, 0.2])


def test_pieces_are_dealt_for_the_earliest_end():
    placement = only(SPEEDS, gang(most=3, serial=7, load=Load.PIECES, pieces=7))

    assert placement.members == (Members("n1", 1, Pieces(4)), Members("n2", 1, Pieces(2)), Members("n3", 1, Pieces(1)))
    assert placement.finish == NOW + 4


def test_node_is_listed_once_for_each_number_of_pieces():
    placement = only([node("n1", free=3)], gang(size=3, serial=7, load=Load.PIECES, pieces=7))

    assert placement.members == (Members("n1", 1, Pieces(3)), Members("n1", 2, Pieces(2)))


def test_pieces_that_are_dealt_later_are_planned_alike_but_given_to_no_member():
    beforehand = gang(most=3, serial=7, load=Load.PIECES, pieces=7)
    [role] = beforehand.roles
    later = replace(beforehand, roles=(replace(role, dealt_later=True),))

    placement, want = only(SPEEDS, later), only(SPEEDS, beforehand)

    assert placement.members == tuple(Members(one.node, one.count) for one in want.members)
    assert (placement.finish, placement.size) == (want.finish, want.size)


@pytest.mark.parametrize(
    ("load", "pieces"), [(Load.EQUAL, None), (Load.PROPORTIONAL, None), (Load.PIECES, 12)], ids=str
)
@pytest.mark.parametrize("serial", [12, None], ids=["known run time", "unknown run time"])
def test_only_sizes_that_the_program_can_have_are_chosen(load, pieces, serial):
    nodes = [node(f"n{index}") for index in range(7)]

    assert only(nodes, gang(most=16, multiple_of=3, serial=serial, load=load, pieces=pieces)).size == 6
    assert only(nodes, gang(most=16, allowed=(1, 2, 4, 8), serial=serial, load=load, pieces=pieces)).size == 4


def test_deadline_is_met_with_the_fewest_members_that_the_program_can_have():
    nodes = [node(f"n{index}") for index in range(8)]

    assert only(nodes, gang(most=8, serial=12, deadline=NOW + 4)).size == 3
    assert only(nodes, gang(most=8, allowed=(1, 2, 4, 8), serial=12, deadline=NOW + 4)).size == 4


def test_refusal_asks_for_the_least_size_that_the_program_can_have():
    refusal = only(SPEEDS, gang(size=3, most=16, multiple_of=4, serial=12)).refusal

    assert (refusal.reason, refusal.needed) == (Reason.NOT_ENOUGH_ROOM, 4)


def test_no_size_that_the_program_can_have_was_measured():
    refusal = only(SPEEDS, gang(most=3, multiple_of=2, times=[6, math.inf, 2])).refusal

    assert refusal == NoTimeForSize(minimum=1, maximum=3)


def test_fewest_members_for_the_same_finish():
    """Nine pieces take as long on five equal nodes as on three members with three pieces each... and two is too few."""
    nodes = [node(f"n{index}") for index in range(4)]

    placement = only(nodes, gang(most=4, serial=9, load=Load.PIECES, pieces=9))

    assert (placement.size, placement.finish) == (3, NOW + 3)


def test_every_member_has_a_piece_even_where_fewer_would_end_as_soon():
    placement = only(SPEEDS, gang(size=3, serial=3, load=Load.PIECES, pieces=3))

    assert [one.part.count for one in placement.members] == [1, 1, 1]
    assert placement.finish == NOW + 4


def test_gang_has_no_more_members_than_pieces():
    nodes = [node(f"n{index}") for index in range(4)]

    assert only(nodes, gang(most=4, serial=9, load=Load.PIECES, pieces=2)).size == 2


def test_pieces_of_unknown_time_are_dealt_too():
    """Five pieces on four equal nodes take as long as on three: the unit of time does not matter."""
    nodes = [node(f"n{index}") for index in range(4)]

    placement = only(nodes, gang(most=4, load=Load.PIECES, pieces=5))

    assert [one.part.count for one in placement.members] == [2, 2, 1]
    assert (placement.size, placement.finish) == (3, math.inf)


def test_shares_of_unknown_work_are_known():
    placement = only(SPEEDS, gang(size=2, load=Load.PROPORTIONAL))

    assert [one.part.fraction for one in placement.members] == pytest.approx([2 / 3, 1 / 3])


@pytest.mark.parametrize("load", [Load.PROPORTIONAL, Load.PIECES])
def test_fewest_members_that_meet_a_deadline(load):
    nodes = [node(f"n{index}") for index in range(6)]
    pieces = 12 if load is Load.PIECES else None

    placement = only(nodes, gang(most=6, serial=12, load=load, pieces=pieces, deadline=NOW + 4))

    assert (placement.size, placement.finish) == (3, NOW + 4)


@pytest.mark.parametrize("load", [Load.PROPORTIONAL, Load.PIECES])
def test_node_that_is_taken_back_too_soon_is_left_out(load):
    """All three would end at 1004; n3 is taken back before, and the other two need until 1006."""
    nodes = [node("n1"), node("n2"), node("n3", until=NOW + 3)]
    pieces = 12 if load is Load.PIECES else None

    placement = only(nodes, gang(most=3, serial=12, load=load, pieces=pieces))

    assert ([one.node for one in placement.members], placement.finish) == (["n1", "n2"], NOW + 6)


@pytest.mark.parametrize("load", [Load.PROPORTIONAL, Load.PIECES])
def test_refusal_counts_what_a_run_would_take(load):
    nodes = [node("n1", until=NOW + 3)]
    pieces = 12 if load is Load.PIECES else None

    refusal = only(nodes, gang(serial=12, load=load, pieces=pieces))

    assert isinstance(refusal, Unplaceable)
    assert refusal.reason is Reason.WINDOW_TOO_SHORT
    assert (refusal.refusal.needed, refusal.refusal.shortest_seconds) == (1, 12)
