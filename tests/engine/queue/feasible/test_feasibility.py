"""Which nodes pass, as kube-scheduler answers it."""

import pytest

from coschedule.queue.constraints.terms import Constraints, NodeTerm, Requirement, Taint, Toleration
from coschedule.queue.feasible.feasibility import Feasibility, Phrase
from engine.builders import node, snapshot


def passing(nodes, **constraints):
    table = snapshot(nodes, []).nodes
    mask = Feasibility(table).mask(Constraints(**constraints))
    return [name for name, passes in zip(table.names, mask, strict=True) if passes]


def labelled(**values):
    return [node("absent"), *(node(name, labels={"key": value}) for name, value in values.items())]


@pytest.mark.parametrize(
    ("operator", "values", "want"),
    [
        pytest.param("In", ("a", "b"), ["one", "two"], id="In lists the value"),
        pytest.param("In", (), [], id="In without values is refused by the API"),
        pytest.param("NotIn", ("a",), ["absent", "big", "three", "two", "word"], id="NotIn passes without the label"),
        pytest.param("NotIn", (), [], id="NotIn without values is refused by the API"),
        pytest.param("Exists", (), ["big", "one", "three", "two", "word"], id="Exists asks for the label"),
        pytest.param("Exists", ("a",), [], id="Exists with values is refused by the API"),
        pytest.param("DoesNotExist", (), ["absent"], id="DoesNotExist asks for its absence"),
        pytest.param("DoesNotExist", ("a",), [], id="DoesNotExist with values is refused by the API"),
        pytest.param("Gt", ("6",), ["three"], id="Gt compares integers"),
        pytest.param("Gt", ("7",), [], id="Gt is strict"),
        pytest.param("Gt", ("-1",), ["three"], id="Gt takes a sign"),
        pytest.param("Gt", ("x",), [], id="Gt with a word is refused by the API"),
        pytest.param("Gt", ("1", "2"), [], id="Gt with two values is refused by the API"),
        pytest.param("Lt", ("10",), ["three"], id="Lt compares integers, not texts"),
        pytest.param("Lt", ("99999999999999999999",), [], id="a bound beyond 64 bits is no integer"),
        pytest.param("Near", ("7",), [], id="an unknown operator is refused by the API"),
    ],
)
def test_required_label(operator, values, want):
    nodes = labelled(one="a", two="b", three="007", big="9223372036854775808", word="1_0")

    affinity = (NodeTerm((Requirement("key", operator, values),), ()),)

    assert passing(nodes, affinity=affinity) == want


@pytest.mark.parametrize(
    ("requirement", "want"),
    [
        pytest.param(Requirement("metadata.name", "In", ("n1",)), ["n1"], id="In names the node"),
        pytest.param(Requirement("metadata.name", "NotIn", ("n1",)), ["n2", "n3"], id="NotIn leaves it out"),
        pytest.param(Requirement("metadata.name", "In", ("n1", "n2")), [], id="only one value is allowed"),
        pytest.param(Requirement("metadata.name", "Exists", ()), [], id="only In and NotIn are allowed"),
        pytest.param(Requirement("spec.unschedulable", "In", ("n1",)), [], id="other fields are empty"),
        pytest.param(Requirement("spec.other", "NotIn", ("n1",)), ["n1", "n2", "n3"], id="an empty field is not n1"),
    ],
)
def test_required_field(requirement, want):
    assert passing([node("n1"), node("n2"), node("n3")], affinity=(NodeTerm((), (requirement,)),)) == want


SSD = Requirement("disk", "In", ("ssd",))
EAST = Requirement("zone", "In", ("east",))


@pytest.mark.parametrize(
    ("affinity", "want"),
    [
        pytest.param(None, ["n1", "n2", "n3", "n4"], id="no affinity matches all"),
        pytest.param((), [], id="no terms match nothing"),
        pytest.param((NodeTerm((), ()),), [], id="an empty term matches nothing"),
        pytest.param((NodeTerm((SSD, EAST), ()),), ["n1"], id="requirements of a term must all hold"),
        pytest.param(
            (NodeTerm((SSD,), ()), NodeTerm((EAST,), ())), ["n1", "n2", "n3"], id="one of the terms must hold"
        ),
        pytest.param((NodeTerm((), ()), NodeTerm((EAST,), ())), ["n1", "n3"], id="an empty term beside another"),
        pytest.param(
            (NodeTerm((SSD,), (Requirement("metadata.name", "NotIn", ("n1",)),)),), ["n2"], id="labels and fields both"
        ),
    ],
)
def test_terms_of_an_affinity(affinity, want):
    nodes = [
        node("n1", labels={"disk": "ssd", "zone": "east"}),
        node("n2", labels={"disk": "ssd"}),
        node("n3", labels={"zone": "east"}),
        node("n4"),
    ]

    assert passing(nodes, affinity=affinity) == want


def test_selector_needs_every_label():
    nodes = [node("n1", labels={"a": "1", "b": "2"}), node("n2", labels={"a": "1"}), node("n3")]

    assert passing(nodes, node_selector=(("a", "1"), ("b", "2"))) == ["n1"]


@pytest.mark.parametrize(
    ("taint", "toleration", "want"),
    [
        pytest.param(("k", "v", "NoSchedule"), None, False, id="NoSchedule blocks"),
        pytest.param(("k", "v", "NoExecute"), None, False, id="NoExecute blocks"),
        pytest.param(("k", "v", "PreferNoSchedule"), None, True, id="PreferNoSchedule does not"),
        pytest.param(
            ("k", "v", "NoSchedule"), ("k", "Equal", "v", "NoSchedule"), True, id="Equal key, value and effect"
        ),
        pytest.param(("k", "v", "NoSchedule"), ("k", "", "v", "NoSchedule"), True, id="no operator means Equal"),
        pytest.param(("k", "v", "NoSchedule"), ("k", "Equal", "w", "NoSchedule"), False, id="another value"),
        pytest.param(("k", "v", "NoSchedule"), ("j", "Equal", "v", "NoSchedule"), False, id="another key"),
        pytest.param(("k", "v", "NoSchedule"), ("k", "Equal", "v", "NoExecute"), False, id="another effect"),
        pytest.param(("k", "v", "NoExecute"), ("k", "Equal", "v", ""), True, id="no effect means any"),
        pytest.param(("k", "v", "NoSchedule"), ("k", "Exists", "", "NoSchedule"), True, id="Exists takes any value"),
        pytest.param(
            ("k", "v", "NoSchedule"), ("", "Exists", "", ""), True, id="Exists without a key takes everything"
        ),
        pytest.param(("k", "9", "NoSchedule"), ("k", "Lt", "10", ""), True, id="Lt: the taint is less"),
        pytest.param(("k", "10", "NoSchedule"), ("k", "Lt", "10", ""), False, id="Lt is strict"),
        pytest.param(("k", "11", "NoSchedule"), ("k", "Gt", "10", ""), True, id="Gt: the taint is more"),
        pytest.param(("k", "-3", "NoSchedule"), ("k", "Gt", "-4", ""), True, id="Gt takes negative integers"),
        pytest.param(("k", "011", "NoSchedule"), ("k", "Gt", "10", ""), False, id="leading zeros are no integer"),
        pytest.param(("k", "v", "NoSchedule"), ("k", "Gt", "10", ""), False, id="a word is no integer"),
        pytest.param(
            ("k", "11", "NoSchedule"), ("k", "Near", "10", ""), False, id="unknown operators tolerate nothing"
        ),
    ],
)
def test_taint(taint, toleration, want):
    tolerations = () if toleration is None else (Toleration(*toleration),)

    assert (passing([node("n", taints=[Taint(*taint)])], tolerations=tolerations) == ["n"]) is want


def test_every_taint_must_be_tolerated():
    tainted = node("n", taints=[Taint("a", "", "NoSchedule"), Taint("b", "", "NoSchedule")])

    one, both = Toleration("a", "Exists", "", ""), Toleration("b", "Exists", "", "")

    assert passing([tainted], tolerations=(one,)) == []
    assert passing([tainted], tolerations=(one, both)) == ["n"]


@pytest.mark.parametrize(
    ("toleration", "want"),
    [
        pytest.param(("node.kubernetes.io/unschedulable", "Exists", "", "NoSchedule"), ["n"], id="the taint by name"),
        pytest.param(("node.kubernetes.io/unschedulable", "Equal", "", ""), ["n"], id="its empty value"),
        pytest.param(("node.kubernetes.io/unschedulable", "Exists", "", "NoExecute"), [], id="another effect"),
        pytest.param(("", "Exists", "", ""), ["n"], id="everything"),
    ],
)
def test_cordoned_node_takes_who_tolerates_it(toleration, want):
    assert passing([node("n", cordoned=True)], tolerations=(Toleration(*toleration),)) == want


@pytest.mark.parametrize(
    ("toleration", "want"),
    [
        pytest.param(Toleration("dedicated", "Exists", "", ""), ["ready"], id="tolerates something else"),
        pytest.param(Toleration("", "Exists", "", ""), ["not-ready", "ready"], id="tolerates all"),
        pytest.param(
            Toleration("node.kubernetes.io/not-ready", "Exists", "", "NoSchedule"),
            ["not-ready", "ready"],
            id="tolerates nodes that are not ready",
        ),
        pytest.param(
            Toleration("node.kubernetes.io/not-ready", "Exists", "", "NoExecute"), ["ready"], id="stays, but won't go"
        ),
    ],
)
def test_node_that_is_not_ready_takes_gangs_that_tolerate_it(toleration, want):
    assert passing([node("ready"), node("not-ready", ready=False)], tolerations=(toleration,)) == want


def test_every_affinity_of_volumes_has_to_match():
    nodes = [node("n1", labels={"a": "1"}), node("n2", labels={"a": "1", "b": "1"})]
    a, b = ((NodeTerm((Requirement(key, "Exists", ()),), ()),) for key in "ab")

    assert passing(nodes, volumes=(a, b)) == ["n2"]


def test_barred_nodes_take_no_member_and_their_phrase_says_why():
    constraints = Constraints(barred=(("kept free by others", frozenset({"n1", "n3"})),))
    feasibility = Feasibility(snapshot([node("n1"), node("n2"), node("n3")], []).nodes)

    assert feasibility.mask(constraints).tolist() == [False, True, False]
    assert feasibility.failures(constraints) == {"kept free by others": 2}


def test_failures_count_each_node_once_at_the_first_check():
    nodes = [
        node("n1", ready=False, cordoned=True),
        node("n2", cordoned=True),
        node("n3"),
        node("n4", labels={"a": "1"}),
    ]

    failures = Feasibility(snapshot(nodes, []).nodes).failures(Constraints(node_selector=(("a", "1"),)))

    assert failures == {Phrase.NOT_READY: 1, Phrase.CORDONED: 1, "without a=1": 1}


def test_equal_constraints_share_one_mask():
    feasibility = Feasibility(snapshot([node("n")], []).nodes)

    assert feasibility.mask(Constraints()) is feasibility.mask(Constraints())
