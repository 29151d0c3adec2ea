"""Whether members that keep their nodes still obey the terms among them, beside looking at every pair of them."""

from collections import Counter

import numpy as np
import pytest

from coschedule.queue.feasible.topology import Topology
from coschedule.queue.keeping.obeyed_terms import are_obeyed
from coschedule.queue.problem.terms import Term, TermKind
from engine.brute.roles import obeys_term
from engine.builders import node, seeded, snapshot

ROLES = ("a", "b", "c")
NODES = 4


def random_facts(rnd):
    labels = [{key: rnd.choice("xy") for key in ("zone", "rack") if rnd.random() < 0.8} for _ in range(NODES)]
    return snapshot([dict(node(f"n{number}"), labels=labels[number]) for number in range(NODES)], [])


def random_term(rnd):
    sides = [frozenset(rnd.sample(ROLES, rnd.randint(1, 2))) for _ in range(2)]
    return Term(
        kind=rnd.choice(list(TermKind)),
        topology_key=rnd.choice(["zone", "rack"]),
        roles=sides[0],
        towards=rnd.choice([sides[0], sides[1]]),
    )


@pytest.mark.parametrize("seed", range(300))
def test_terms_are_obeyed_as_they_read(seed):
    rnd = seeded(seed)
    facts, term = random_facts(rnd), random_term(rnd)
    members = {name: [rnd.randrange(NODES) for _ in range(rnd.randint(1, 2))] for name in ROLES}
    by_node = {name: sorted(Counter(nodes).items()) for name, nodes in members.items()}
    nodes = {name: np.array([one for one, _ in pairs]) for name, pairs in by_node.items()}
    counts = {name: np.array([count for _, count in pairs]) for name, pairs in by_node.items()}

    everybody = [(name, one) for name, places in members.items() for one in places]
    assert are_obeyed([term], nodes, counts, Topology(facts.nodes)) == obeys_term(facts, term, everybody)
