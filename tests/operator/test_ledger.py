"""Sums in the ledger equal a recount of its charges, whatever happened."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lockstep.facts import PodKey
from lockstep.ledger import Charge, Ledger

NODES = tuple(f"n{number}" for number in range(5))
RESOURCES = ("cpu", "example.com/gpu", "memory", "pods")
PODS = [PodKey("default", f"p{number}") for number in range(6)]

pods = st.sampled_from(PODS)
nodes = st.sampled_from(NODES)
requests = st.dictionaries(st.sampled_from(RESOURCES), st.integers(1, 2**40)).map(lambda it: tuple(sorted(it.items())))
steps = st.one_of(
    st.tuples(st.just("assume"), pods, nodes, requests),
    st.tuples(st.just("confirm"), pods, nodes, requests),
    st.tuples(st.just("release"), pods),
    st.tuples(st.just("forget"), pods),
)


def sums(ledger):
    table = ledger.committed(ledger.rows(NODES), ledger.columns(RESOURCES))
    return {
        (node, resource): int(table[n, r])
        for n, node in enumerate(NODES)
        for r, resource in enumerate(RESOURCES)
        if table[n, r]
    }


def recount(charges):
    total = Counter()
    for charge in charges.values():
        for resource, amount in charge.request:
            total[charge.node, resource] += amount
    return dict(total)


def carry_out(charges, step):
    """The same step on a plain dictionary of charges."""
    name, pod, *rest = step
    before = charges.get(pod)
    if name == "assume" and before is None:
        charges[pod] = Charge(*rest, is_assumed=True)
    elif name == "confirm":
        charges[pod] = Charge(*rest, is_assumed=False)
    elif name == "release" or (name == "forget" and before is not None and before.is_assumed):
        charges.pop(pod, None)


@settings(max_examples=300, deadline=None)
@given(st.lists(steps, max_size=30))
def test_sums_equal_a_recount(history):
    ledger, charges = Ledger(), {}
    for step in history:
        name, *arguments = step
        getattr(ledger, name)(*arguments)
        carry_out(charges, step)

        assert {pod: ledger.charge(pod) for pod in PODS if ledger.charge(pod)} == charges
        assert sums(ledger) == recount(charges)
        assert ledger.assumed == sum(charge.is_assumed for charge in charges.values())


@given(st.lists(steps, max_size=20))
@settings(max_examples=100, deadline=None)
def test_answers_say_whether_sums_have_changed(history):
    ledger = Ledger()
    for name, *arguments in history:
        before = sums(ledger), len([pod for pod in PODS if ledger.charge(pod)])
        answer = getattr(ledger, name)(*arguments)
        after = sums(ledger), len([pod for pod in PODS if ledger.charge(pod)])

        assert answer is not False or before == after


ONE = (("cpu", 1000), ("pods", 1))
TWO = (("cpu", 2000), ("pods", 1))
POD = PODS[0]


@pytest.fixture
def ledger():
    return Ledger()


def test_assumption_that_is_confirmed_counts_once(ledger):
    ledger.assume(POD, "n1", ONE)

    assert ledger.confirm(POD, "n1", ONE) is False
    assert sums(ledger) == {("n1", "cpu"): 1000, ("n1", "pods"): 1}
    assert ledger.assumed == 0


def test_pod_that_is_charged_is_not_assumed_again(ledger):
    ledger.confirm(POD, "n1", ONE)
    ledger.assume(POD, "n2", TWO)

    assert ledger.charge(POD) == Charge("n1", ONE, is_assumed=False)


def test_pod_on_another_node_than_assumed_counts_there(ledger):
    ledger.assume(POD, "n1", ONE)

    assert ledger.confirm(POD, "n2", ONE) is True
    assert sums(ledger) == {("n2", "cpu"): 1000, ("n2", "pods"): 1}


def test_confirmed_pod_is_not_forgotten(ledger):
    ledger.confirm(POD, "n1", ONE)

    assert ledger.forget(POD) is False
    assert ledger.charge(POD) is not None


def test_same_word_again_is_no_news(ledger):
    ledger.confirm(POD, "n1", ONE)

    assert ledger.confirm(POD, "n1", ONE) is False
    assert ledger.confirm(POD, "n1", TWO) is True


def test_release_of_what_is_not_there_is_no_news(ledger):
    assert ledger.release(POD) is False
    assert ledger.forget(POD) is False


def test_ledger_grows_with_nodes_and_resources(ledger):
    many = tuple(f"node-{number}" for number in range(300))
    wide = tuple(f"example.com/r{number:02}" for number in range(40))
    for number, node in enumerate(many):
        ledger.confirm(PodKey("default", node), node, tuple((name, number + 1) for name in wide))

    table = ledger.committed(ledger.rows(many), ledger.columns(wide))

    assert [int(row.min()) for row in table] == [int(row.max()) for row in table] == list(range(1, 301))


def test_asking_for_what_was_never_charged_gives_zeros(ledger):
    ledger.confirm(POD, "n1", ONE)

    table = ledger.committed(ledger.rows(("unknown",)), ledger.columns(("cpu", "never")))

    assert table.tolist() == [[0, 0]]


def test_sums_given_out_are_a_copy(ledger):
    ledger.confirm(POD, "n1", ONE)
    table = ledger.committed(ledger.rows(("n1",)), ledger.columns(("cpu",)))
    table[0, 0] = 7

    assert sums(ledger)["n1", "cpu"] == 1000
