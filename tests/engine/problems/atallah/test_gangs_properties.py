"""What must hold for the choice of any group, whatever the load."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coschedule.model.divided_work import Overhead
from coschedule.model.goal import Goal, Objective
from coschedule.model.run_times import SerialWork
from coschedule.problems.atallah.equal import choose_equal
from coschedule.problems.atallah.gang import ChosenGang
from coschedule.problems.atallah.proportional import choose_proportional
from coschedule.problems.node import Node

CHOICES = [
    pytest.param(choose_equal, id="equal"),
    pytest.param(choose_proportional, id="proportional"),
    pytest.param(partial(choose_proportional, overhead=Overhead.PER_GANG), id="perGang"),
]
choices = pytest.mark.parametrize("choose", CHOICES)
proportional_choices = pytest.mark.parametrize("choose", CHOICES[1:])

amounts = st.builds(Fraction, st.integers(0, 60), st.sampled_from([1, 2, 3, 6]))
nodes = st.builds(
    Node,
    start=amounts,
    duty_cycle=amounts,
    capacity=st.sampled_from([1, 2, Fraction(1, 2)]),
    until=st.one_of(st.just(math.inf), amounts.map(lambda amount: amount * 8)),
    slots=st.integers(1, 3),
    slowdowns=st.sampled_from([None, None, None, (1, 1, 2), (1, Fraction(3, 2)), (Fraction(1, 2), 3)]),
)
clusters = st.lists(nodes, min_size=1, max_size=6)
works = st.builds(SerialWork, serial=amounts.map(lambda amount: amount + 1), fixed=amounts, per_member=amounts)
goals = st.builds(
    lambda minimum, more, wish: Goal(minimum=minimum, maximum=minimum + more, **wish),
    st.integers(1, 3),
    st.integers(0, 5),
    st.sampled_from(
        [
            {},
            {},
            {"price": Fraction(1, 7)},
            {"deadline": 60},
            {"deadline": 60, "price": Fraction(1, 7)},
            {"deadline": 60, "objective": Objective.FEWEST},
        ]
    ),
)

few = settings(max_examples=50)


def value(group, goal):
    """What the goal minimises; more than anything when there is no group."""
    if not isinstance(group, ChosenGang):
        return math.inf
    if goal.objective is Objective.FEWEST:
        return group.size
    return group.finish + goal.price * group.size * (group.finish - group.start)


def slowdown_of(node, held):
    return node.slowdowns[held - 1] if node.slowdowns else (1 + node.duty_cycle) / Fraction(node.capacity)


@choices
@few
@given(clusters, works, goals, st.randoms(use_true_random=False))
def test_order_of_nodes_changes_nothing(choose, cluster, work, goal, rnd):
    one, other = choose(cluster, work, goal), choose(rnd.sample(cluster, len(cluster)), work, goal)

    assert value(one, goal) == value(other, goal)
    if isinstance(one, ChosenGang):
        assert (one.finish, one.size, one.start) == (other.finish, other.size, other.start)


@choices
@few
@given(clusters, nodes, works, goals)
def test_another_node_never_hurts(choose, cluster, node, work, goal):
    assert value(choose([*cluster, node], work, goal), goal) <= value(choose(cluster, work, goal), goal)


@choices
@few
@given(clusters, st.integers(0, 5), amounts, works, goals)
def test_longer_window_never_hurts(choose, cluster, index, longer, work, goal):
    index %= len(cluster)
    extended = [*cluster]
    extended[index] = replace(cluster[index], until=cluster[index].until + longer)

    assert value(choose(extended, work, goal), goal) <= value(choose(cluster, work, goal), goal)


@choices
@few
@given(clusters, works, goals, st.sampled_from([Fraction(1, 5), Fraction(2, 3), Fraction(9)]))
def test_scaling_time_scales_the_answer(choose, cluster, work, goal, scale):
    slower = [replace(node, start=node.start * scale, until=node.until * scale) for node in cluster]
    longer = replace(work, serial=work.serial * scale, fixed=work.fixed * scale, per_member=work.per_member * scale)

    group = choose(cluster, work, goal)
    scaled = choose(slower, longer, replace(goal, deadline=goal.deadline * scale))

    assert isinstance(group, ChosenGang) == isinstance(scaled, ChosenGang)
    if isinstance(group, ChosenGang):
        assert scaled == replace(group, finish=group.finish * scale, start=group.start * scale)


@choices
@few
@given(clusters, works, goals)
def test_floats_agree_with_exact_numbers(choose, cluster, work, goal):
    """Without windows and deadlines, which a rounding error may miss."""
    endless, goal = [replace(node, until=math.inf) for node in cluster], replace(goal, deadline=math.inf)

    group, in_floats = choose(endless, work, goal), choose(endless, replace(work, serial=float(work.serial)), goal)

    assert isinstance(group, ChosenGang) == isinstance(in_floats, ChosenGang)
    assert float(value(in_floats, goal)) == pytest.approx(float(value(group, goal)), rel=1e-9)


@choices
@few
@given(clusters, works, goals)
def test_members_can_do_it_and_are_chosen_again(choose, cluster, work, goal):
    group = choose(cluster, work, goal)

    assert choose(cluster, work, goal) == group
    if isinstance(group, ChosenGang):
        used = [cluster[member] for member in group.members]
        assert goal.minimum <= group.size == len(group.members) <= goal.maximum
        assert group.start == max(node.start for node in used)
        assert group.start < group.finish <= min([goal.deadline, *(node.until for node in used)])
        for member in group.members:
            assert group.members.count(member) <= len(cluster[member].slowdowns or range(cluster[member].slots))


@few
@given(clusters, works, goals)
def test_equal_load_runs_as_long_as_its_slowest_member(cluster, work, goal):
    """[A] 3: start(G) + e(G) * T(|G|)."""
    group = choose_equal(cluster, work, goal)

    if isinstance(group, ChosenGang):
        slowest = max(slowdown_of(cluster[member], group.members.count(member)) for member in group.members)
        alone = work.serial / Fraction(group.size) + work.fixed + work.per_member * group.size
        assert group.finish == group.start + slowest * alone


@proportional_choices
@few
@given(clusters, works, goals)
def test_shares_are_of_the_whole_and_follow_speed(choose, cluster, work, goal):
    """[A] 4: W_i does its part K / (1 + eta_i) of the work."""
    group = choose(cluster, work, goal)

    if isinstance(group, ChosenGang):
        speeds = [Fraction(1) / slowdown_of(cluster[member], group.members.count(member)) for member in group.members]
        assert sum(group.shares) == 1
        assert group.shares == tuple(speed / sum(speeds) for speed in speeds)


@few
@given(clusters, works, goals)
def test_proportional_load_is_never_later_than_an_equal_one(cluster, work, goal):
    """The same members do the same work; only the slower ones have less of it."""
    assert value(choose_proportional(cluster, work, goal), goal) <= value(choose_equal(cluster, work, goal), goal)
