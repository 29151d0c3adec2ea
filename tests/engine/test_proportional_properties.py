"""What must hold for the choice of any group under a proportional load."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coschedule.groups.choice import Group
from coschedule.groups.equal import choose_equal
from coschedule.groups.goal import Goal
from coschedule.groups.loads import Overhead
from coschedule.groups.proportional import choose_proportional
from coschedule.nodes import Node
from coschedule.work import SerialWork

amounts = st.fractions(min_value=0, max_value=20, max_denominator=6)
slowdowns = st.one_of(
    st.none(),
    st.lists(amounts.map(lambda amount: amount + 1), min_size=1, max_size=3).map(lambda steps: tuple(sorted(steps))),
)
nodes = st.builds(
    Node,
    start=amounts,
    duty_cycle=amounts,
    capacity=st.sampled_from([1, 2, Fraction(1, 2)]),
    until=st.one_of(st.just(float("inf")), amounts.map(lambda amount: amount * 5)),
    slots=st.integers(1, 3),
    slowdowns=slowdowns,
)
clusters = st.lists(nodes, min_size=1, max_size=8)
works = st.builds(SerialWork, serial=amounts.map(lambda amount: amount + 1), fixed=amounts, per_member=amounts)
goals = st.builds(
    lambda minimum, more, price: Goal(minimum=minimum, maximum=minimum + more, price=price),
    st.integers(1, 3),
    st.integers(0, 5),
    st.sampled_from([0, Fraction(1, 7)]),
)
overheads = st.sampled_from(list(Overhead))


def value(group, goal):
    """What the goal minimises; more than anything when there is no group."""
    if not isinstance(group, Group):
        return float("inf")
    return group.finish + goal.price * group.size * (group.finish - group.start)


@given(clusters, works, goals, overheads, st.randoms(use_true_random=False))
def test_order_of_nodes_changes_nothing(cluster, work, goal, overhead, rnd):
    shuffled = rnd.sample(cluster, len(cluster))

    one = choose_proportional(cluster, work, goal, overhead=overhead)
    other = choose_proportional(shuffled, work, goal, overhead=overhead)

    assert value(one, goal) == value(other, goal)
    if isinstance(one, Group):
        assert (one.finish, one.size, one.start) == (other.finish, other.size, other.start)


@given(clusters, nodes, works, goals, overheads)
def test_another_node_never_hurts(cluster, node, work, goal, overhead):
    more = choose_proportional([*cluster, node], work, goal, overhead=overhead)

    assert value(more, goal) <= value(choose_proportional(cluster, work, goal, overhead=overhead), goal)


@given(clusters, st.integers(0, 7), amounts, works, goals)
def test_longer_window_never_hurts(cluster, index, longer, work, goal):
    index %= len(cluster)
    extended = [*cluster]
    extended[index] = replace(cluster[index], until=cluster[index].until + longer)

    assert value(choose_proportional(extended, work, goal), goal) <= value(
        choose_proportional(cluster, work, goal), goal
    )


@given(clusters, works, goals, st.fractions(min_value=Fraction(1, 5), max_value=9, max_denominator=7))
def test_scaling_time_scales_the_answer(cluster, work, goal, scale):
    slower = [replace(node, start=node.start * scale, until=node.until * scale) for node in cluster]
    longer = replace(work, serial=work.serial * scale, fixed=work.fixed * scale, per_member=work.per_member * scale)

    group, scaled = choose_proportional(cluster, work, goal), choose_proportional(slower, longer, goal)

    if isinstance(group, Group):
        assert (scaled.finish, scaled.start) == (group.finish * scale, group.start * scale)
        assert (scaled.members, scaled.speedup, scaled.shares) == (group.members, group.speedup, group.shares)
    else:
        assert not isinstance(scaled, Group)


@given(clusters, works, goals, overheads)
def test_floats_agree_with_exact_numbers(cluster, work, goal, overhead):
    endless = [replace(node, until=float("inf")) for node in cluster]
    inexact = replace(work, serial=float(work.serial))

    group = choose_proportional(endless, work, goal, overhead=overhead)
    in_floats = choose_proportional(endless, inexact, goal, overhead=overhead)

    assert isinstance(group, Group) == isinstance(in_floats, Group)
    assert float(value(in_floats, goal)) == pytest.approx(float(value(group, goal)), rel=1e-9)


@given(clusters, works, goals)
def test_never_later_than_an_equal_load(cluster, work, goal):
    """The same members do the same work; only the slower ones have less of it."""
    shared, equal = choose_proportional(cluster, work, goal), choose_equal(cluster, work, goal)

    assert value(shared, goal) <= value(equal, goal)


@given(clusters, works, goals, overheads)
def test_shares_are_of_the_whole_and_follow_speed(cluster, work, goal, overhead):
    group = choose_proportional(cluster, work, goal, overhead=overhead)
    if not isinstance(group, Group):
        return

    assert len(group.shares) == len(group.members) == group.size
    assert sum(group.shares) == 1
    for member, share in zip(group.members, group.shares, strict=True):
        node, held = cluster[member], group.members.count(member)
        slowdown = node.slowdowns[held - 1] if node.slowdowns else (1 + node.duty_cycle) / Fraction(node.capacity)
        assert share * slowdown == group.shares[0] * _first_slowdown(cluster, group)


def _first_slowdown(cluster, group):
    node, held = cluster[group.members[0]], group.members.count(group.members[0])
    return node.slowdowns[held - 1] if node.slowdowns else (1 + node.duty_cycle) / Fraction(node.capacity)
