"""Which members break a term, beside a check of every pair of members."""

import random

import pytest

from builders.facts import node_fact
from coschedule import Term, TermKind
from lockstep.snapshot.affinity.broken_terms import Stand, broken_term

NODES = {
    "n1": {"zone": "east", "host": "n1"},
    "n2": {"zone": "east", "host": "n2"},
    "n3": {"zone": "west", "host": "n3"},
    "n4": {"host": "n4"},
}
ROLES = ("a", "b", "c")


def some_roles(rnd):
    return frozenset(rnd.sample(ROLES, rnd.randint(1, 3)))


def some_term(rnd):
    roles = some_roles(rnd)
    kind = rnd.choice((TermKind.APART, TermKind.TOGETHER))
    towards = rnd.choice((roles, some_roles(rnd)))
    return Term(kind=kind, topology_key=rnd.choice(("zone", "host", "rack")), roles=roles, towards=towards)


def domain(stand, key):
    """The value of the label of a member's node; None on one that has none, or is gone."""
    return NODES.get(stand.node, {}).get(key)


def breaking(term, stands):
    """The members that break a term, by a check of every other member."""
    towards = [stand for stand in stands if stand.role in term.towards]
    for number, stand in enumerate(stands):
        own = domain(stand, term.topology_key)
        others = [it for other, it in enumerate(stands) if other != number and domain(it, term.topology_key) == own]
        if term.kind is TermKind.APART:
            from_it = stand.role in term.roles and any(it.role in term.towards for it in others)
            from_them = stand.role in term.towards and any(it.role in term.roles for it in others)
            if own is not None and (from_it or from_them):
                yield stand
        elif stand.role in term.roles:
            with_them = {domain(it, term.topology_key) for it in towards} - {None}
            if own not in with_them or (term.roles == term.towards and len(with_them) > 1):
                yield stand


@pytest.mark.parametrize("seed", range(6))
def test_first_broken_term_is_the_one_that_a_check_of_every_pair_finds(seed):
    rnd = random.Random(seed)  # noqa: S311 - a case has to come again
    nodes = {name: node_fact(name, labels=labels) for name, labels in NODES.items()}
    for _ in range(250):
        terms = [some_term(rnd) for _ in range(rnd.randint(1, 3))]
        places = [rnd.choice([*NODES, "gone"]) for _ in range(rnd.randint(0, 6))]
        stands = [Stand(rnd.choice(ROLES), place, to_come=rnd.random() < 0.7) for place in places]
        found = ((term, {stand.node for stand in breaking(term, stands) if stand.to_come}) for term in terms)
        want = next(((it.kind, it.topology_key, tuple(sorted(those))) for it, those in found if those), None)

        broken = broken_term(terms, stands, nodes)

        assert (None if broken is None else (broken.kind, broken.topology_key, broken.nodes)) == want
