"""What a gang costs is charged: counts of steps, of nodes checked and of parts read, never of seconds."""

from dataclasses import replace

import pytest

from coschedule.queue.constraints.requirements import label_test
from coschedule.queue.constraints.terms import Constraints, NodeTerm, Requirement, Toleration
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.feasible.topology import Topology
from coschedule.queue.plan import plan, plan_and_count
from coschedule.queue.planner import reading
from coschedule.queue.planner.reading import read_constraints
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.refusals import ConstraintsTooLong
from coschedule.queue.search.effort import Account, Limits
from engine.builders import NOW, apart, decisions, gang, node, release, role, snapshot, together

HOST = "kubernetes.io/hostname"
LIMITS = Limits(for_one=100, in_a_plan=200, least=10)


def hosts(count, **more):
    return [node(f"n{number:04}", free=4, labels={HOST: f"n{number:04}"}, **more) for number in range(count)]


def other_than(count):
    """Ask for a host other than so many that do not exist."""
    asked = Requirement(HOST, "NotIn", tuple(f"x{number}" for number in range(count)))
    return Constraints(affinity=(NodeTerm(labels=(asked,), fields=()),))


def tolerant(count):
    return Constraints(tolerations=tuple(Toleration(f"k{number}", "Exists", "", "") for number in range(count)))


def either(count):
    """Ask for one of so many hosts, each by a term of its own."""
    asked = (Requirement(HOST, "In", (f"n{number:04}",)) for number in range(count))
    return Constraints(affinity=tuple(NodeTerm(labels=(one,), fields=()) for one in asked))


def steps(nodes, one, **facts):
    return plan_and_count(snapshot(nodes, [one], **facts)).steps


@pytest.mark.parametrize(
    ("factors", "want_copies"),
    [
        pytest.param((), 1, id="as fast as others"),
        pytest.param(((0, 2.0),), 10, id="with own speeds, by which nodes are ranked again"),
    ],
)
def test_gang_pays_for_its_own_timeline_by_the_number_of_nodes(factors, want_copies):
    costs = []
    for count in (100, 300):
        nodes = [node(f"n{number:04}", free=4, kind=number % 2) for number in range(count)]
        costs.append(steps(nodes, gang(serial=600, factors=factors)))

    assert costs[1] - costs[0] >= want_copies * 200


def test_gang_pays_for_a_timeline_of_its_own_for_each_risk_that_it_may_take():
    nodes, edges, at_risk = hosts(100), (NOW, NOW + 3600), [(0.5,)] * 50 + [(0.0,)] * 50
    one, both = (steps(nodes, gang(serial=600), edges=edges, returns=returns) for returns in ([(0.0,)] * 100, at_risk))

    assert both - one >= 100


def spend_all(account, gang_key):
    effort = account.effort(gang_key)
    effort.spend(effort.most)
    return effort.most


def test_half_of_a_plan_is_kept_in_equal_parts_for_the_tenants_that_have_spent_nothing():
    account, first, others = Account(LIMITS), [GangKey("a", f"g{n}") for n in range(30)], [GangKey("b", "g")]
    account.welcome([*first, *others])

    spent = [spend_all(account, one) for one in first]

    assert spent[:2] == [100, 60]
    assert spent[-1] == LIMITS.least
    # What is kept, and the ten that are on the account yet no more than each choice has by itself.
    assert spend_all(account, others[0]) == 60


def test_gang_spends_no_more_in_several_orders_than_in_one():
    account, one = Account(LIMITS), GangKey("a", "g")
    account.welcome([one])

    assert [spend_all(account, one) for _ in range(3)] == [100, LIMITS.least, LIMITS.least]


def test_least_of_each_choice_is_on_no_account():
    account = Account(LIMITS)
    for number in range(1000):
        account.effort(GangKey("a", f"g{number}")).spend(LIMITS.least)

    assert (account.spent, account.beyond) == (1000 * LIMITS.least, 0)


def test_gang_whose_constraints_are_too_long_says_so_and_the_others_are_planned(monkeypatch):
    monkeypatch.setattr(reading, "_LIMITS", LIMITS)
    long = gang("long", constraints=other_than(200), priority=1)

    made = decisions(hosts(2), long, gang("short", constraints=other_than(5)), gang("plain"))

    assert made["long"].refusal == ConstraintsTooLong(length=203, most=100)
    assert (made["short"].size, made["plain"].size) == (1, 1)


def test_constraints_of_one_tenant_leave_room_to_read_those_of_another(monkeypatch):
    monkeypatch.setattr(reading, "_LIMITS", LIMITS)
    greedy = [replace(gang(f"g{n}", constraints=other_than(30 + n)), key=GangKey("a", f"g{n}")) for n in range(30)]
    modest = replace(gang("m", constraints=other_than(40), created=1.0), key=GangKey("b", "m"))
    facts = snapshot(hosts(2), [*greedy, modest])

    read = read_constraints(facts.gangs, Feasibility(facts.nodes), skipping_errors=False)

    assert modest.key not in read.refused
    assert greedy[-1].key in read.refused
    assert read.account.beyond <= LIMITS.in_a_plan


def test_equal_constraints_of_many_gangs_are_read_once_and_share_a_mask():
    facts = snapshot(hosts(3), [gang(f"g{number}", constraints=other_than(50)) for number in range(20)])

    read = read_constraints(facts.gangs, Feasibility(facts.nodes), skipping_errors=False)

    assert read.account.spent == other_than(50).length
    assert len(read.distinct_masks) == 1


class _Watched(dict):
    """Labels that count how often they are asked for."""

    reads = 0

    def get(self, *args):
        _Watched.reads += 1
        return super().get(*args)


@pytest.mark.parametrize("constraints", [other_than, either, tolerant], ids=["values", "terms", "tolerations"])
def test_mask_asks_each_node_once_however_long_its_constraints_are(constraints):
    nodes = [replaced | {"labels": _Watched(replaced["labels"])} for replaced in hosts(20)]
    reads = []
    for count in (1, 1000):
        _Watched.reads = 0
        Feasibility(snapshot(nodes, []).nodes).mask(constraints(count))
        reads.append(_Watched.reads)

    assert reads[1] == reads[0] <= 20


class _Value(str):
    compared = 0

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other):
        _Value.compared += 1
        return str.__eq__(self, other)


@pytest.mark.parametrize("operator", ["In", "NotIn"])
def test_label_is_compared_with_no_value_but_its_own_however_many_there_are(operator):
    passes = label_test(Requirement(HOST, operator, tuple(_Value(f"x{number}") for number in range(1000))))
    _Value.compared = 0

    assert (passes("x7"), passes("n1")) == (operator == "In", operator == "NotIn")
    assert _Value.compared <= 2


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("count", [50, 1000])
def test_gang_in_one_of_many_domains_costs_a_small_multiple_of_one_that_is_anywhere(count, size):
    anywhere = steps(hosts(count), gang(size=size, most=4, serial=600, per_member=1))
    in_one = steps(hosts(count), gang(size=size, most=4, serial=600, per_member=1, terms=[together("", key=HOST)]))

    assert in_one <= 3 * anywhere + 100 * count


@pytest.mark.parametrize("kind", [together, apart])
def test_terms_about_labels_that_divide_nodes_alike_are_one(kind):
    nodes = hosts(8)
    one, many = (gang(size=2, most=4, terms=[kind("", key=key) for key in keys]) for keys in ([HOST], [HOST] * 500))

    assert plan(snapshot(nodes, [many])) == plan(snapshot(nodes, [one]))
    assert steps(nodes, many) - steps(nodes, one) <= 100 * 499


def test_labels_that_no_node_has_are_one_however_many_a_gang_names():
    topology = Topology(snapshot(hosts(8), []).nodes)
    terms = [apart("", key=f"absent-{number}") for number in range(1000)]

    assert len(topology.distinct([*terms, apart("")])) == 2


def test_gang_of_roles_costs_few_steps_for_each_instant_at_which_something_ends():
    roles = [role("launcher"), role("workers", size=4, most=8)]
    costs = []
    for ends in (50, 200):
        nodes = [node(f"n{number:03}", free=0) for number in range(ends)]
        releases = [release(number, NOW + 1 + number, 1) for number in range(ends)]
        costs.append(steps(nodes, gang(roles=roles, serial=600), releases=releases))

    assert costs[1] <= 6 * costs[0]
