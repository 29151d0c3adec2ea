"""Gangs of several roles, and with terms, against trying every way to put every member on nodes."""

import math

import pytest

from coschedule.queue.plan import plan
from coschedule.queue.problem.decisions import Placement, Unplaceable
from coschedule.queue.problem.gangs import Load
from coschedule.queue.problem.terms import Term, TermKind
from engine.brute.queue import Taken
from engine.brute.roles import best_seating, obeys, stays
from engine.builders import ANYWHERE, NOW, gang, node, release, role, seeded, snapshot
from engine.queue.test_plan_exhaustive import FAST, random_gaps, suits, with_taints

HOST, RACK, ZONE = "kubernetes.io/hostname", "rack", "zone"
UNEQUAL = (Load.PROPORTIONAL, Load.PIECES)
POOLS = "several roles with pieces"


def random_snapshot(rnd, keys):
    nodes = [random_node(rnd, index) for index in range(rnd.randint(2, 4))]
    releases = [
        release(rnd.randrange(len(nodes)), NOW + rnd.randint(1, 16), 1, rnd.randint(0, 2))
        for _ in range(rnd.randint(0, 3))
    ]
    gangs = [random_gang(rnd, index, keys) for index in range(rnd.randint(1, 3))]
    return snapshot(nodes, gangs, releases=releases, resources=("slots", "memory"))


def random_node(rnd, index):
    # Dyadic slow-downs and times with small divisors: every sum below is exact in floats, so ties are real ties.
    rack = rnd.choice(["r1", "r2", "r3", None])
    labels = {HOST: f"n{index}", RACK: rack, ZONE: {"r1": "z1", "r2": "z1"}.get(rack, "z2")}
    labels |= {"kind": rnd.choice(["fast", "slow"])}
    return node(
        f"n{index}",
        free=(rnd.choice([-1, 1, 2, 3, 4]), rnd.choice([-1, 2, 4, 6, 8])),
        start=rnd.choice([-math.inf, -math.inf, -math.inf, NOW + 2, NOW + 6]),
        until=rnd.choice([math.inf, math.inf, math.inf, NOW + 8, NOW + 20]),
        slowdown=rnd.choice([0.5, 1.0, 1.0, 2.0]),
        labels={key: value for key, value in labels.items() if value is not None},
    )


def random_gang(rnd, index, keys):
    count = rnd.choice([1, 2, 2, 3] if keys else [2, 2, 3])
    roles = random_roles(rnd, count)
    names = [one.name for one in roles]
    unknown = rnd.random() < 0.2 or all(one.load is Load.NONE for one in roles)
    return gang(
        f"g{index}",
        roles=roles,
        serial=None if unknown else random_serial(rnd, roles),
        per_member=rnd.choice([0, 0, 1]),
        priority=rnd.randint(0, 1),
        deadline=rnd.choice([None, None, None, NOW + 20, NOW + 40]),
        member_price=rnd.choice([0.0, 0.0, 0.125, 0.5, 2.0]),
        not_before=rnd.choice([-math.inf, -math.inf, NOW + 3]),
        terms=[random_term(rnd, names, rnd.choice(keys)) for _ in range(rnd.choice([1, 1, 2]))] if keys else [],
    )


def random_serial(rnd, roles):
    """With pieces, a piece of weight 1 takes whole seconds."""
    units = sum(int(one.units) for one in roles if one.pieces is not None)
    return rnd.choice([1, 2]) * units or rnd.choice([12, 24])


def random_roles(rnd, count):
    uneven = rnd.choice([None, None, *UNEQUAL, POOLS])
    loads = [rnd.choice([Load.EQUAL, Load.NONE]) for _ in range(count)]
    if uneven == POOLS:
        loads = random_pools(rnd, count)
    elif uneven is not None:
        loads = [Load.NONE] * count
        loads[rnd.randrange(count)] = uneven
    varies = rnd.randrange(count)
    return [random_role(rnd, f"r{index}", load, varies=index == varies) for index, load in enumerate(loads)]


def random_pools(rnd, count):
    return [rnd.choice([Load.PIECES, Load.PIECES, Load.NONE]), *[Load.PIECES] * (count - 1)]


def random_role(rnd, name, load, *, varies):
    size = rnd.randint(1, 2)
    most = rnd.randint(size, 3) if varies else size
    return role(
        name,
        size=size,
        most=most,
        **(random_gaps(rnd, size) if varies else {}),
        request=rnd.choice([(1, 0), (1, 1), (1, 1), (1, 2), (0, 1), (2, 1)]),
        constraints=rnd.choice([FAST, *[ANYWHERE] * 5]),
        load=load,
        pieces=rnd.choice([3, 4, 6]) if load is Load.PIECES else None,
        weight=rnd.choice([1, 1, 2, 3]) if load is Load.PIECES else 1,
    )


def random_term(rnd, names, key):
    roles = frozenset(rnd.sample(names, rnd.randint(1, len(names))))
    towards = rnd.choice([roles, frozenset(rnd.sample(names, rnd.randint(1, len(names))))])
    return Term(kind=rnd.choice(list(TermKind)), topology_key=key, roles=roles, towards=towards)


@pytest.mark.parametrize(
    "keys",
    [
        pytest.param((), id="no terms"),
        pytest.param((HOST,), id="terms about nodes"),
        pytest.param((ZONE,), id="terms about zones"),
        pytest.param((HOST, RACK, ZONE), id="terms about nodes in racks in zones"),
    ],
)
@pytest.mark.parametrize("seed", range(10))
def test_every_gang_gets_the_best_that_there_is(keys, seed):
    rnd = seeded(seed)
    for _ in range(10):
        assert_planned_as_searched(random_snapshot(rnd, keys))


@pytest.mark.parametrize("keys", [pytest.param((), id="no terms"), pytest.param((HOST, ZONE), id="terms")])
@pytest.mark.parametrize("seed", range(10))
def test_every_gang_that_taints_evict_gets_the_best_that_there_is(keys, seed):
    rnd = seeded(seed)
    for _ in range(10):
        assert_planned_as_searched(with_taints(rnd, random_snapshot(rnd, keys)))


@pytest.mark.parametrize("keys", [pytest.param((), id="no terms"), pytest.param((HOST, RACK, ZONE), id="terms")])
@pytest.mark.parametrize("seed", range(10))
def test_pools_that_compete_for_fast_nodes_end_as_early_as_they_can(keys, seed):
    rnd = seeded(seed)
    for _ in range(10):
        assert_planned_as_searched(competing_pools(rnd, keys))


def competing_pools(rnd, keys):
    """Make one gang, two or three roles of which have pieces, and nodes of many speeds without room for all."""
    nodes = [
        random_node(rnd, index) | {"free": (rnd.choice([1, 1, 2]), 8), "slowdown": rnd.choice([0.25, 0.5, 1.0, 2.0])}
        for index in range(4)
    ]
    loads = random_pools(rnd, rnd.choice([2, 2, 3]))
    varies = rnd.randrange(len(loads))
    roles = [random_role(rnd, f"r{index}", load, varies=index == varies) for index, load in enumerate(loads)]
    names = [one.name for one in roles]
    pending = gang(
        roles=roles,
        serial=rnd.choice([None, random_serial(rnd, roles), random_serial(rnd, roles)]),
        per_member=rnd.choice([0, 0, 1]),
        deadline=rnd.choice([None, None, NOW + 12]),
        terms=[random_term(rnd, names, rnd.choice(keys))] if keys else [],
    )
    return snapshot(nodes, [pending], resources=("slots", "memory"))


@pytest.mark.parametrize("load", UNEQUAL)
def test_what_the_cheapest_size_cannot_use_is_left_to_others(load):
    # One worker would cost least on the fast node, but takes 14 s there, until after it is taken back; two take 10 s.
    nodes = [node("fast", free=3, until=NOW + 12, slowdown=1.0), node("slow", free=3, slowdown=2.0)]
    worker = role("worker", size=1, most=2, load=load, pieces=2 if load is Load.PIECES else None)
    roles = [role("helper", size=1, load=Load.NONE), worker]
    pending = gang(roles=roles, serial=12, per_member=2, member_price=4.0)

    snap = snapshot(nodes, [pending])

    assert_planned_as_searched(snap)
    assert [one.finish for one in plan(snap).decisions] == [NOW + 10]


def assert_planned_as_searched(snap):
    taken = []
    gangs = {one.key: one for one in snap.gangs}
    for decision in plan(snap).decisions:
        pending = gangs[decision.gang]
        want = best_seating(snap, pending, taken, selected(snap))
        if want is None:
            assert isinstance(decision, Unplaceable), (pending, decision)
            continue
        assert isinstance(decision, Placement), (pending, want, decision)
        assert (decision.finish, decision.size, decision.start) == (want.finish, want.size, want.start), (pending, want)
        nodes = seated(snap, pending, decision)
        assert_all_pieces_are_dealt(pending, decision)
        assert obeys(snap, pending, nodes)
        assert stays(snap, pending, taken, nodes, decision.start, decision.finish)
        taken += [
            Taken(number, 1, one.request, decision.start, decision.finish)
            for one, of_role in zip(pending.roles, nodes, strict=True)
            for number in of_role
        ]


def assert_all_pieces_are_dealt(pending, placement):
    for one in pending.roles:
        if one.pieces is not None:
            dealt = [entry for entry in placement.members if entry.role == one.name]
            assert sum(entry.count * entry.part.count for entry in dealt) == one.pieces


def selected(snap):
    return lambda one, index: suits(snap, one, index)


def seated(snap, pending, placement):
    """Return the node of each member, by role; every member passes what its role asks for."""
    nodes = tuple(
        tuple(
            snap.nodes.names.index(entry.node)
            for entry in placement.members
            if entry.role == one.name
            for _ in range(entry.count)
        )
        for one in pending.roles
    )
    assert all(one.sizes.has(len(of_role)) for one, of_role in zip(pending.roles, nodes, strict=True))
    assert all(
        selected(snap)(one, number) for one, of_role in zip(pending.roles, nodes, strict=True) for number in of_role
    )
    return nodes
