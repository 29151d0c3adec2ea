"""Ranks are put where their volumes are, whenever any order does it: beside all orders there are."""

import random
from itertools import permutations

import pytest

from coschedule import Members
from lockstep.belief.volumes.kept_volumes import Places
from lockstep.snapshot.volumes.rank_order import ordered_by_rank

NODES = ("a", "b", "c")


def nodes_by_rank(members):
    return [entry.node for entry in members for _ in range(entry.count)]


def as_places(places):
    """Where the volumes of each rank are; None for a rank that has none yet."""
    return Places(len(places), {rank: place for rank, place in enumerate(places) if place is not None})


def suits(nodes, places):
    return all(place is None or node in place for node, place in zip(nodes, places, strict=False))


@pytest.mark.parametrize("seed", range(300))
def test_order_is_found_whenever_there_is_one(seed):
    rnd = random.Random(seed)  # noqa: S311 - a case has to come again
    members = tuple(Members(node, rnd.randint(1, 3), rnd.choice((None, 2))) for node in NODES[: rnd.randint(1, 3)])
    nodes = nodes_by_rank(members)
    places = [
        None if rnd.random() < 0.3 else frozenset(rnd.sample(NODES, rnd.randint(1, 2)))
        for _ in range(rnd.randint(0, len(nodes)))
    ]
    is_possible = any(suits(order, places) for order in set(permutations(nodes)))

    ordered = ordered_by_rank(members, as_places(places))

    assert (ordered is not None) == is_possible
    if ordered is not None:
        assert suits(nodes_by_rank(ordered), places)
        assert sorted(counted(ordered)) == sorted(counted(members))


def counted(members):
    parts = {(entry.node, str(entry.part)) for entry in members}
    return [(*one, sum(it.count for it in members if (it.node, str(it.part)) == one)) for one in parts]


def test_without_volumes_nothing_changes():
    members = (Members("a", 2), Members("b", 1))

    assert ordered_by_rank(members, as_places(())) == members


def test_ranks_stay_within_their_role():
    members = (Members("a", 1, None, "one"), Members("b", 1, None, "two"))

    assert ordered_by_rank(members, as_places((None, frozenset({"b"})))) == members
    assert ordered_by_rank(members, as_places((frozenset({"b"}), None))) is None


def test_ranks_move_on_to_make_room():
    members = (Members("a", 1), Members("b", 1))

    assert ordered_by_rank(members, as_places((frozenset("ab"), frozenset("a")))) == (Members("b", 1), Members("a", 1))
