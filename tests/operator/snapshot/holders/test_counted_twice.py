"""What gangs take of a node while their sizes change: the larger of what they hold and will hold, not both."""

from dataclasses import replace

import pytest

from builders.facts import gang_fact, gang_spec, node_fact, role_spec
from coschedule import GangKey, Members
from engine.builders import seeded
from lockstep.belief.state import State
from lockstep.facts.elastic import ElasticSpec, NextSize
from lockstep.facts.gang.status import GangStatus
from lockstep.snapshot.holders.counted_twice import all_counted_twice, counted_twice

NODES = ("n1", "n2", "n3")
NO_GANG = GangKey("default", "none")
AMOUNTS = {"a": (("cpu", 1000), ("memory", 7)), "b": (("cpu", 3000),)}
SPEC = replace(
    gang_spec(roles=[role_spec(name, size=1, most=9, request=request) for name, request in AMOUNTS.items()]),
    elastic=ElasticSpec(120.0, 600.0),
)


def some_members(rnd):
    """Some members of each role, on some nodes."""
    return tuple(Members(rnd.choice(NODES), rnd.randint(1, 3), role=role) for role in ("a", "b", "b"))


def apply(state, name, version, held, following):
    """Apply a gang that holds these members, and will hold the following ones, None if its size does not change."""
    then = (
        None
        if following is None
        else NextSize(members=following, decided_at=200.0, expected_finish=900.0, why="w", begins_at=300.0)
    )
    status = GangStatus(attempt=1, members=held, reserved_at=100.0, start=100.0, next_size=then)
    state.apply_gang(gang_fact(name, spec=SPEC, status=status, version=str(version)))


def taken(members, node, resource):
    """What these members take of a node."""
    return sum(dict(AMOUNTS[one.role]).get(resource, 0) * one.count for one in members or () if one.node == node)


@pytest.mark.parametrize("seed", range(60))
def test_each_gang_takes_the_larger_of_what_it_holds_and_will_hold(seed):
    rnd, state, gangs = seeded(seed), State(lambda: None), {}
    for name in NODES:
        state.nodes.apply(node_fact(name))
    for version in range(2, 14):
        name = rnd.choice("efgh")
        held = gangs[name][0] if name in gangs else some_members(rnd)
        gangs[name] = held, rnd.choice([None, some_members(rnd), some_members(rnd)])
        apply(state, name, version, *gangs[name])

    for beside in (NO_GANG, GangKey("default", "e")):
        for node in NODES:
            twice = counted_twice(state, node, beside=beside)
            for number, resource in enumerate(columns := ("cpu", "memory")):
                ledger = state.ledger
                committed = int(ledger.committed(ledger.rows((node,)), ledger.columns(columns))[0, number])
                each = {
                    name: (taken(held, node, resource), taken(then, node, resource))
                    for name, (held, then) in gangs.items()
                }
                want = sum(sum(both) if name == beside.name else max(both) for name, both in each.items())
                assert committed - twice.get(resource, 0) == want


@pytest.mark.parametrize("seed", range(10))
def test_what_is_counted_twice_is_the_same_for_one_node_and_for_all(seed):
    rnd, state = seeded(seed), State(lambda: None)
    for name in NODES:
        state.nodes.apply(node_fact(name))
    for name in "efg":
        apply(state, name, 2, some_members(rnd), some_members(rnd))

    of_all = all_counted_twice(state)

    assert {node: of_all.get(node, {}) for node in NODES} == {
        node: counted_twice(state, node, beside=NO_GANG) for node in NODES
    }
    assert any(of_all.values())


def test_gang_that_is_gone_counts_nowhere():
    state = State(lambda: None)
    state.nodes.apply(node_fact("n1"))
    members = (Members("n1", 1, role="a"), Members("n1", 1, role="b"))
    apply(state, "g", 2, members, members)
    assert counted_twice(state, "n1", beside=NO_GANG) == {"cpu": 4000, "memory": 7}

    state.remove_gang(gang_fact("g").key, gang_fact("g").uid)

    assert not counted_twice(state, "n1", beside=NO_GANG)
    assert not state.counts.next_sizes.on("n1")
