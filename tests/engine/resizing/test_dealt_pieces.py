"""Gangs whose members get pieces while they run: how slow they are, and which sizes they get."""

import math
from itertools import product

import numpy as np
import pytest

from coschedule.model.run_times import SerialWork, TimesWork
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing.gangs.dealt_pieces import DealtPieces
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.size_plan import RunSeats
from coschedule.resizing.gangs.sized_run import ChangeTerms
from coschedule.resizing.sizes import SizeQuestion, choose_sizes

HOUR = 3600.0


def least_time(pieces, slowdowns):
    """The end of the last piece, by all ways to deal."""
    ways = (way for way in product(range(pieces + 1), repeat=len(slowdowns)) if sum(way) == pieces)
    return min(max(count * slow for count, slow in zip(way, slowdowns, strict=True)) for way in ways)


@pytest.mark.parametrize("slowdowns", [(1.0,), (1.0, 2.0), (0.5, 1.5, 3.0), (2.0, 2.0), (1.0, 1.0, 9.0)])
@pytest.mark.parametrize("pieces", [1, 2, 3, 7])
def test_pace_is_that_of_the_best_deal(pieces, slowdowns):
    work = SerialWork(serial=70.0, fixed=4, per_member=1.5)
    size = len(slowdowns)

    found = DealtPieces(pieces, work).pace(np.array(slowdowns)) * work.float_time(size)

    want = least_time(pieces, slowdowns) * 70.0 / pieces + 4 + 1.5 * size
    assert found == pytest.approx(want)


def run(*, nodes, pieces, most=8, keeps=True):
    """A gang with a hundred hours of work left, or the same in pieces that members get while they run."""
    return ElasticRun(
        key=GangKey("default", "g"),
        created=0.0,
        sizes=Sizes(minimum=1, maximum=most),
        request=(1,),
        work=SerialWork(serial=100 * HOUR),
        left=1.0,
        pieces=pieces,
        nodes=nodes,
        end=100 * HOUR,
        terms=ChangeTerms(),
        keeps=keeps,
    )


def chosen(gang, slowdowns, idle):
    """The nodes that the gang gets, or has already."""
    seats = RunSeats(np.array(slowdowns), np.full(len(slowdowns), math.inf), idle)
    plan = choose_sizes(SizeQuestion(0.0, seats, [gang], []))
    return plan.changes[0].nodes if plan.changes else gang.nodes


@pytest.mark.parametrize(("pieces", "want"), [(None, (0, 1)), (1000, (0, 1, 2, 3))])
def test_members_on_slow_nodes_help_only_if_pieces_are_dealt(pieces, want):
    assert chosen(run(nodes=(0, 1), pieces=pieces), [1.0, 1.0, 4.0, 4.0], (2, 3)) == want


@pytest.mark.parametrize(("pieces", "size"), [(1000, 4), (5, 3), (3, 3), (2, 2), (1, 1)])
def test_no_member_joins_that_would_not_end_the_gang_sooner(pieces, size):
    assert len(chosen(run(nodes=(0,), pieces=pieces, most=4), [1.0] * 4, (1, 2, 3))) == size


def test_gang_ends_as_all_ways_to_deal_its_pieces_say():
    seats = RunSeats(np.array([1.0, 3.0]), np.full(2, math.inf), (1,))

    [change] = choose_sizes(SizeQuestion(0.0, seats, [run(nodes=(0,), pieces=8)], [])).changes

    assert change.nodes == (0, 1)
    assert change.end == pytest.approx(ChangeTerms().restart_time + least_time(8, (1.0, 3.0)) / 8 * 100 * HOUR)


@pytest.mark.parametrize(("pieces", "work"), [(0, SerialWork(serial=1.0)), (3, TimesWork(times=(1.0,)))])
def test_pieces_need_work_that_says_how_long_one_takes(pieces, work):
    with pytest.raises(ValueError, match="gang"):
        ElasticRun(
            key=GangKey("default", "g"),
            created=0.0,
            sizes=Sizes(minimum=1, maximum=1),
            request=(1,),
            work=work,
            left=1.0,
            pieces=pieces,
            nodes=(0,),
            end=1.0,
            terms=ChangeTerms(),
        )
