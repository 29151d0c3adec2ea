"""What must hold for any plan, on clusters too large for exhaustive search."""

import json
from dataclasses import replace

import pytest

from coschedule.queue.codec import encode_plan
from coschedule.queue.loads import equal
from coschedule.queue.plan import plan
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.gangs import Load
from coschedule.queue.search import effort
from engine.builders import ANYWHERE, NOW, apart, gang, node, release, role, seeded, snapshot, together
from engine.queue.soundness import assert_sound, taken

SEEDS = range(40)


def cluster(rnd, *, nodes=30, gangs=25):
    return snapshot(
        [random_node(rnd, index) for index in range(nodes)],
        [random_gang(rnd, index) for index in range(gangs)],
        releases=[
            release(
                rnd.randrange(nodes),
                NOW + rnd.choice([-1, 5, 30, 200]) * rnd.random(),
                rnd.randint(1, 4),
                rnd.randint(1, 8),
            )
            for _ in range(20)
        ],
        resources=("cpu", "memory"),
    )


def random_node(rnd, index):
    return node(
        f"n{index:02}",
        free=(rnd.randint(-1, 8), rnd.choice([4, 8, 16])),
        start=NOW + rnd.choice([-1, -1, -1, 20, 100]) * rnd.random(),
        until=rnd.choice([float("inf"), float("inf"), NOW + 300 * rnd.random()]),
        slowdown=rnd.choice([1.0, 1.0, 1.25, 2.0, 1 + rnd.random()]),
        ready=rnd.random() < 0.95,
        labels={"kubernetes.io/hostname": f"n{index:02}", "zone": f"z{index % 4}"},
    )


def random_gang(rnd, index):
    return rnd.choice([random_plain_gang, random_plain_gang, random_gang_of_roles])(rnd, index)


def random_plain_gang(rnd, index):
    minimum = rnd.choice([1, 1, 2, 4, 8])
    load = rnd.choice([Load.EQUAL, Load.EQUAL, Load.PROPORTIONAL, Load.PIECES])
    return gang(
        f"g{index:02}",
        size=minimum,
        most=minimum * rnd.choice([1, 2, 4]),
        multiple_of=rnd.choice([1, 1, minimum]),
        allowed=rnd.choice([(), (), (1, 2, 4, 8, 16, 32)]),
        serial=rnd.choice([None, 10, 100, 400, 1000 * rnd.random() + 1]) if rnd.random() < 0.9 else None,
        request=(rnd.randint(0, 3), rnd.randint(0, 4)),
        priority=rnd.randint(0, 2),
        created=rnd.random(),
        deadline=rnd.choice([None, None, None, NOW + 500 * rnd.random()]),
        load=load,
        pieces=rnd.randint(minimum, 40) if load is Load.PIECES else None,
        per_member=rnd.choice([0, 0, 1]),
        not_before=NOW + rnd.choice([-1, -1, -1, 50]) * rnd.random(),
    )


def random_gang_of_roles(rnd, index):
    unequal = rnd.choice([Load.EQUAL, Load.PROPORTIONAL, Load.PIECES])
    launcher = role("launcher", request=(1, 1), load=Load.NONE)
    if unequal is Load.PIECES and rnd.random() < 0.5:
        launcher = role(
            "launcher", request=(1, 1), load=Load.PIECES, pieces=rnd.randint(1, 5), weight=rnd.randint(1, 4)
        )
    workers = role(
        "workers",
        size=rnd.choice([1, 2, 4]),
        most=rnd.choice([4, 8]),
        request=(rnd.randint(0, 3), rnd.randint(1, 4)),
        load=unequal,
        pieces=rnd.randint(8, 20) if unequal is Load.PIECES else None,
    )
    return gang(
        f"g{index:02}",
        roles=[launcher, workers],
        serial=rnd.choice([None, 10, 100, 400]),
        priority=rnd.randint(0, 2),
        created=rnd.random(),
        deadline=rnd.choice([None, None, NOW + 500 * rnd.random()]),
        terms=rnd.choice([[], [apart("workers")], [together("launcher", "workers")], [together("workers")]]),
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_plan_is_sound(seed):
    snap = cluster(seeded(seed))

    assert_sound(snap, plan(snap))


@pytest.mark.parametrize("most", [1, 100, 1000, 10_000])
def test_plan_is_sound_where_not_everything_is_checked(most, monkeypatch):
    monkeypatch.setattr(effort, "MOST_COMBINATIONS", most)
    snap = cluster(seeded(most))

    made = plan(snap)

    assert_sound(snap, made)
    assert made == plan(snap)


@pytest.mark.parametrize("seed", SEEDS[:15])
def test_order_of_gangs_and_releases_changes_nothing(seed):
    rnd = seeded(seed)
    snap = cluster(rnd)
    shuffled = replace(
        snap,
        gangs=tuple(rnd.sample(snap.gangs, len(snap.gangs))),
        releases=tuple(rnd.sample(snap.releases, len(snap.releases))),
    )

    assert plan(shuffled) == plan(snap)


@pytest.mark.parametrize("seed", SEEDS[:15])
def test_planning_twice_gives_the_same_bytes(seed):
    once, again = (json.dumps(encode_plan(plan(cluster(seeded(seed))), repr)) for _ in range(2))

    assert once == again


@pytest.mark.parametrize("seed", SEEDS[:15])
def test_gangs_behind_change_nothing_for_those_in_front(seed):
    snap = cluster(seeded(seed))
    whole = plan(snap).decisions

    for length in range(0, len(whole), 6):
        front = {decision.gang for decision in whole[:length]}
        prefix = replace(snap, gangs=tuple(gang for gang in snap.gangs if gang.key in front))
        assert plan(prefix).decisions == whole[:length]


@pytest.mark.parametrize("seed", SEEDS)
def test_another_node_never_delays_a_gang_that_is_alone(seed):
    rnd = seeded(seed)
    nodes, one = [random_node(rnd, index) for index in range(10)], replace(random_gang(rnd, 0), deadline=None)

    before = plan(snapshot(nodes, [one], resources=("cpu", "memory"))).decisions
    after = plan(snapshot([*nodes, random_node(rnd, 10)], [one], resources=("cpu", "memory"))).decisions

    assert merit(after) >= merit(before)


@pytest.mark.parametrize("seed", SEEDS)
def test_longer_window_never_delays_a_gang_that_is_alone(seed):
    rnd = seeded(seed)
    nodes, one = [random_node(rnd, index) for index in range(10)], replace(random_gang(rnd, 0), deadline=None)
    longer = [described | {"until": described["until"] + 100 * rnd.random()} for described in nodes]

    before = plan(snapshot(nodes, [one], resources=("cpu", "memory"))).decisions
    after = plan(snapshot(longer, [one], resources=("cpu", "memory"))).decisions

    assert merit(after) >= merit(before)


def merit(decisions):
    """Rank the one decision: any placement before none, then earlier finish, then earlier start."""
    [decision] = decisions
    if not isinstance(decision, Placement):
        return (0, 0.0, 0.0)
    return (1, -decision.finish, -decision.start if decision.finish == float("inf") else 0.0)


@pytest.mark.parametrize("seed", SEEDS[:15])
def test_gang_that_starts_now_leaves_the_others_where_they_were_planned(seed):
    """Five rounds: what starts now is carried out as planned, and everybody else keeps finish, size and start."""
    snap = cluster(seeded(seed), gangs=12)
    for _ in range(5):
        decided = plan(snap).decisions
        first = decided[0] if decided else None
        if not isinstance(first, Placement) or first.start > snap.now:
            return
        snap = carried_out(snap, first)

        assert [timing(decision) for decision in plan(snap).decisions] == [timing(decision) for decision in decided[1:]]


def timing(decision):
    return (decision.gang, decision.finish, decision.size) if isinstance(decision, Placement) else (decision.gang,)


def carried_out(snap, placement):
    """Bind a gang: what it takes is not free, and comes back when it is expected to end."""
    [bound] = [gang for gang in snap.gangs if gang.key == placement.gang]
    free = snap.free.copy()
    back = []
    for name in {one.node for one in placement.members}:
        index = snap.nodes.names.index(name)
        amounts = taken({bound.key: bound}, placement, name)
        free[index] -= amounts
        if placement.finish < float("inf"):
            back.append(release(index, placement.finish, *amounts))
    return replace(
        snap,
        free=free,
        gangs=tuple(gang for gang in snap.gangs if gang is not bound),
        releases=(*snap.releases, *back),
    )


def test_snapshot_is_left_as_it_was():
    snap = cluster(seeded(7))
    before = snap.free.copy()

    plan(snap)

    assert (snap.free == before).all()
    assert snap.gangs[0].roles[0].constraints == ANYWHERE


@pytest.mark.parametrize("seed", range(20))
def test_how_closely_runs_are_bounded_changes_nothing(seed, monkeypatch):
    snap = cluster(seeded(seed))
    expected = plan(snap)
    for name, number in (("_MOST_RANGES", 1), ("_CLOSER", 2), ("_FEW", 1)):
        monkeypatch.setattr(equal, name, number)

    assert plan(snap) == expected
