"""Which gangs are evicted for which others, against every set of gangs, on small clusters full of ties."""

import math
from dataclasses import replace

import pytest

from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.plan import plan
from coschedule.queue.preemption import preempt as preempting
from coschedule.queue.preemption.preempt import preempt
from coschedule.queue.problem.order import in_order
from coschedule.queue.problem.running import SmallerSize, SmallerSizes
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


def with_smaller(rnd, one):
    """Let a gang with a slot for each member shrink, sometimes, in any way that the format allows."""
    members = [node for node, (count,) in one.holds for _ in range(count)]
    one = replace(one, size=len(members))
    sizes = [size for size in range(1, len(members)) if rnd.random() < 0.7]
    if not sizes or rnd.random() < 0.2:
        return one
    longer = rnd.choice([20, 100]) if one.end < math.inf else math.inf
    smaller = SmallerSizes(
        nodes=tuple(rnd.sample(members, len(members))),
        request=(1,),
        sizes=tuple(SmallerSize(size, one.end + longer / size) for size in sizes),
        restart_time=rnd.choice([0, 10, 30]),
        keeps=rnd.random() < 0.4,
        lost=rnd.choice([0, 0, 5, 20]),
    )
    return replace(one, smaller=smaller)


def elastic_snapshot(rnd):
    """Most gangs that wait are more urgent than those that run, so that many give way."""
    snap = random_snapshot(rnd)
    waiting = [replace(one, priority=one.priority + 2, may_preempt=True, awaits=-math.inf) for one in snap.gangs]
    running = tuple(with_smaller(rnd, one) for one in snap.running)
    return replace(snap, gangs=tuple(waiting), running=running)


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


@pytest.mark.parametrize("seed", range(16))
def test_gangs_that_shrink_or_are_evicted_equal_exhaustive_search(seed):
    rnd = seeded(seed)
    for _ in range(30):
        snap = elastic_snapshot(rnd)
        assert found_in(snap) == preemptor_and_victims(snap, selected(snap))


@pytest.mark.parametrize("seed", range(8))
def test_gang_that_could_start_before_starts_as_soon_if_others_may_shrink(seed):
    rnd = seeded(seed)
    for _ in range(30):
        snap = elastic_snapshot(rnd)
        rigid = replace(snap, running=tuple(replace(one, smaller=None) for one in snap.running))
        order = [gang.key for gang in in_order(snap.gangs)]
        for before in preempt(rigid, plan(rigid)).preemptions:
            [after] = preempt(snap, plan(snap)).preemptions
            assert order.index(after.gang) <= order.index(before.gang)
            assert after.gang != before.gang or after.lost <= before.lost


def found_in(snap):
    found = preempt(snap, plan(snap)).preemptions
    return (found[0].gang.name, sorted(gave_way(found[0]))) if found else None


def gave_way(preemption):
    """List who gives way, with so many members left."""
    evicted = [(victim.name, 0) for victim in preemption.victims]
    return [*evicted, *((change.gang.name, len(change.nodes)) for change in preemption.shrinks)]


@pytest.mark.parametrize("made", [random_snapshot, elastic_snapshot])
@pytest.mark.parametrize("seed", range(8))
def test_order_of_gangs_changes_nothing(seed, made):
    rnd = seeded(seed)
    snap = made(rnd)
    shuffled = replace(
        snap,
        gangs=tuple(rnd.sample(snap.gangs, len(snap.gangs))),
        running=tuple(rnd.sample(snap.running, len(snap.running))),
        releases=tuple(rnd.sample(snap.releases, len(snap.releases))),
    )

    assert preempt(shuffled, plan(shuffled)) == preempt(snap, plan(snap))
