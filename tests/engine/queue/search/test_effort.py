"""How much is tried for a gang is bounded, whatever its load; what was found until then is sound."""

from dataclasses import replace

import pytest

from coschedule.queue.plan import plan, plan_and_count
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.gangs import Load
from coschedule.queue.problem.promise_kinds import Promises
from coschedule.queue.search import effort
from engine.builders import NOW, gang, node, only, release, seeded, snapshot
from engine.queue.soundness import assert_sound

GANGS = 24


def crowd(load, *, deadline=None):
    """Gangs of many sizes on nodes that become free one after the other; each choice takes many steps."""
    chance = seeded(GANGS)
    nodes = [node(f"n{number}", free=2, slowdown=1 + chance.random()) for number in range(8)]
    releases = [release(number % 8, NOW + 10 * chance.random(), 2) for number in range(16)]
    gangs = [
        gang(
            f"g{number}",
            most=20,
            serial=chance.randint(20, 90),
            per_member=0.2,
            member_price=0.3,
            deadline=deadline,
            load=load,
            pieces=40 if load is Load.PIECES else None,
        )
        for number in range(GANGS)
    ]
    return replace(snapshot(nodes, gangs, releases=releases), promises=Promises.SLACK)


@pytest.mark.parametrize("load", [Load.PROPORTIONAL, Load.PIECES])
@pytest.mark.parametrize("deadline", [None, NOW + 10_000], ids=["soonest", "by a deadline"])
def test_every_gang_is_placed_though_next_to_nothing_may_be_tried(load, deadline, monkeypatch):
    monkeypatch.setattr(effort, "MOST_COMBINATIONS", 1)
    facts = crowd(load, deadline=deadline)

    made = plan(facts)

    assert_sound(facts, made)
    assert all(isinstance(one, Placement) for one in made.decisions)
    assert made == plan(facts)


def test_search_ends_where_the_size_of_least_value_ends_before_another_loses_its_slots(monkeypatch):
    """To leave out what does not last until one size ends would bring back what did not last until another did."""
    monkeypatch.setattr(effort, "MOST_COMBINATIONS", 1)
    windows = [node("n1", free=1, until=NOW + 30), node("n2", free=3, slowdown=2.0)]
    proportional = gang(most=6, serial=41, per_member=0.2, member_price=1, load=Load.PROPORTIONAL)
    more = [
        node("n1", free=4, slowdown=2.0, until=NOW + 26),
        node("n2", free=1, slowdown=2.0),
        node("n3", free=3, slowdown=2.0, until=NOW + 29),
        node("n4", free=2, until=NOW + 8),
    ]
    pieces = gang(most=6, serial=19, member_price=0.3, load=Load.PIECES, pieces=6)

    for nodes, one in ((windows, proportional), (more, pieces)):
        facts = snapshot(nodes, [one])
        assert_sound(facts, plan(facts))


@pytest.mark.parametrize("load", [Load.PROPORTIONAL, Load.PIECES])
def test_run_that_fits_is_found_though_next_to_nothing_may_be_tried(load, monkeypatch):
    """Two members cost the least, but only three or four are done before the node is taken back."""
    monkeypatch.setattr(effort, "MOST_COMBINATIONS", 1)
    pieces = 40 if load is Load.PIECES else None
    one = gang(most=4, serial=40, per_member=3, member_price=1, load=load, pieces=pieces)

    placement = only([node("n1", free=4, until=NOW + 23)], one)

    assert (placement.size, placement.start) == (4, NOW)


def test_sizes_that_may_meet_a_deadline_are_counted_whatever_the_load(monkeypatch):
    """The fast node lets all sizes seem possible, and the slow ones none."""
    nodes = [node("fast"), *(node(f"slow{number}", slowdown=100.0) for number in range(40))]
    facts = snapshot(nodes, [gang(size=2, most=40, serial=40, deadline=NOW + 30)])
    everything = plan_and_count(facts).steps
    monkeypatch.setattr(effort, "MOST_COMBINATIONS", everything // 10)

    assert 0 < plan_and_count(facts).steps < everything / 2


@pytest.mark.parametrize("load", [Load.PROPORTIONAL, Load.PIECES])
def test_effort_for_all_gangs_of_a_plan_is_bounded_in_all_its_orders(load, monkeypatch):
    facts = crowd(load)
    everything = plan_and_count(facts).steps
    monkeypatch.setattr(effort, "MOST_IN_A_PLAN", everything // 10)
    monkeypatch.setattr(effort, "LEAST_COMBINATIONS", 1)

    counted = plan_and_count(facts)

    assert counted.steps < everything / 2
    assert_sound(facts, counted.plan)


def test_first_gangs_of_a_plan_choose_as_if_nothing_were_bounded(monkeypatch):
    facts = crowd(Load.PIECES)
    first = plan(facts).decisions[0]
    monkeypatch.setattr(effort, "MOST_IN_A_PLAN", 1)
    monkeypatch.setattr(effort, "LEAST_COMBINATIONS", effort.MOST_COMBINATIONS)

    assert plan(facts).decisions[0] == first
