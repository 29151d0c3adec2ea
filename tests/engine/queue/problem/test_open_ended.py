"""Who of the gangs that give no end is in the way, beside counting one by one."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.open_ended import Blocker, OpenEnded, none_open_ended
from engine.builders import gang, node, seeded, snapshot

GANGS = tuple(GangKey("default", f"g{number}") for number in range(4))


@pytest.mark.parametrize("seed", range(100))
def test_blocker_holds_most_of_the_nodes_that_pass(seed):
    rnd = seeded(seed)
    held = sorted({(rnd.randrange(4), rnd.randrange(6)) for _ in range(rnd.randrange(12))})
    passes = [rnd.random() < 0.6 for _ in range(6)]

    found = open_ended(held).blocker(np.array(passes))

    counts = Counter(holder for holder, index in held if passes[index])
    if not counts:
        assert found is None
        return
    most = max(counts.values())
    first = min(holder for holder, count in counts.items() if count == most)
    assert found == Blocker(gang=GANGS[first], nodes=most, others=len(counts) - 1)


def open_ended(held):
    holder, index = (np.array([pair[column] for pair in held], dtype=np.int64) for column in (0, 1))
    return OpenEnded(gangs=GANGS, holder=holder, node=index)


def test_no_gang_is_in_the_way_where_none_is_known():
    assert none_open_ended().blocker(np.ones(3, dtype=bool)) is None


@pytest.mark.parametrize("held", [[(4, 0)], [(-1, 0)], [(0, -1)]], ids=["no such gang", "below the first", "no node"])
def test_what_makes_no_sense_is_refused(held):
    with pytest.raises(ValueError, match="indices of gangs"):
        open_ended(held)


def test_node_beyond_the_last_is_refused():
    facts = snapshot([node("n1")], [gang()])

    with pytest.raises(ValueError, match="nodes of the snapshot"):
        replace(facts, open_ended=open_ended([(0, 1)]))
