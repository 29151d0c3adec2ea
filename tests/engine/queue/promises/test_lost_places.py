"""The part of the previous plan for which there is no room any more."""

from dataclasses import replace

import pytest

from coschedule.queue.plan import plan
from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.gangs import Kept, Seat
from coschedule.queue.promises import lost_places
from coschedule.queue.promises.lost_places import part_lost
from engine.builders import NOW, gang, node, seeded, snapshot
from engine.queue.promises.random_places import random_facts


def placed_on(node_index, *, priority=0, **more):
    """Describe a gang whose place in the previous plan is one node, from now on."""
    kept = Kept(start=NOW, finish=NOW + 100, seats=((Seat(node_index, 1),),))
    return replace(gang(f"g{node_index}-{priority}", times=[100], priority=priority, **more), kept=kept)


def test_nothing_is_lost_without_places():
    assert part_lost(snapshot([node("n")], [gang("new")])) == 0
    assert part_lost(snapshot([node("n")], [])) == 0


@pytest.mark.parametrize(("free", "want"), [((1, 1, 1, 1), 0), ((1, 0, 1, 1), 1 / 4), ((0, 0, 0, 0), 1)])
def test_place_on_a_node_without_room_is_lost(free, want):
    nodes = [node(f"n{index}", free=amount) for index, amount in enumerate(free)]

    assert part_lost(snapshot(nodes, [placed_on(index) for index in range(4)])) == want


def test_place_that_a_more_urgent_gang_keeps_is_lost():
    assert part_lost(snapshot([node("n")], [placed_on(0), placed_on(0, priority=1)])) == 1 / 2


@pytest.mark.parametrize(("most", "want"), [(2, 0), (4, 1 / 4)])
def test_in_a_long_queue_only_the_places_with_the_earliest_starts_are_counted(most, want, monkeypatch):
    monkeypatch.setattr(lost_places, "MOST_PLACES", most)
    gangs = [placed_on(index) for index in range(4)]
    gangs[0] = replace(gangs[0], kept=replace(gangs[0].kept, start=NOW + 10))
    nodes = [node(f"n{index}", free=int(index > 0)) for index in range(4)]

    assert part_lost(snapshot(nodes, gangs)) == want


def test_gangs_that_are_refused_are_read_once_however_many_wait(monkeypatch):
    reads, refused = [], Planner.refused.fget
    monkeypatch.setattr(Planner, "refused", property(lambda planner: reads.append(planner) or refused(planner)))

    part_lost(snapshot([node(f"n{index}") for index in range(4)], [placed_on(index) for index in range(4)]))

    assert len(reads) == 1


def test_plan_of_a_snapshot_on_which_nothing_is_lost_delays_no_gang():
    together = [gangs_with_room(random_facts(seeded(seed))) for seed in range(40)]

    for facts in together:
        promised = {one.key: one.promised for one in facts.gangs}
        for decision in plan(facts).decisions:
            assert isinstance(decision, Placement)
            assert decision.start <= promised[decision.gang]
    assert sum(len(facts.gangs) for facts in together) > 40


def gangs_with_room(facts):
    """Return the facts with the gangs whose places have room together, with their starts as promises."""
    kept = replace(facts, gangs=())
    for one in facts.gangs:
        promised = replace(one, promised=max(NOW, one.kept.start))
        with_it = replace(facts, gangs=(*kept.gangs, promised))
        kept = with_it if part_lost(with_it) == 0 else kept
    return kept
