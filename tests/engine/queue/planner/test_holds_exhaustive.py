"""Holds of a queue against exhaustive search."""

from dataclasses import replace

import pytest

from coschedule.queue.plan import plan
from coschedule.queue.problem.decisions import Hold, Placement
from coschedule.queue.problem.gangs import Load
from engine.brute.queue import Held, plan_queue
from engine.builders import gang, nodes_taken, seeded, snapshot
from engine.queue.planner.test_holds import busy
from engine.queue.test_plan_exhaustive import random_snapshot, selected


@pytest.mark.parametrize("seed", range(20))
def test_holds_equal_exhaustive_search(seed):
    rnd = seeded(seed)
    for _ in range(40):
        snap = random_snapshot(rnd, (Load.EQUAL,))
        snap = replace(
            snap,
            gangs=tuple(replace(one, may_hold=rnd.random() < 0.8) for one in snap.gangs),
            someday=[[rnd.randint(0, 2), rnd.randint(0, 3)] for _ in snap.nodes.names],
            most_holding=rnd.randint(1, 2),
        )
        for decision, (_, want) in zip(plan(snap).decisions, plan_queue(snap, selected(snap)), strict=True):
            if isinstance(want, Held):
                assert decision.hold == Hold(
                    nodes=tuple(snap.nodes.names[index] for index in want.nodes), start=want.start
                )
            elif want is None:
                assert decision.hold is None
            else:
                assert isinstance(decision, Placement)
                assert (decision.finish, decision.size, decision.start) == (want.finish, want.size, want.start)


NODES, PLACES, LONGEST = 6, 2, 4


@pytest.mark.parametrize("seed", range(20))
def test_gang_that_holds_starts_when_what_was_there_has_ended(seed):
    """Every round smaller gangs of unknown end come, of which each ends after 4 rounds at the latest."""
    rnd = seeded(seed)
    large = gang("large", size=rnd.choice([7, 9, 12]))
    running = [(f"n{number % NODES}", rnd.randint(1, LONGEST)) for number in range(9)]
    for step in range(LONGEST + 1):
        running = [(name, left - 1) for name, left in running if left > 1] if step else running
        small = [gang(f"s{number}", created=1) for number in range(8)]
        snap = snapshot(nodes_with(running), [large, *small], most_holding=1)
        first, *others = plan(snap).decisions
        if isinstance(first, Placement):
            return
        large = replace(large, held=tuple(snap.nodes.names.index(name) for name in first.hold.nodes))
        taken = [name for one in others if isinstance(one, Placement) for name, _ in nodes_taken(one)]
        assert not set(taken) & set(first.hold.nodes)
        running += [(name, LONGEST) for name in taken]
    pytest.fail("it never started")


def nodes_with(running):
    """Two places a node, some of which are taken by who ends some time."""
    used = [sum(name == f"n{number}" for name, _ in running) for number in range(NODES)]
    return [busy(f"n{number}", free=PLACES - used[number], someday=used[number]) for number in range(NODES)]
