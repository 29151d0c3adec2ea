"""What must hold for the choice of any group."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coschedule.groups.equal import Group, choose_equal
from coschedule.groups.goal import Goal
from coschedule.nodes import Node
from coschedule.work import SerialWork, TimesWork

amounts = st.fractions(min_value=0, max_value=20, max_denominator=6)
nodes = st.builds(
    Node,
    start=amounts,
    duty_cycle=amounts,
    capacity=st.sampled_from([1, 2, Fraction(1, 2)]),
    until=st.one_of(st.just(float("inf")), amounts.map(lambda amount: amount * 5)),
    slots=st.integers(1, 3),
)
clusters = st.lists(nodes, min_size=1, max_size=8)
works = st.builds(SerialWork, serial=amounts.map(lambda amount: amount + 1), fixed=amounts, per_member=amounts)
goals = st.builds(
    lambda minimum, more, price: Goal(minimum=minimum, maximum=minimum + more, price=price),
    st.integers(1, 3),
    st.integers(0, 5),
    st.sampled_from([0, Fraction(1, 7)]),
)


def value(group, goal):
    """What the goal minimises; more than anything when there is no group."""
    if not isinstance(group, Group):
        return float("inf")
    return group.finish + goal.price * group.size * (group.finish - group.start)


@given(clusters, works, goals, st.randoms(use_true_random=False))
def test_order_of_nodes_changes_nothing(cluster, work, goal, rnd):
    shuffled = rnd.sample(cluster, len(cluster))

    one, other = choose_equal(cluster, work, goal), choose_equal(shuffled, work, goal)

    assert value(one, goal) == value(other, goal)
    if isinstance(one, Group):
        assert (one.finish, one.size, one.start) == (other.finish, other.size, other.start)


@given(clusters, works, goals)
def test_choice_is_deterministic(cluster, work, goal):
    assert choose_equal(cluster, work, goal) == choose_equal(cluster, work, goal)


@given(clusters, nodes, works, goals)
def test_another_node_never_hurts(cluster, node, work, goal):
    assert value(choose_equal([*cluster, node], work, goal), goal) <= value(choose_equal(cluster, work, goal), goal)


@given(clusters, st.integers(0, 7), amounts, works, goals)
def test_longer_window_never_hurts(cluster, index, longer, work, goal):
    index %= len(cluster)
    extended = [*cluster]
    extended[index] = replace(cluster[index], until=cluster[index].until + longer)

    assert value(choose_equal(extended, work, goal), goal) <= value(choose_equal(cluster, work, goal), goal)


@given(clusters, works, goals, st.fractions(min_value=Fraction(1, 5), max_value=9, max_denominator=7))
def test_scaling_time_scales_the_answer(cluster, work, goal, scale):
    slower = [replace(node, start=node.start * scale, until=node.until * scale) for node in cluster]
    longer = replace(work, serial=work.serial * scale, fixed=work.fixed * scale, per_member=work.per_member * scale)

    group, scaled = choose_equal(cluster, work, goal), choose_equal(slower, longer, goal)

    if isinstance(group, Group):
        assert (scaled.finish, scaled.start) == (group.finish * scale, group.start * scale)
        assert (scaled.members, scaled.speedup) == (group.members, group.speedup)
    else:
        assert not isinstance(scaled, Group)


@given(clusters, works, goals)
def test_floats_agree_with_exact_numbers(cluster, work, goal):
    inexact = replace(work, serial=float(work.serial))

    group, in_floats = choose_equal(cluster, work, goal), choose_equal(cluster, inexact, goal)

    # A window that ends in the very instant of a finish may be missed by a rounding error.
    if (
        isinstance(group, Group)
        and isinstance(in_floats, Group)
        and all(node.until == float("inf") for node in cluster)
    ):
        assert in_floats.finish == pytest.approx(float(group.finish), rel=1e-9)


@given(clusters, works, goals)
def test_members_can_really_do_it(cluster, work, goal):
    group = choose_equal(cluster, work, goal)
    if not isinstance(group, Group):
        return
    used = [cluster[index] for index in group.members]
    slowdown = max((1 + node.duty_cycle) / Fraction(node.capacity) for node in used)
    run = slowdown * (work.serial / Fraction(group.size) + work.fixed + work.per_member * group.size)

    assert goal.minimum <= group.size == len(group.members) <= goal.maximum
    assert group.start == max(node.start for node in used)
    assert group.finish == group.start + run <= min(node.until for node in used)
    assert all(group.members.count(index) <= cluster[index].slots for index in group.members)


@settings(max_examples=20)
@given(st.lists(st.integers(1, 50), min_size=200, max_size=300), st.integers(0, 10**6))
def test_large_clusters_agree_with_a_plain_scan(duties, seed):
    cluster = [Node(start=(seed * (index + 1)) % 37, duty_cycle=duty) for index, duty in enumerate(duties)]
    work = TimesWork(times=tuple(Fraction(10**6, size) + size for size in range(1, len(duties) + 1)))

    group = choose_equal(cluster, work, Goal(minimum=1, maximum=len(duties)))

    assert group.finish == plain_scan(cluster, work)


def plain_scan(cluster, work):
    """For every start, sort the slow-downs of those that have started: the P-th decides for P members."""
    best = float("inf")
    for start in {node.start for node in cluster}:
        slowdowns = sorted(1 + node.duty_cycle for node in cluster if node.start <= start)
        best = min(best, *(start + slowdown * time for slowdown, time in zip(slowdowns, work.times, strict=False)))
    return best
