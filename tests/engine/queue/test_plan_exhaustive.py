"""The planner against exhaustive search, on small clusters full of ties, holes, windows and slow nodes."""

import math
from dataclasses import replace

import numpy as np
import pytest

from coschedule.model.kinds import NO_KIND, KindFactor
from coschedule.queue.constraints.terms import Constraints, Taint, Toleration
from coschedule.queue.loads import equal, unequal
from coschedule.queue.plan import plan
from coschedule.queue.problem.decisions import Placement, Unplaceable
from coschedule.queue.problem.gangs import Load
from engine.brute.queue import plan_queue
from engine.builders import NOW, gang, node, nodes_taken, release, seeded, snapshot

LOADS = (Load.EQUAL, Load.PROPORTIONAL, Load.PIECES)
TAINTS = (Taint("a", "", "NoExecute"), Taint("b", "", "NoExecute"))
FAST = Constraints(node_selector=(("kind", "fast"),))


def random_snapshot(rnd, loads=(Load.EQUAL,)):
    count = rnd.randint(1, 4)
    # The speed of several members together must be exact too.
    slowdowns = [1.0, 1.0, 1.5, 2.0] if loads == (Load.EQUAL,) else [0.5, 1.0, 1.0, 2.0]
    nodes = [random_node(rnd, index, slowdowns) for index in range(count)]
    releases = [
        release(rnd.randrange(count), NOW + rnd.randint(1, 16), 1, rnd.randint(0, 2)) for _ in range(rnd.randint(0, 4))
    ]
    gangs = [random_gang(rnd, index, loads) for index in range(rnd.randint(1, 4))]
    return snapshot(nodes, gangs, releases=releases, resources=("slots", "memory"))


def random_node(rnd, index, slowdowns):
    # Dyadic slow-downs and times with small divisors: every sum below is exact in floats, so ties are real ties.
    start = rnd.choice([-math.inf, NOW - 5, NOW, NOW + 2, NOW + 6])
    until = rnd.choice([math.inf, math.inf, NOW + 8, NOW + 20, NOW - 1])
    kind = rnd.choice(["fast", "slow"])
    free = (rnd.randint(-1, 2), rnd.randint(-1, 4))
    slowdown = rnd.choice(slowdowns)
    return node(f"n{index}", free=free, start=start, until=until, slowdown=slowdown, labels={"kind": kind})


def random_gang(rnd, index, loads):
    minimum = rnd.randint(1, 3)
    load = rnd.choice(loads)
    return gang(
        f"g{index}",
        size=minimum,
        most=rnd.randint(minimum, 4),
        **random_gaps(rnd, minimum),
        serial=rnd.choice([None, 6, 12, 12, 24]),
        request=(1, rnd.randint(0, 2)),
        priority=rnd.randint(0, 1),
        created=float(rnd.randint(0, 2)),
        constraints=rnd.choice([Constraints(), Constraints(), FAST]),
        deadline=rnd.choice([None, None, NOW + 10, NOW + 25]),
        member_price=rnd.choice([0.0, 0.0, 0.125, 0.5, 2.0]),
        load=load,
        pieces=rnd.choice([3, 4, 6, 8]) if load is Load.PIECES else None,
        per_member=0 if load is Load.EQUAL else rnd.choice([0, 0, 1, 2]),
        not_before=rnd.choice([-math.inf, -math.inf, NOW - 1, NOW + 3, NOW + 7]),
    )


def random_gaps(rnd, minimum):
    """Leave out sizes: never all, as the least is always there."""
    multiple = {"multiple_of": rnd.choice([divisor for divisor in (1, 2, 3) if minimum % divisor == 0])}
    some = {"allowed": sorted({minimum, *rnd.sample(range(1, 6), 2)})}
    return rnd.choice([{}, {}, multiple, some])


def selected(snap):
    return lambda pending, index: suits(snap, pending.roles[0], index)


def suits(snap, role, index):
    """Return whether a node has the labels that a role selects, and no taint that it does not tolerate."""
    labels, tolerated = snap.nodes.labels[index], {one.key for one in role.constraints.tolerations}
    selects = all(labels.get(key) == value for key, value in role.constraints.node_selector)
    return selects and all(taint.key in tolerated for taint in snap.nodes.taints[index])


@pytest.fixture(params=[(1, 1), (2, 3), (16, 16)], ids=["one by one", "a few at once", "as shipped"])
def portions(request, monkeypatch):
    """Small clusters are searched at one stroke, so cut the portions down to see what happens between them."""
    at_once, ranges = request.param
    monkeypatch.setattr(equal, "_AT_ONCE", at_once)
    monkeypatch.setattr(equal, "_MOST_RANGES", ranges)
    monkeypatch.setattr(unequal, "_MOST_RANGES", ranges)


@pytest.mark.usefixtures("portions")
@pytest.mark.parametrize("seed", range(10))
def test_plan_equals_exhaustive_search(seed):
    rnd = seeded(seed)
    for _ in range(40):
        assert_planned_as_searched(random_snapshot(rnd))


@pytest.mark.usefixtures("portions")
@pytest.mark.parametrize("load", [Load.PROPORTIONAL, Load.PIECES])
@pytest.mark.parametrize("seed", range(8))
def test_plan_of_unequal_loads_equals_exhaustive_search(load, seed):
    rnd = seeded(seed)
    for _ in range(40):
        assert_planned_as_searched(random_snapshot(rnd, (load,)))


@pytest.mark.parametrize("seed", range(10))
def test_plan_of_all_loads_side_by_side_equals_exhaustive_search(seed):
    rnd = seeded(seed)
    for _ in range(40):
        assert_planned_as_searched(random_snapshot(rnd, LOADS))


@pytest.mark.parametrize("seed", range(10))
def test_plan_of_gangs_with_factors_equals_exhaustive_search(seed):
    rnd = seeded(seed)
    for _ in range(60):
        assert_planned_as_searched(with_factors(rnd, random_snapshot(rnd, LOADS)))


def with_factors(rnd, snap):
    """Give nodes kinds, and most gangs factors for some: dyadic ones, so that ties stay ties."""
    kinds = np.array([rnd.choice([NO_KIND, 0, 1, 2]) for _ in snap.nodes.names])
    gangs = [
        replace(one, factors=tuple(KindFactor(kind, rnd.choice([0.5, 2.0])) for kind in rnd.sample(range(4), count)))
        for one in snap.gangs
        for count in [rnd.randint(0, 3)]
    ]
    return replace(snap, kinds=kinds, gangs=tuple(gangs))


@pytest.mark.usefixtures("portions")
@pytest.mark.parametrize("seed", range(10))
def test_plan_of_gangs_that_taints_evict_equals_exhaustive_search(seed):
    rnd = seeded(seed)
    for _ in range(40):
        assert_planned_as_searched(with_taints(rnd, random_snapshot(rnd, LOADS)))


def with_taints(rnd, snap):
    """Give nodes taints that evict, and the roles of gangs tolerations of them, most of which have an end."""
    taints = tuple(tuple(rnd.sample(TAINTS, rnd.choice([0, 0, 1, 1, 2]))) for _ in snap.nodes.names)
    gangs = [replace(pending, roles=tuple(tolerating(rnd, role) for role in pending.roles)) for pending in snap.gangs]
    return replace(snap, nodes=replace(snap.nodes, taints=taints), gangs=tuple(gangs))


def tolerating(rnd, role):
    """Have a role tolerate some taints, one of them maybe twice: then the first toleration counts."""
    keys = rnd.sample(["a", "b", "a", "b"], rnd.randint(1, 4))
    tolerations = tuple(
        Toleration(key, "Exists", "", "NoExecute", rnd.choice([0.0, 2.0, 4.0, 6.0, 8.0, 12.0, 24.0, math.inf]))
        for key in keys
    )
    return replace(role, constraints=replace(role.constraints, tolerations=tolerations))


def assert_planned_as_searched(snap):
    for decision, (pending, want) in zip(plan(snap).decisions, plan_queue(snap, selected(snap)), strict=True):
        assert decision.gang == pending.key
        if want is None:
            assert isinstance(decision, Unplaceable), (snap.gangs, decision)
        else:
            assert isinstance(decision, Placement), (decision, want)
            assert (decision.finish, decision.size, decision.start) == (want.finish, want.size, want.start)
            assert nodes_taken(decision) == tuple(
                (snap.nodes.names[index], members) for index, members in enumerate(want.counts) if members
            )
