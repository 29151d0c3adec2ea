"""The planner against the single-gang problems, on many cases."""

import math

import pytest

from coschedule.model.goal import Goal
from coschedule.model.run_times import SerialWork
from coschedule.problems.al_saqabi.gang_pieces import GangPieces, place_pieces
from coschedule.problems.al_saqabi.offers import PiecesJob
from coschedule.problems.atallah.proportional import choose_proportional
from coschedule.problems.node import Node
from coschedule.queue.problem.decisions import Placement, Unplaceable
from coschedule.queue.problem.gangs import Load
from engine.builders import NOW, gang, node, only, seeded


@pytest.mark.parametrize("seed", range(20))
def test_proportional_choice_is_that_of_the_single_gang_problem(seed):
    rnd = seeded(seed)
    for _ in range(25):
        offers = random_offers(rnd, slots=rnd.choice([1, 1, 3]))
        work = SerialWork(serial=float(rnd.randint(10, 200)), per_member=rnd.choice([0.0, 1.0, 3.0]))
        minimum = rnd.randint(1, 3)

        placement = only(as_cluster(offers), a_gang(work, minimum, 9, Load.PROPORTIONAL))

        group = choose_proportional(offers, work, Goal(minimum=minimum, maximum=9))
        assert_same_choice(placement, group)
        if isinstance(placement, Placement):
            shares = [one.part.fraction for one in placement.members for _ in range(one.count)]
            assert sorted(shares) == pytest.approx(sorted(float(share) for share in group.shares))


@pytest.mark.parametrize("seed", range(20))
def test_pieces_are_dealt_as_in_the_single_gang_problem(seed):
    rnd = seeded(seed)
    for _ in range(25):
        pieces = rnd.randint(1, 30)
        offers = random_offers(rnd, slots=pieces)
        work = SerialWork(serial=float(pieces * rnd.choice([2, 5])), per_member=rnd.choice([0.0, 1.0, 3.0]))

        placement = only(as_cluster(offers, free=1), a_gang(work, 1, 30, Load.PIECES, pieces=pieces))

        job = PiecesJob(pieces=pieces, seconds_per_piece=work.serial / pieces, per_member=work.per_member)
        group = place_pieces(offers, job)
        assert isinstance(placement, Placement) == isinstance(group, GangPieces)
        if isinstance(placement, Placement):
            assert placement.finish - NOW == pytest.approx(float(group.finish))
            assert placement.size == (group.counts > 0).sum()
            assert sum(one.count * one.part.count for one in placement.members) == pieces


def random_offers(rnd, *, slots):
    return [
        Node(
            start=float(rnd.choice([0, 0, 0, 4, 9])),
            duty_cycle=rnd.choice([0.0, 0.0, 0.5, 3.0]),
            capacity=rnd.choice([1.0, 1.0, 2.0, 0.5]),
            until=rnd.choice([math.inf, math.inf, 20.0, 50.0]),
            slots=slots,
        )
        for _ in range(rnd.randint(1, 12))
    ]


def as_cluster(offers, free=None):
    return [
        node(
            f"n{index:02}",
            free=free or one.slots,
            start=NOW + one.start,
            until=NOW + one.until,
            slowdown=(1 + one.duty_cycle) / one.capacity,
        )
        for index, one in enumerate(offers)
    ]


def a_gang(work, minimum, maximum, load, pieces=None):
    return gang(size=minimum, most=maximum, serial=work.serial, per_member=work.per_member, load=load, pieces=pieces)


def assert_same_choice(placement, group):
    if isinstance(placement, Unplaceable):
        assert not hasattr(group, "members")
        return
    assert placement.finish - NOW == pytest.approx(float(group.finish))
    assert placement.size == group.size
