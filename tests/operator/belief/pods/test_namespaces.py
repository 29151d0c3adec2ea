"""Namespaces chosen by their labels."""

from functools import partial

from builders.work import instructions
from coschedule import Requirement
from lockstep.belief.pods.namespaces import Namespaces
from lockstep.facts.cluster.cluster import NamespaceFact


def namespaces(count):
    known = Namespaces(lambda: None)
    for number in range(count):
        known.apply(NamespaceFact(name=f"team-{number}", labels={"team": str(number % 3)}))
    return known


def test_namespaces_are_chosen_by_their_labels():
    known = namespaces(6)

    assert known.chosen_by((Requirement("team", "In", ("1",)),)) == {"team-1", "team-4"}
    assert known.chosen_by((Requirement("team", "NotIn", ("1", "2")),)) == {"team-0", "team-3"}


def test_each_namespace_costs_the_same_however_many_requirements_there_are():
    """As of a namespace selector of 1,000 requirements, in a cluster of 1,000 namespaces."""
    selector = tuple(Requirement(f"k{one}", "NotIn", ("x",)) for one in range(1_000))

    few, many = (instructions(partial(namespaces(count).chosen_by, selector)) for count in (100, 1_000))

    assert many - few < 900 * 100
