"""Releases that are kept from snapshot to snapshot are those of a snapshot that has kept nothing."""

from dataclasses import replace

import pytest

from builders.facts import ONE_CPU, gang_fact, gang_spec, node_fact, reservation
from engine.builders import seeded
from lockstep.belief.state import State
from lockstep.snapshot.snapshots import SnapshotCutter

NODES = [f"n{number}" for number in range(4)]
GANGS = [f"g{number}" for number in range(4)]
FINISH = 5000.0
STEPS = 60


def there_are_nodes(state):
    for name in NODES:
        state.nodes.apply(node_fact(name))


def happens(rnd, state, now):
    """Let a gang start, or start again, let one end, or change a node or the expected end of a gang."""
    name = rnd.choice(GANGS)
    key = gang_fact(name).key
    what = rnd.choice(["start", "end", "node", "finish"])
    if what == "node":
        bystander = rnd.choice([f"a{number}" for number in range(9)])
        state.nodes.apply(node_fact(bystander))
    elif what == "end":
        state.assumptions.forget(key)
    elif what == "finish" and key in state.reservations:
        held = state.reservations[key]
        state.reservations[key] = replace(held, expected_finish=rnd.choice([None, now - 5, FINISH]))
    elif what == "start":
        state.assumptions.forget(key)
        state.assumptions.hold(started(rnd, name, now))


def started(rnd, name, now):
    """Draw what a gang holds; its expected end does not distinguish it from what it held before."""
    members = tuple((node, rnd.randint(1, 2)) for node in sorted(rnd.sample(NODES, rnd.randint(1, 4))))
    request = rnd.choice([ONE_CPU, (("cpu", 500), ("pods", 1))])
    return reservation(name, members=members, request=request, start=now, finish=FINISH)


@pytest.mark.parametrize("seed", range(20))
def test_kept_releases_are_those_found_anew(seed):
    rnd, state, now = seeded(seed), State(lambda: None), 1000.0
    there_are_nodes(state)
    for name in GANGS:
        state.apply_gang(gang_fact(name))
    others = (("cpu", 1), ("memory", 1))
    state.apply_gang(gang_fact("other", spec=gang_spec(request=others)))
    kept, given_back = SnapshotCutter(state), set()
    for _ in range(STEPS):
        happens(rnd, state, now)
        now += rnd.choice([0.0, 0.0, 3.0])
        waiting = [gang for gang in state.gangs.values() if gang.key.name != "other" or rnd.random() < 0.1]
        again = SnapshotCutter(state).cut(now, waiting)
        assert kept.cut(now, waiting).releases == again.releases
        given_back |= set(again.releases)
    assert len(given_back) > len(NODES)
