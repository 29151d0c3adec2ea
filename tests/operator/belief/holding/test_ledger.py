"""Sums in the ledger equal a recount of its charges, whatever happened."""

from collections import Counter
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.facts import pod_fact
from coschedule import GangKey
from lockstep.belief.holding.ledger import Charge, Ledger
from lockstep.belief.holding.sums import LARGEST_SUM
from lockstep.facts.pods.pod import LARGEST_AMOUNT, Membership

NODES = tuple(f"n{number}" for number in range(5))
RESOURCES = ("cpu", "example.com/gpu", "memory", "pods")
MEMBERS = [Membership(GangKey("default", "g"), "uid-of-g", 1, rank) for rank in range(4)]

members = st.sampled_from(MEMBERS)
nodes = st.sampled_from(NODES)
amounts = st.one_of(st.integers(1, 2**40), st.just(LARGEST_AMOUNT))
requests = st.dictionaries(st.sampled_from(RESOURCES), amounts).map(lambda it: tuple(sorted(it.items())))
uids = st.sampled_from(["a", "b", "c", "d", "e", "f"])
pods = st.builds(
    lambda uid, member, node, request, lasting: pod_fact(
        uid=uid, member=member, node=node, request=request, lasting=lasting
    ),
    uids,
    st.one_of(st.none(), members),
    nodes,
    requests,
    st.booleans(),
)
steps = st.one_of(
    st.tuples(st.just("assume"), members, nodes, requests),
    st.tuples(st.just("confirm"), pods),
    st.tuples(st.just("release"), uids),
    st.tuples(st.just("forget"), members),
    st.tuples(st.just("drop_row"), nodes),
    st.tuples(st.just("columns"), st.lists(st.sampled_from([f"r{n}" for n in range(90)]), max_size=70).map(tuple)),
)


def sums(ledger, layer="committed"):
    table = getattr(ledger, layer)(ledger.rows(NODES), ledger.columns(RESOURCES))
    return {
        (node, resource): int(table[n, r])
        for n, node in enumerate(NODES)
        for r, resource in enumerate(RESOURCES)
        if table[n, r]
    }


class Model:
    """The same ledger, as plainly as can be: charges by UID and by member, added up anew each time."""

    def __init__(self):
        self.seen = {}
        self.assumed = {}

    def carry_out(self, name, *arguments):
        getattr(self, name)(*arguments)

    def assume(self, member, node, request):
        if not any(charge.member == member for charge in self.seen.values()):
            self.assumed.setdefault(member, Charge(node, request, is_lasting=False, member=member))

    def confirm(self, pod):
        self.assumed.pop(pod.member, None)
        self.seen[pod.uid] = Charge(pod.node, pod.request, pod.lasting, pod.member)

    def release(self, uid):
        self.seen.pop(uid, None)

    def forget(self, member):
        self.assumed.pop(member, None)

    def drop_row(self, _):
        """What is counted stays."""

    def columns(self, _):
        """What is counted stays."""

    def charged(self):
        charges = [*self.seen.values(), *self.assumed.values()]
        return Counter((charge.node, charge.request) for charge in charges if charge.member is not None)

    def sums(self, *, lasting_only=False):
        total = Counter()
        for charge in [*self.seen.values(), *self.assumed.values()]:
            for resource, amount in charge.request if charge.is_lasting or not lasting_only else ():
                total[charge.node, resource] += amount
        return {place: min(amount, LARGEST_SUM) for place, amount in total.items()}


def distinct_members(history):
    """At most one pod of a member is there at a time: leave out whatever would be a second one."""
    there = {}
    for step in history:
        if step[0] == "confirm":
            pod = step[1]
            if pod.member is not None and there.get(pod.member, pod.uid) != pod.uid:
                continue
            there = {member: uid for member, uid in there.items() if uid != pod.uid}
            if pod.member is not None:
                there[pod.member] = pod.uid
        elif step[0] == "release":
            there = {member: uid for member, uid in there.items() if uid != step[1]}
        yield step


@settings(max_examples=300)
@given(st.lists(steps, max_size=30))
def test_sums_equal_a_recount(history):
    ledger, model = Ledger(), Model()
    for name, *arguments in distinct_members(history):
        getattr(ledger, name)(*arguments)
        model.carry_out(name, *arguments)

        assert sums(ledger) == model.sums()
        assert sums(ledger, "lasting") == model.sums(lasting_only=True)
        assert ledger.assumed == len(model.assumed)
        assert ledger.charged(GangKey("default", "g"), "uid-of-g", 1) == model.charged()


@settings(max_examples=100)
@given(st.lists(steps, max_size=30))
def test_sums_equal_a_recount_while_their_columns_are_opened_in_steps(history):
    ledger, model = Ledger(), Model()
    opening = ledger.opening_columns((*RESOURCES, *(f"r{number}" for number in range(90))))
    for name, *arguments in distinct_members(history):
        getattr(ledger, name)(*arguments)
        model.carry_out(name, *arguments)
        for _ in islice(opening, 5):
            pass

        assert sums(ledger) == model.sums()
        assert sums(ledger, "lasting") == model.sums(lasting_only=True)


@given(st.lists(steps, max_size=20))
@settings(max_examples=100)
def test_answers_say_whether_sums_have_changed(history):
    ledger = Ledger()
    for name, *arguments in history:
        before = sums(ledger)
        answer = getattr(ledger, name)(*arguments)

        assert answer is not False or before == sums(ledger)


ONE = (("cpu", 1000), ("pods", 1))
TWO = (("cpu", 2000), ("pods", 1))
MEMBER = MEMBERS[0]


def shown(uid="new", node="n1", request=ONE, member=MEMBER, **more):
    return pod_fact(uid=uid, node=node, request=request, member=member, **more)


@pytest.fixture
def ledger():
    return Ledger()


def test_assumption_that_is_confirmed_counts_once(ledger):
    ledger.assume(MEMBER, "n1", ONE)

    assert ledger.confirm(shown()) is False
    assert sums(ledger) == {("n1", "cpu"): 1000, ("n1", "pods"): 1}
    assert ledger.assumed == 0


def test_member_that_is_charged_is_not_assumed_again(ledger):
    ledger.confirm(shown())
    ledger.assume(MEMBER, "n2", TWO)

    assert ledger.charge(MEMBER) == Charge("n1", ONE, is_lasting=False, member=MEMBER)


def test_pod_on_another_node_than_assumed_counts_there(ledger):
    ledger.assume(MEMBER, "n1", ONE)

    assert ledger.confirm(shown(node="n2")) is True
    assert sums(ledger) == {("n2", "cpu"): 1000, ("n2", "pods"): 1}


def test_confirmed_pod_is_not_forgotten(ledger):
    ledger.confirm(shown())

    assert ledger.forget(MEMBER) is False
    assert ledger.charge(MEMBER) is not None


def test_same_entry_again_is_no_change(ledger):
    ledger.confirm(shown())

    assert ledger.confirm(shown()) is False
    assert ledger.confirm(shown(request=TWO)) is True


def test_release_of_what_is_not_there_is_no_change(ledger):
    assert ledger.release("missing") is False
    assert ledger.forget(MEMBER) is False


OF_AN_EARLIER_GANG = MEMBER._replace(gang_uid="uid-of-an-earlier-g")


def test_ghost_of_the_same_name_neither_hides_nor_ends_an_assumption(ledger):
    ledger.confirm(shown("old", node="n2", member=OF_AN_EARLIER_GANG))
    ledger.assume(MEMBER, "n1", ONE)
    ledger.confirm(shown("old", node="n2", member=OF_AN_EARLIER_GANG, request=TWO))
    assert sums(ledger) == {("n1", "cpu"): 1000, ("n1", "pods"): 1, ("n2", "cpu"): 2000, ("n2", "pods"): 1}

    ledger.release("old")
    assert sums(ledger) == {("n1", "cpu"): 1000, ("n1", "pods"): 1}


def test_late_end_of_an_earlier_pod_leaves_the_later_one_counted(ledger):
    ledger.confirm(shown("old", node="n2"))
    ledger.confirm(shown("new", node="n1"))
    ledger.release("old")

    assert sums(ledger) == {("n1", "cpu"): 1000, ("n1", "pods"): 1}
    assert ledger.charge(MEMBER).node == "n1"


def test_lasting_pods_are_added_up_apart(ledger):
    ledger.confirm(shown("a", member=None, lasting=True))
    ledger.confirm(shown("b", member=None))
    ledger.assume(MEMBER, "n1", ONE)

    assert sums(ledger)["n1", "cpu"] == 3000
    assert sums(ledger, "lasting") == {("n1", "cpu"): 1000, ("n1", "pods"): 1}


def test_charges_beyond_64_bits_saturate_and_are_exactly_taken_off_again(ledger):
    huge = [
        shown(f"huge-{number}", member=None, request=(("cpu", LARGEST_AMOUNT), ("pods", 1))) for number in range(2**15)
    ]
    assert len(huge) * LARGEST_AMOUNT >= 2**63
    ledger.confirm(shown("small", member=None))
    for pod in huge:
        ledger.confirm(pod)
    assert sums(ledger) == {("n1", "cpu"): LARGEST_SUM, ("n1", "pods"): 2**15 + 1}

    for pod in huge:
        ledger.release(pod.uid)
    assert sums(ledger) == {("n1", "cpu"): 1000, ("n1", "pods"): 1}


def test_ledger_grows_with_nodes_and_resources(ledger):
    many = tuple(f"node-{number}" for number in range(300))
    wide = tuple(f"example.com/r{number:02}" for number in range(40))
    for number, node in enumerate(many):
        ledger.confirm(shown(node, node=node, member=None, request=tuple((name, number + 1) for name in wide)))

    table = ledger.committed(ledger.rows(many), ledger.columns(wide))

    assert [int(row.min()) for row in table] == [int(row.max()) for row in table] == list(range(1, 301))


def test_arrays_grow_neither_with_names_of_resources_nor_with_nodes_that_come_and_go(ledger):
    for number in range(20_000):
        node, resource = f"node-{number}", f"example.com/r{number}"
        ledger.confirm(shown(node, node=node, member=None, request=((resource, 7), ("cpu", 1))))
        table = ledger.committed(ledger.rows((node,)), ledger.columns((resource, "cpu")))
        ledger.drop_row(node)

        assert table.tolist() == [[7, 1]]
    assert ledger._sums._table.size < 100_000


def test_arrays_shrink_when_most_nodes_are_gone(ledger):
    many = tuple(f"node-{number}" for number in range(5000))
    for number, node in enumerate(many):
        ledger.confirm(shown(node, node=node, member=None, request=(("cpu", number + 1),)))
    ledger.rows(many)
    for node in many[:-3]:
        ledger.drop_row(node)

    table = ledger.committed(ledger.rows(("new", *many[-3:], many[0])), ledger.columns(("cpu",)))

    assert table.tolist() == [[0], [4998], [4999], [5000], [1]]
    assert ledger._sums._table.size < 10_000


def test_arrays_shrink_when_few_resources_are_asked_for(ledger):
    wide = tuple(f"example.com/r{number}" for number in range(1000))
    ledger.confirm(shown(member=None, request=tuple((name, number + 1) for number, name in enumerate(wide))))
    ledger.committed(ledger.rows(("n1",)), ledger.columns(wide))

    table = ledger.committed(ledger.rows(("n1",)), ledger.columns(("cpu", "example.com/r7", "example.com/r999")))

    assert table.tolist() == [[0, 8, 1000]]
    assert ledger._sums._table.size < 10_000


def test_asking_for_what_was_never_charged_gives_zeros(ledger):
    ledger.confirm(shown())

    table = ledger.committed(ledger.rows(("unknown",)), ledger.columns(("cpu", "never")))

    assert table.tolist() == [[0, 0]]


def test_sums_given_out_are_a_copy(ledger):
    ledger.confirm(shown())
    table = ledger.committed(ledger.rows(("n1",)), ledger.columns(("cpu",)))
    table[0, 0] = 7

    assert sums(ledger)["n1", "cpu"] == 1000
