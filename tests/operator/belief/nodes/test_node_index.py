"""Which nodes match terms: by an index, and as the planner's own filter says."""

import random

import pytest

from builders.facts import node_fact
from coschedule import Constraints, Feasibility, NodeTerm, Requirement
from engine.builders import node, snapshot
from lockstep.belief.nodes.node_index import NodeIndex

OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")


def random_term(rnd):
    labels = []
    for _ in range(rnd.randint(0, 2)):
        operator = rnd.choice(OPERATORS)
        count = {"Exists": 0, "DoesNotExist": 0, "Gt": 1, "Lt": 1}.get(operator, rnd.randint(0, 2))
        labels.append(Requirement(rnd.choice("kz"), operator, tuple(rnd.choices(("1", "2", "a"), k=count))))
    fields = []
    if rnd.random() < 0.3:
        names = tuple(rnd.choices(("n0", "n1", "nowhere"), k=rnd.randint(0, 2)))
        fields.append(Requirement(rnd.choice(("metadata.name", "metadata.uid")), rnd.choice(("In", "NotIn")), names))
    return NodeTerm(tuple(labels), tuple(fields))


@pytest.mark.parametrize("seed", range(200))
def test_index_answers_as_the_planners_filter(seed):
    rnd = random.Random(seed)  # noqa: S311 - a case has to come again
    labels = {
        f"n{number}": {key: rnd.choice(("1", "2", "a")) for key in "kz" if rnd.random() < 0.7} for number in range(6)
    }
    affinities = tuple(tuple(random_term(rnd) for _ in range(rnd.randint(1, 2))) for _ in range(rnd.randint(0, 2)))
    table = snapshot([node(name, labels=of_node) for name, of_node in labels.items()], []).nodes
    passes = Feasibility(table).mask(Constraints(volumes=affinities))
    want = {name for name, passing in zip(table.names, passes, strict=True) if passing}

    index = NodeIndex({name: node_fact(name, labels=of_node) for name, of_node in labels.items()})

    if not any(one.key == "metadata.uid" for terms in affinities for term in terms for one in term.fields):
        assert index.reaching(affinities) == want


def test_selector_selects_all_when_it_is_empty_and_none_when_there_is_none():
    index = NodeIndex({"n1": node_fact("n1")})

    assert index.selected(()) == {"n1"}
    assert index.selected(None) == frozenset()
