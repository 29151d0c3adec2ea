"""What other sizes would have given, and which node limits a group."""

import pytest

from coschedule.model.goal import Goal
from coschedule.model.run_times import SerialWork
from coschedule.problems.atallah.equal import choose_equal
from coschedule.problems.atallah.gang import ChosenGang
from coschedule.problems.atallah.proportional import choose_proportional
from coschedule.problems.atallah.why import why
from coschedule.problems.node import Node
from engine.builders import seeded

WAITING = [Node(), Node(), Node(), Node(start=7)]


def explained(nodes, *, serial=24, choose=choose_equal, **goal):
    wanted = Goal(**{"minimum": 1, "maximum": 4} | goal)

    def chosen_for(goal):
        return choose(nodes, SerialWork(serial=serial), goal)

    return why(chosen_for(wanted), wanted, chosen_for)


def test_one_member_more_would_have_waited():
    reasons = explained(WAITING)

    assert (reasons.one_more.size, reasons.one_more.start, reasons.one_more.finish) == (4, 7, 13)
    assert (reasons.one_fewer.size, reasons.one_fewer.finish) == (2, 12)
    assert reasons.runner_up == reasons.one_fewer


@pytest.mark.parametrize(
    ("goal", "want"),
    [
        pytest.param({"minimum": 3}, (None, 4, 4), id="no fewer are allowed"),
        pytest.param({"maximum": 3}, (2, None, 2), id="no more are allowed"),
        pytest.param({"minimum": 3, "maximum": 3}, (None, None, None), id="a rigid gang"),
    ],
)
def test_sizes_out_of_range_are_none(goal, want):
    reasons = explained(WAITING, **goal)

    sizes = tuple(group and group.size for group in (reasons.one_fewer, reasons.one_more, reasons.runner_up))
    assert sizes == want


@pytest.mark.parametrize("choose", [choose_equal, choose_proportional])
def test_runner_up_is_the_best_of_all_other_sizes(choose):
    rnd = seeded(5)
    for _ in range(50):
        nodes = [Node(start=rnd.randint(0, 9), duty_cycle=rnd.randint(0, 2)) for _ in range(6)]
        goal = Goal(minimum=1, maximum=6)

        def chosen_for(goal, nodes=nodes):
            return choose(nodes, SerialWork(serial=40, per_member=1), goal)

        best = chosen_for(goal)
        others = [chosen_for(Goal(minimum=size, maximum=size)) for size in range(1, 7) if size != best.size]
        runner_up = why(best, goal, chosen_for).runner_up

        assert runner_up == min(others, key=lambda group: (group.finish, group.size, group.start))


@pytest.mark.parametrize("choose", [choose_equal, choose_proportional])
def test_a_group_names_the_nodes_that_limit_it(choose):
    nodes = [Node(), Node(duty_cycle=1), Node(start=2), Node(start=2), Node(duty_cycle=1)]

    group = choose(nodes, SerialWork(serial=10**4), Goal(minimum=5, maximum=5))

    assert (group.latest, group.slowest) == (2, 1)


def test_the_slowest_node_may_be_slow_because_of_how_many_it_holds():
    nodes = [Node(slowdowns=(1, 3)), Node(duty_cycle=1)]

    assert choose_equal(nodes, SerialWork(serial=10**4), Goal(minimum=2, maximum=2)).slowest == 1
    assert choose_equal(nodes, SerialWork(serial=10**4), Goal(minimum=3, maximum=3)).slowest == 0


def test_no_other_size_may_meet_the_deadline():
    reasons = explained([Node()] * 2, maximum=2, deadline=12)

    assert (reasons.one_fewer, reasons.runner_up) == (None, None)
    assert isinstance(choose_equal([Node()] * 2, SerialWork(serial=24), Goal(minimum=2, maximum=2)), ChosenGang)
