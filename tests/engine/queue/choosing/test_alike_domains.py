"""Gangs whose members must share a zone, in zones that are alike now: worked examples."""

import pytest

from coschedule.queue.problem.gangs import Load
from engine.builders import NOW, apart, gang, node, nodes_taken, only, release, role, together

LAUNCHER = role("launcher", size=1, load=Load.NONE)


def in_zone(zone, *names, **more):
    """Describe nodes of one zone, all alike."""
    return [node(name, labels={"zone": zone}, **more) for name in names]


def crowd(least, most):
    """Describe a gang of unknown run time: a launcher and workers, all in one zone."""
    roles = [LAUNCHER, role("workers", size=least, most=most)]
    return gang(roles=roles, terms=[together("launcher", "workers")])


def test_zone_that_a_node_leaves_later_is_not_like_one_whose_nodes_stay():
    # Now both zones have room for a launcher and three workers. But n4 closes later, so they could not stay there.
    nodes = [
        *in_zone("a", "n1", "n2", "n3"),
        *in_zone("a", "n4", until=NOW + 50),
        *in_zone("b", "n5", "n6", "n7", "n8"),
    ]

    found = only(nodes, crowd(1, 4))

    assert nodes_taken(found) == (("n5", 1), ("n6", 1), ("n7", 1), ("n8", 1))


def test_gang_starts_in_the_zone_with_room_for_ever():
    # Both zones have two free nodes, and get a third one at the same time. But n1 closes later.
    nodes = [
        *in_zone("a", "n1", until=NOW + 50),
        *in_zone("a", "n2"),
        *in_zone("a", "n3", free=0),
        *in_zone("b", "n4", "n5"),
        *in_zone("b", "n6", free=0),
    ]

    found = only(nodes, crowd(2, 2), releases=[release(2, NOW + 10), release(5, NOW + 10)])

    assert found.start == NOW + 10
    assert nodes_taken(found) == (("n4", 1), ("n5", 1), ("n6", 1))


@pytest.mark.parametrize("serial", [None, 60])
def test_zone_without_a_label_is_not_like_one_whose_nodes_have_it(serial):
    # Each node of zone a takes one member. The nodes of zone b are in no unit, so they take as many as fit.
    nodes = [
        node(f"n{index}", free=2, labels={"zone": "a", "unit": f"u{index}"} if index < 3 else {"zone": "b"})
        for index in range(1, 5)
    ]

    found = only(nodes, gang(size=3, serial=serial, name="g", terms=[together("", key="zone"), apart("", key="unit")]))

    assert nodes_taken(found) == (("n3", 2), ("n4", 1))
