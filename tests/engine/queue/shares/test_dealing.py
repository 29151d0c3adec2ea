"""Whose gang is planned next: beside a slower way that tries every group at every turn."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from coschedule.queue.plan import plan
from coschedule.queue.preemption.preempt import preempt
from coschedule.queue.problem.fair_shares import FairShares, ShareGroup, charged_seconds
from coschedule.queue.problem.gangs import Kept, Seat
from coschedule.queue.problem.promise_kinds import Promises
from coschedule.queue.promises import fronts
from coschedule.queue.shares.dealing import planning_order
from engine.builders import FOUR, NOW, gang, node, release, role, running, seeded, snapshot
from engine.queue.promises.histories import History, live, random_gang, random_nodes
from engine.queue.shares.shared_histories import NAMES, of, shares


def names(made):
    return [one.gang.name for one in made.decisions]


def dealt_one_by_one(facts, made):
    """Deal the turns again in exact numbers, with what each decision turned out to cost."""
    gangs = {one.key: one for one in facts.gangs}
    left = [[one for one in facts.gangs if facts.shares.group_of(one.key) == group] for group in range(4)]
    left = [sorted(some, key=lambda one: (one.created, one.key)) for some in left]
    decided = {one.gang: one for one in made.decisions}
    use = [Fraction(group.used) for group in facts.shares.groups]
    weight = [Fraction(group.weight) for group in facts.shares.groups]
    order = []
    while any(left):
        next_of = {group: some[0] for group, some in enumerate(left) if some}
        group = min(next_of, key=lambda one: (use[one] / weight[one], next_of[one].created, next_of[one].key))
        key = left[group].pop(0).key
        order.append(key)
        use[group] += Fraction(facts.shares.charge(gangs[key], decided[key]))
    return order


def random_queue(rnd, *, count):
    groups = [(name, rnd.choice([0.5, 1.0, 2.0, 3.0]), rnd.choice([0.0, 0.0, 10.0, 50.0])) for name in NAMES]
    gangs = [
        of(rnd.choice("abcd"), replace(random_gang(rnd, number), created=float(rnd.randrange(5))))
        for number in range(count)
    ]
    return replace(snapshot(random_nodes(rnd), gangs), shares=shares(*groups, capacity=(8,)))


@pytest.mark.parametrize("promises", [Promises.CONSERVATIVE, Promises.EASY, Promises.NONE])
@pytest.mark.parametrize("seed", range(5))
def test_next_gang_is_always_that_of_the_group_with_the_least_use_for_its_weight(seed, promises):
    facts = replace(random_queue(seeded(seed), count=14), promises=promises)

    made = plan(facts)

    assert [one.gang for one in made.decisions] == dealt_one_by_one(facts, made)


@pytest.mark.parametrize("seed", range(5))
def test_tried_orders_permute_the_gangs_of_a_group_only(seed):
    facts = replace(random_queue(seeded(seed), count=14), promises=Promises.SLACK)

    made = plan(facts)

    group_of = facts.shares.group_of
    order = [group_of(one.gang) for one in made.decisions]
    by_key = {one.key: one for one in facts.gangs}
    use, left = [group.used for group in facts.shares.groups], order[:]
    for group, one in zip(order, made.decisions, strict=True):
        levels = {each: use[each] / facts.shares.groups[each].weight for each in left}
        assert levels[group] == pytest.approx(min(levels.values()))
        use[group] += facts.shares.charge(by_key[one.gang], one)
        left.remove(group)


@pytest.mark.parametrize("promises", Promises)
@pytest.mark.parametrize("seed", range(3))
def test_gangs_of_one_group_are_planned_as_without_groups(seed, promises):
    rnd = seeded(seed)
    one_group = shares(("default", 2.0, 30.0))
    for facts, made in live(History(random_nodes(rnd), promises), rnd, gangs=10):
        assert plan(replace(facts, shares=one_group)) == made


@pytest.mark.parametrize("promises", Promises)
@pytest.mark.parametrize("seed", range(3))
def test_groups_with_equal_use_change_no_size_and_no_price(seed, promises):
    """They submit alike gangs in turn, and there is room for all, so their turns are in the order of age."""
    rnd, gangs = seeded(seed), []
    for _ in range(4):
        serial, price, least = rnd.randrange(20, 200), rnd.choice([0.02, 0.1, 0.5]), rnd.choice([1, 2])
        for namespace in NAMES:
            one = gang(f"g{len(gangs):02}", size=least, most=6, serial=serial, per_member=1, created=float(len(gangs)))
            gangs.append(of(namespace, replace(one, member_price=price)))
    nodes = [node(f"n{number:02}") for number in range(6 * len(gangs))]
    facts = replace(snapshot(nodes, gangs), promises=promises)

    without = plan(facts)

    assert len({one.size for one in without.decisions}) > 1, "the price decides some sizes"
    for several in (shares(), shares(*((name, 1.0, 40.0) for name in NAMES))):
        assert plan(replace(facts, shares=replace(several, capacity=(len(nodes),)))).decisions == without.decisions


def test_order_that_is_known_before_the_plan_is_that_of_the_plan_where_sizes_are_fixed():
    gangs = [
        of(namespace, gang(f"{namespace}{n}", size=2, serial=8, created=n)) for namespace in "ab" for n in range(4)
    ]
    facts = replace(snapshot(FOUR, gangs), shares=shares(("a", 1.0, 0.0), ("b", 3.0, 1.0)))

    assert [one.key.name for one in planning_order(facts)] == names(
        plan(replace(facts, promises=Promises.CONSERVATIVE))
    )


def test_higher_priority_is_planned_first_whatever_its_group_has_used():
    gangs = [of("a", gang("urgent", serial=8, priority=1)), of("b", gang("calm", serial=8))]
    facts = replace(snapshot(FOUR, gangs), shares=shares(("a", 1.0, 1000.0), ("b", 1.0, 0.0)))

    assert names(plan(facts)) == ["urgent", "calm"]


def test_what_urgent_gangs_are_charged_counts_for_the_turns_of_all_others():
    gangs = [of("a", gang("urgent", size=4, serial=80, priority=1))]
    gangs += [of(namespace, gang(namespace, size=4, serial=80)) for namespace in "ab"]
    facts = replace(snapshot(FOUR, gangs), shares=shares(("a", 1.0, 0.0), ("b", 1.0, 1.0)))

    assert names(plan(facts)) == ["urgent", "b", "a"]
    assert [one.key.name for one in planning_order(facts)] == ["urgent", "b", "a"]


def test_gang_whose_pods_hold_nodes_already_comes_before_all_turns():
    gangs = [of("a", replace(gang("begun", serial=8), queued_since=float("-inf"))), of("b", gang("calm", serial=8))]
    facts = replace(snapshot(FOUR, gangs), shares=shares(("a", 1.0, 1000.0), ("b", 1.0, 0.0)))

    assert names(plan(facts)) == ["begun", "calm"]


def test_gang_that_fits_nowhere_costs_its_group_no_turn():
    gangs = [
        of("a", gang("giant", size=9, serial=8, created=0.0)),
        of("a", gang("next", size=4, serial=8, created=1.0)),
    ]
    gangs.append(of("b", gang("other", size=4, serial=8, created=2.0)))
    facts = replace(snapshot(FOUR, gangs), shares=shares(("a", 1.0, 0.0), ("b", 1.0, 1.0)))

    assert names(plan(facts)) == ["giant", "next", "other"]


def test_run_is_charged_its_dominant_share_for_its_seconds():
    two = role(size=2, request=(1, 8))
    known, unknown = gang(roles=[two], serial=60), gang("u", roles=[two])
    measure = FairShares(capacity=(8, 64))

    assert measure.expected_charge(known) == 30 * 2 / 8
    assert measure.expected_charge(unknown) == charged_seconds(float("inf")) * 2 / 8
    assert FairShares(capacity=(0, 64)).expected_charge(known) == 30 * 16 / 64, "only what has a capacity counts"


def test_gang_of_the_group_with_less_use_is_the_first_to_have_others_give_way():
    gangs = [
        of(one, gang(one, size=2, serial=8, priority=1, may_preempt=True, created=n)) for n, one in enumerate("ab")
    ]
    holds = [running(f"r{n}", 2 * n, 2 * n + 1, size=2, end=NOW + 5000) for n in range(2)]
    nodes = [node(f"n{index}", free=0) for index in range(4)]
    facts = replace(snapshot(nodes, gangs, runs=holds), shares=shares(("a", 1.0, 9.0), ("b", 1.0, 0.0)))

    assert preempt(facts, plan(facts)).preemptions[0].gang.name == "b"
    assert preempt(replace(facts, shares=FairShares()), plan(facts)).preemptions[0].gang.name == "a"


@pytest.mark.parametrize(
    ("groups", "capacity"),
    [((), ()), ((ShareGroup(name="a", namespaces=("x",)), ShareGroup(name="b", namespaces=("x",))), ())],
    ids=["no-group", "namespace-twice"],
)
def test_groups_must_be_there_and_apart(groups, capacity):
    with pytest.raises(ValueError, match="namespace"):
        FairShares(groups=groups, capacity=capacity)


@pytest.mark.parametrize(("weight", "used"), [(0.0, 0.0), (float("inf"), 0.0), (1.0, -1.0), (1.0, float("nan"))])
def test_weight_is_positive_and_use_is_not_negative(weight, used):
    with pytest.raises(ValueError, match="must be"):
        ShareGroup(name="a", weight=weight, used=used)


def test_gang_behind_the_front_that_never_ends_gives_its_node_back_once(monkeypatch):
    # Of the two slots of n0, one is free in the end, and one may be when "endless" has ended. So "large" never fits.
    monkeypatch.setattr(fronts, "FRONT", 1)
    kept = [Kept(start=NOW + 5, finish=NOW + 55, seats=((Seat(1, 1),),))]
    kept.append(Kept(start=NOW + 10, finish=math.inf, seats=((Seat(0, 1),),)))
    gangs = [
        of("a", gang("first", serial=50, created=0)),
        of("b", gang("next", serial=50, created=1, kept=kept[0], promised=NOW + 5)),
        of("b", gang("endless", created=2, kept=kept[1], promised=NOW + 10)),
        of("b", gang("large", request=(3,), priority=-1)),
    ]
    ends = [release(0, NOW + 10, 2), release(1, NOW + 5), release(2, NOW + 5)]
    facts = snapshot([node(f"n{index}", free=0) for index in range(3)], gangs, releases=ends, most_holding=1)
    facts = replace(facts, shares=shares(("a", 1.0, 0.0), ("b", 1.0, 0.0)), promises=Promises.CONSERVATIVE)

    *others, large = plan(facts).decisions

    assert {one.gang.name: one.start for one in others} == {"first": NOW + 5, "next": NOW + 5, "endless": NOW + 10}
    assert (large.gang.name, large.hold) == ("large", None)
