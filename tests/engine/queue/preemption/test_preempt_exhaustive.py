"""Who is evicted for whom, against every set of gangs, on small clusters full of ties."""

import math
from dataclasses import replace

import pytest

from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.plan import plan
from coschedule.queue.preemption import preempt as preempting
from coschedule.queue.preemption.preempt import preempt
from engine.brute.preemption import preemptor_and_victims
from engine.builders import NOW, gang, node, release, running, seeded, snapshot

FAST = Constraints(node_selector=(("kind", "fast"),))


def random_snapshot(rnd, *, most_waiting=3, most_running=4, most_nodes=3):
    count = rnd.randint(1, most_nodes)
    nodes = [
        node(
            f"n{index}",
            free=rnd.choice([0, 0, 1]),
            until=rnd.choice([math.inf, math.inf, NOW + 90]),
            slowdown=rnd.choice([1.0, 1.0, 2.0]),
            labels={"kind": rnd.choice(["fast", "fast", "slow"])},
        )
        for index in range(count)
    ]
    return snapshot(
        nodes,
        [random_gang(rnd, index) for index in range(rnd.randint(1, most_waiting))],
        runs=[random_running(rnd, index, count) for index in range(rnd.randint(1, most_running))],
        budgets=(rnd.randint(0, 3), 1),
        most_holding=rnd.choice([0, 1]),
        releases=[release(rnd.randrange(count), NOW + rnd.choice([10, 50, 100])) for _ in range(rnd.randint(0, 1))],
    )


def random_gang(rnd, index):
    minimum = rnd.randint(1, 3)
    return gang(
        f"g{index}",
        size=minimum,
        most=rnd.randint(minimum, 4),
        serial=rnd.choice([None, 60, 120, 240]),
        priority=rnd.randint(0, 3),
        created=float(rnd.randint(0, 2)),
        constraints=rnd.choice([Constraints(), Constraints(), FAST]),
        deadline=rnd.choice([None, None, NOW + 100]),
        not_before=rnd.choice([-math.inf, -math.inf, NOW + 20]),
        may_preempt=rnd.random() < 0.7,
        awaits=rnd.choice([-math.inf, -math.inf, NOW + 20]),
    )


def random_running(rnd, index, count):
    nodes = rnd.sample(range(count), rnd.randint(1, count))
    return running(
        f"r{index}",
        *((one, rnd.randint(1, 2)) for one in nodes),
        priority=rnd.randint(0, 2),
        queued_since=float(rnd.randint(0, 2)),
        size=rnd.randint(1, 3),
        since=NOW - rnd.choice([0, 0, 10, 10, 40, -math.inf]),
        end=NOW + rnd.choice([20, 50, 100, math.inf, math.inf]),
        grace=rnd.choice([0, 0, 5, 60]),
        disrupts=[(0, 1)] if rnd.random() < 0.3 else [],
    )


def selected(snap):
    return lambda pending, index: all(
        snap.nodes.labels[index].get(key) == value for key, value in pending.roles[0].constraints.node_selector
    )


@pytest.fixture(autouse=True)
def _one_at_a_time(monkeypatch):
    monkeypatch.setattr(preempting, "MOST_PREEMPTIONS", 1)


@pytest.mark.parametrize("seed", range(16))
def test_victims_equal_exhaustive_search(seed):
    rnd = seeded(seed)
    for _ in range(40):
        snap = random_snapshot(rnd)
        assert found_in(snap) == preemptor_and_victims(snap, selected(snap))


def found_in(snap):
    found = preempt(snap, plan(snap)).preemptions
    return (found[0].gang.name, [victim.name for victim in found[0].victims]) if found else None


@pytest.mark.parametrize("seed", range(8))
def test_order_of_gangs_changes_nothing(seed):
    rnd = seeded(seed)
    snap = random_snapshot(rnd)
    shuffled = replace(
        snap,
        gangs=tuple(rnd.sample(snap.gangs, len(snap.gangs))),
        running=tuple(rnd.sample(snap.running, len(snap.running))),
        releases=tuple(rnd.sample(snap.releases, len(snap.releases))),
    )

    assert preempt(shuffled, plan(shuffled)) == preempt(snap, plan(snap))
