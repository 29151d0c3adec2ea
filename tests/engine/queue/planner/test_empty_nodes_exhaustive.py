"""Whether a refused gang would fit on empty nodes, against exhaustive search on nodes that were emptied by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest

from coschedule.queue.plan import plan
from coschedule.queue.problem.decisions import Unplaceable
from engine.brute.queue import plan_queue
from engine.brute.roles import best_seating
from engine.builders import NOW, gang, node, seeded, snapshot
from engine.queue import test_roles_exhaustive as of_roles
from engine.queue.test_plan_exhaustive import random_snapshot, selected

SEEDS = range(10)


def with_more_taken(rnd, snap):
    """Put pods on the nodes of which some end some time, and others never."""
    amounts = [rnd.choice([(0, 0), (0, 0), (1, 2), (2, 3)]) for _ in range(2 * len(snap.nodes.names))]
    return replace(snap, someday=amounts[::2], lasting=amounts[1::2], most_holding=rnd.randint(0, 1))


def emptied(snap):
    free = snap.free + snap.someday + snap.lasting
    for one in snap.releases:
        free[one.node] += np.array(one.request)
    return replace(snap, free=free, releases=(), someday=(), lasting=(), most_holding=0)


def refused(snap):
    gangs = {one.key: one for one in snap.gangs}
    return [(gangs[one.gang], one) for one in plan(snap).decisions if isinstance(one, Unplaceable)]


@pytest.mark.parametrize("seed", SEEDS)
def test_refused_gang_fits_on_empty_nodes_as_exhaustive_search_says(seed):
    rnd, answers = seeded(seed), set()
    for _ in range(60):
        snap = with_more_taken(rnd, random_snapshot(rnd))
        for pending, decision in refused(snap):
            alone = replace(emptied(snap), gangs=(pending,))
            [(_, want)] = plan_queue(alone, selected(alone))
            assert decision.fits_empty == (want is not None), (pending, decision)
            answers.add(decision.fits_empty)
    assert answers == {True, False}


@pytest.mark.parametrize("keys", [pytest.param((), id="no terms"), pytest.param((of_roles.ZONE,), id="terms on zones")])
@pytest.mark.parametrize("seed", SEEDS)
def test_refused_gang_of_roles_fits_on_empty_nodes_as_exhaustive_search_says(keys, seed):
    rnd = seeded(seed)
    for _ in range(15):
        snap = with_more_taken(rnd, of_roles.random_snapshot(rnd, keys))
        for pending, decision in refused(snap):
            alone = replace(emptied(snap), gangs=(pending,))
            want = best_seating(alone, pending, [], of_roles.selected(alone))
            assert decision.fits_empty == (want is not None), (pending, decision)


@pytest.mark.parametrize(
    ("nodes", "asks", "want"),
    [
        pytest.param([node("n1", free=0, someday=(2,))], {"size": 2}, True, id="others hold the room"),
        pytest.param([node("n1", free=0, lasting=(2,))], {"size": 2}, True, id="lasting pods hold the room"),
        pytest.param([node("n1", free=0, someday=(2,))], {"size": 3}, False, id="it is larger than the nodes"),
        pytest.param(
            [node("n1", free=0, someday=(2,), until=NOW + 5)],
            {"size": 2, "serial": 60},
            False,
            id="the window is too short",
        ),
        pytest.param(
            [node("n1", free=0, someday=(2,))],
            {"size": 1, "serial": 60, "deadline": NOW + 50},
            False,
            id="the deadline is too early",
        ),
    ],
)
def test_gang_fits_on_empty_nodes(nodes, asks, want):
    [decision] = plan(snapshot(nodes, [gang(**asks)])).decisions

    assert decision.fits_empty is want


def test_gang_behind_another_fits_on_empty_nodes():
    decisions = plan(snapshot([node("n1", free=2)], [gang("a", size=2), gang("b", size=2, created=1)])).decisions

    assert decisions[1].fits_empty is True


def test_gang_whose_age_counts_from_an_earlier_time_is_planned_first():
    since = {"a": None, "b": 1.0, "c": 5.0}
    gangs = [replace(gang(name, created=2.0), queued_since=time) for name, time in since.items()]

    assert [one.gang.name for one in plan(snapshot([node("n1", free=3)], gangs)).decisions] == ["b", "a", "c"]


def test_gangs_of_one_age_are_planned_by_creation():
    gangs = [replace(gang(name, created=time), queued_since=9.0) for name, time in (("a", 2.0), ("b", 1.0))]

    assert [one.gang.name for one in plan(snapshot([node("n1", free=3)], gangs)).decisions] == ["b", "a"]


def test_age_must_count_from_a_time():
    with pytest.raises(ValueError, match="queued_since must be a number"):
        replace(gang(), queued_since=math.nan)
