"""The planner against exhaustive search, on small clusters full of ties, holes, windows and slow nodes."""

import math

import pytest

from coschedule.cluster import choice
from coschedule.cluster.plan import Placement, Unplaceable, plan
from coschedule.cluster.snapshot import Constraints
from engine.brute.queue import plan_queue
from engine.builders import NOW, gang, node, release, seeded, snapshot

FAST = Constraints(node_selector=(("kind", "fast"),))


def random_snapshot(rnd):
    count = rnd.randint(1, 4)
    nodes = [random_node(rnd, index) for index in range(count)]
    releases = [
        release(rnd.randrange(count), NOW + rnd.randint(1, 16), 1, rnd.randint(0, 2)) for _ in range(rnd.randint(0, 4))
    ]
    gangs = [random_gang(rnd, index) for index in range(rnd.randint(1, 4))]
    return snapshot(nodes, gangs, releases=releases, resources=("slots", "memory"))


def random_node(rnd, index):
    # Dyadic slow-downs and times with small divisors: every sum below is exact in floats, so ties are real ties.
    start = rnd.choice([-math.inf, NOW - 5, NOW, NOW + 2, NOW + 6])
    until = rnd.choice([math.inf, math.inf, NOW + 8, NOW + 20, NOW - 1])
    kind = rnd.choice(["fast", "slow"])
    free = (rnd.randint(-1, 2), rnd.randint(-1, 4))
    slowdown = rnd.choice([1.0, 1.0, 1.5, 2.0])
    return node(f"n{index}", free=free, start=start, until=until, slowdown=slowdown, labels={"kind": kind})


def random_gang(rnd, index):
    minimum = rnd.randint(1, 3)
    return gang(
        f"g{index}",
        size=minimum,
        most=rnd.randint(minimum, 4),
        serial=rnd.choice([None, 6, 12, 12, 24]),
        request=(1, rnd.randint(0, 2)),
        priority=rnd.randint(0, 1),
        created=float(rnd.randint(0, 2)),
        constraints=rnd.choice([Constraints(), Constraints(), FAST]),
        deadline=rnd.choice([None, None, NOW + 10, NOW + 25]),
    )


def selected(snap):
    return lambda pending, index: all(
        snap.nodes.labels[index].get(key) == value for key, value in pending.constraints.node_selector
    )


@pytest.fixture(params=[(1, 1), (2, 3), (16, 16)], ids=["one by one", "a few at once", "as shipped"])
def portions(request, monkeypatch):
    """Small clusters are searched at one stroke, so cut the portions down to see what happens between them."""
    at_once, ranges = request.param
    monkeypatch.setattr(choice, "_AT_ONCE", at_once)
    monkeypatch.setattr(choice, "_MOST_RANGES", ranges)


@pytest.mark.usefixtures("portions")
@pytest.mark.parametrize("seed", range(10))
def test_plan_equals_exhaustive_search(seed):
    rnd = seeded(seed)
    for _ in range(40):
        snap = random_snapshot(rnd)

        decisions = plan(snap).decisions

        for decision, (pending, want) in zip(decisions, plan_queue(snap, selected(snap)), strict=True):
            assert decision.gang == pending.key
            if want is None:
                assert isinstance(decision, Unplaceable), (snap.gangs, decision)
            else:
                assert isinstance(decision, Placement), (decision, want)
                assert (decision.finish, decision.size, decision.start) == (want.finish, want.size, want.start)
                assert decision.members == tuple(
                    (snap.nodes.names[index], members) for index, members in enumerate(want.counts) if members
                )
