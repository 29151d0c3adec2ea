"""The choice under a proportional load: formulas of [A 4], ties, slots, overhead per gang, refusals."""

import math
from fractions import Fraction

import pytest

from coschedule.model.divided_work import Overhead
from coschedule.model.errors import InvalidValueError
from coschedule.model.goal import Goal, Objective
from coschedule.model.run_times import SerialWork, TimesWork
from coschedule.problems.atallah.gang import NoGang
from coschedule.problems.atallah.proportional import choose_proportional
from coschedule.problems.node import Node
from coschedule.requests.refusal_answers import sentence_of, write_refusal

SECTION_3_3 = [(6, "3/5"), (7, "1/2"), (4, "7/10"), (12, "3/10"), (0, "1/10")]


def bids(*pairs):
    return [Node(start=start, duty_cycle=Fraction(duty)) for start, duty in pairs]


def choose(nodes, *, serial=12, minimum=1, maximum=6, overhead=Overhead.PER_MEMBER, times=None, each=0, **goal):
    work = TimesWork(times=times) if times else SerialWork(serial=serial, per_member=each)
    return choose_proportional(nodes, work, Goal(minimum=minimum, maximum=maximum, **goal), overhead=overhead)


def test_execution_time_and_shares_of_section_4():
    """K = P T(P) / sum 1/(1+eta), and W_i does K / (1+eta_i) of it: all five workstations of section 3.3."""
    serial = 1000
    total = sum(1 / (1 + Fraction(duty)) for _, duty in SECTION_3_3)

    group = choose(bids(*SECTION_3_3), serial=serial, minimum=5)

    assert group.finish == 12 + serial / total
    assert group.shares == tuple(1 / (1 + Fraction(duty)) / total for _, duty in SECTION_3_3)
    assert group.speedup == serial / group.finish
    assert (group.latest, group.slowest) == (3, 2)


def test_all_members_end_together():
    nodes = bids(*SECTION_3_3)

    group = choose(nodes, serial=100, each=1, minimum=3)

    work = 100 + group.size**2
    ends = {
        group.start + share * work * (1 + nodes[member].duty_cycle)
        for member, share in zip(group.members, group.shares, strict=True)
    }
    assert ends == {group.finish}


def test_a_slow_node_helps_where_it_would_hold_up_an_equal_load():
    assert choose([Node(), Node(capacity=Fraction(1, 5))]).members == (0, 1)


@pytest.mark.parametrize(
    ("nodes", "goal", "want"),
    [
        pytest.param([Node(), Node()], {}, (6, (0, 1)), id="idle nodes share"),
        pytest.param([Node(start=3), Node()], {}, (9, (0, 1)), id="waiting pays"),
        pytest.param([Node(start=6), Node()], {}, (12, (1,)), id="equal finish: fewer members"),
        pytest.param([Node(), Node(), Node()], {"maximum": 2}, (6, (0, 1)), id="equal nodes: lowest indices"),
        pytest.param([Node(slots=3), Node()], {"maximum": 3}, (4, (0, 0, 0)), id="several members on a node"),
        pytest.param([Node(capacity=2), Node()], {"maximum": 1}, (6, (0,)), id="the fastest one"),
        pytest.param([Node(slowdowns=(1, 4))], {}, (12, (0,)), id="a second member would take more than it gives"),
        pytest.param([Node(slowdowns=(1, 4))], {"minimum": 2}, (24, (0, 0)), id="and is taken if there must be two"),
        pytest.param(
            [Node(slowdowns=(1, 2, 2)), Node(capacity=Fraction(1, 4))],
            {"minimum": 3, "maximum": 3},
            (8, (0, 0, 0)),
            id="a third member makes up for a second that gives nothing",
        ),
        pytest.param([Node(until=5), Node()], {}, (12, (1,)), id="taken back too soon"),
        pytest.param([Node(until=6), Node()], {}, (6, (0, 1)), id="done just in time"),
        pytest.param(
            [Node()] * 4, {"deadline": 6, "objective": Objective.FEWEST}, (6, (0, 1)), id="fewest for a deadline"
        ),
        pytest.param(
            [Node(), Node(capacity=Fraction(1, 2))], {"price": 2}, (12, (0,)), id="too dear for what it gains"
        ),
    ],
)
def test_choice(nodes, goal, want):
    group = choose(nodes, **goal)

    assert (group.finish, group.members) == want


def test_overhead_per_gang_is_not_divided():
    """Speeds 1, 2, 2, 4 and 2 s a member: 60 s of work on three members end at 60/8 + 6."""
    nodes = [Node(), Node(capacity=2), Node(capacity=2), Node(capacity=4)]

    group = choose(nodes, serial=60, each=2, overhead=Overhead.PER_GANG)

    assert (group.finish, group.members) == (Fraction(60, 8) + 6, (1, 2, 3))
    assert group.shares == (Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))


def test_measured_times_do_not_show_overhead_by_itself():
    with pytest.raises(InvalidValueError) as refusal:
        choose([Node()], times=(4,), overhead=Overhead.PER_GANG)

    assert refusal.value.field == "overhead"


def test_sizes_without_a_time_are_not_used():
    group = choose([Node()] * 3, times=(math.inf, 10, math.inf, 9), maximum=4)

    assert (group.size, group.finish, group.speedup) == (2, 10, None)


@pytest.mark.parametrize(
    ("nodes", "goal", "want_message"),
    [
        pytest.param([Node()], {"minimum": 3}, "needs 3 or more members and the nodes hold 1", id="too few places"),
        pytest.param([], {}, "needs 1 or more members and the nodes hold 0", id="no nodes"),
        pytest.param(
            [Node()] * 2,
            {"deadline": 5},
            "the earliest finish is 6 s, after the deadline of 5 s",
            id="deadline too early",
        ),
        pytest.param(
            [Node(until=5)] * 2,
            {"minimum": 2},
            "no 2 places are free together until a run ends, which is after 6 s at the earliest",
            id="windows too short",
        ),
        pytest.param(
            [Node()] * 5, {"times": (4, 2), "minimum": 3}, "no size from 3 to 6 has a run time", id="no time for a size"
        ),
    ],
)
def test_refusal_says_why_with_numbers(nodes, goal, want_message):
    refusal = choose(nodes, **goal)

    assert isinstance(refusal, NoGang)
    assert (write_refusal(refusal)["reason"], sentence_of(refusal)) == ("NoGroupFits", want_message)
