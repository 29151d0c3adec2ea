"""Two exact methods against each other, on clusters too large to try every group: [A] 3.2 and [A] 4.

Narrowing and bounding over blocks against a plain scan of all starts; sums by start, a sort and a tree's descent.
"""

from fractions import Fraction

import numpy as np
import pytest

from coschedule.model.divided_work import Overhead
from coschedule.model.goal import Goal, Objective
from coschedule.model.run_times import SerialWork, TimesWork
from coschedule.problems.atallah.equal import choose_equal
from coschedule.problems.atallah.node_columns import columns_of
from coschedule.problems.atallah.proportional import choose_proportional
from coschedule.problems.node import Node
from engine.brute.scans import equal_by_scan, priced_by_scan, proportional_by_descent, proportional_by_sort
from engine.builders import seeded

NODES = 3000


def mixed(chance, nodes):
    idle, free = chance.random((2, nodes)) < 0.5
    return np.where(free, 0, chance.exponential(600, nodes)), 1 + np.where(idle, 0, chance.exponential(0.5, nodes))


def uniform(chance, nodes):
    return 600 * chance.random(nodes), 1 + 2 * chance.random(nodes)


def few_kinds(chance, nodes):
    return 60.0 * chance.integers(20, size=nodes), chance.choice([1, 1.25, 1.5], nodes)


def falling(chance, nodes):
    part = np.arange(nodes) / nodes
    return 100 * part, 4 - part + 1e-3 * chance.random(nodes)


def level(_, nodes):
    """Make the same value of every start and the slow-down of its own node, as exactly as floats can."""
    order = np.arange(1, nodes + 1)
    start = np.floor(900 * (order - 1) / nodes)
    return start, np.maximum((1000 - start) * order / (100 * nodes), 1e-3)


def idle(_, nodes):
    return np.zeros(nodes), np.ones(nodes)


DISTRIBUTIONS = [mixed, uniform, few_kinds, falling, level, idle]
distributions = pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=lambda one: one.__name__)


def columns(start, slowdown, **more):
    return columns_of(start=start, capacity=1 / slowdown, **more)


def goal(nodes, **changes):
    return Goal(**{"minimum": 1, "maximum": nodes} | changes)


@distributions
@pytest.mark.parametrize("overhead", [0.0, 0.01])
def test_equal_load_agrees_with_a_plain_scan(distribution, overhead):
    start, slowdown = distribution(np.random.default_rng(1), NODES)
    work = SerialWork(serial=100.0 * NODES, per_member=overhead)

    group = choose_equal(columns(start, slowdown), work, goal(NODES))

    assert group.finish == pytest.approx(equal_by_scan(start, slowdown, work.float_times(NODES)), rel=1e-12)


@distributions
def test_equal_load_of_any_times_agrees_with_a_plain_scan(distribution):
    chance = np.random.default_rng(2)
    start, slowdown = distribution(chance, NODES)
    times = chance.uniform(1, 1000, NODES) + 1e5 / np.arange(1, NODES + 1)

    group = choose_equal(columns(start, slowdown), TimesWork(times=tuple(times.tolist())), goal(NODES))

    assert group.finish == pytest.approx(equal_by_scan(start, slowdown, times), rel=1e-12)


@distributions
def test_equal_load_with_a_price_agrees_with_a_plain_scan(distribution):
    start, slowdown = distribution(np.random.default_rng(7), NODES)
    work = SerialWork(serial=100.0 * NODES, per_member=0.01)

    group = choose_equal(columns(start, slowdown), work, goal(NODES, price=0.01))

    value = group.finish + 0.01 * group.size * (group.finish - group.start)
    assert value == pytest.approx(priced_by_scan(start, slowdown, work.float_times(NODES), 0.01), rel=1e-12)


@pytest.mark.parametrize("shared", [False, True], ids=["equal", "proportional"])
@pytest.mark.parametrize("overhead", [Fraction(1, 300), Fraction(9, 5)], ids=["most nodes", "some of those alike"])
@pytest.mark.parametrize("least", [Fraction(4, 3), 1 + Fraction(1, 10**20)], ids=["far apart", "the same in floats"])
def test_rational_numbers_are_exact_on_many_nodes_too(shared, overhead, least):
    """Three slow-downs and seven starts: nearly all nodes tie with others."""
    rnd, count = seeded(8), 600
    start = np.array([Fraction(rnd.randrange(7), 3) for _ in range(count)], dtype=object)
    slowdown = np.array([rnd.choice((Fraction(1), least, Fraction(7, 5))) for _ in range(count)], dtype=object)
    nodes = [Node(start=opens, slowdowns=(slow,)) for opens, slow in zip(start, slowdown, strict=True)]
    work = SerialWork(serial=1000, per_member=overhead)

    group = (choose_proportional if shared else choose_equal)(nodes, work, goal(count))

    times = work.exact_times(count)
    scan = (
        proportional_by_sort(start, slowdown, times * range(1, count + 1))
        if shared
        else equal_by_scan(start, slowdown, times)
    )
    assert group.finish == scan


@distributions
def test_equal_load_with_windows_agrees_with_a_plain_scan(distribution):
    chance, nodes = np.random.default_rng(3), 60
    start, slowdown = distribution(chance, nodes)
    until = start + chance.exponential(600, nodes)
    work = SerialWork(serial=100.0 * nodes)

    group = choose_equal(columns(start, slowdown, until=until), work, goal(nodes))

    finish = equal_by_scan(start, slowdown, work.float_times(nodes), until)
    assert getattr(group, "finish", np.inf) == pytest.approx(finish, rel=1e-12)


@distributions
@pytest.mark.parametrize("overhead", [0.0, 0.01, 3.0])
def test_proportional_load_agrees_with_sort_and_with_tree_descent(distribution, overhead):
    start, slowdown = distribution(np.random.default_rng(4), NODES)
    work = SerialWork(serial=100.0 * NODES, per_member=overhead)
    total = work.float_times(NODES) * np.arange(1, NODES + 1)

    group = choose_proportional(columns(start, slowdown), work, goal(NODES))

    assert group.finish == pytest.approx(proportional_by_sort(start, slowdown, total), rel=1e-9)
    assert group.finish == pytest.approx(proportional_by_descent(start, slowdown, total), rel=1e-9)


@distributions
def test_overhead_of_the_gang_agrees_with_a_sort(distribution):
    start, slowdown = distribution(np.random.default_rng(9), NODES)
    work = SerialWork(serial=100.0 * NODES, per_member=0.02)

    group = choose_proportional(columns(start, slowdown), work, goal(NODES), overhead=Overhead.PER_GANG)

    finish = proportional_by_sort(start, slowdown, np.full(NODES, work.serial), 0.02 * np.arange(1, NODES + 1))
    assert group.finish == pytest.approx(finish, rel=1e-9)


@distributions
def test_proportional_load_of_any_times_agrees_with_a_sort(distribution):
    chance = np.random.default_rng(5)
    start, slowdown = distribution(chance, NODES)
    times = chance.uniform(1, 1000, NODES) + 1e5 / np.arange(1, NODES + 1)

    group = choose_proportional(columns(start, slowdown), TimesWork(times=tuple(times.tolist())), goal(NODES))

    total = times * np.arange(1, NODES + 1)
    assert group.finish == pytest.approx(proportional_by_sort(start, slowdown, total), rel=1e-9)


@pytest.mark.parametrize("choose", [choose_equal, choose_proportional])
@distributions
def test_fewest_members_is_the_least_size_that_meets_the_deadline(distribution, choose):
    nodes = 600
    bids = columns(*distribution(np.random.default_rng(6), nodes))
    work = SerialWork(serial=100.0 * nodes, per_member=0.01)
    deadline = 1.3 * choose(bids, work, goal(nodes)).finish

    group = choose(bids, work, goal(nodes, deadline=deadline, objective=Objective.FEWEST))

    assert group.finish <= deadline
    assert choose(bids, work, goal(group.size, deadline=deadline)).finish <= deadline
    if group.size > 1:
        assert not hasattr(choose(bids, work, goal(group.size - 1, deadline=deadline)), "finish")
