"""The choice of one group: worked examples of [A] by section, its errata, ties, and what an answer says."""

import math
from fractions import Fraction

import pytest

from coschedule.model.errors import InvalidValueError
from coschedule.model.goal import Goal, Objective
from coschedule.model.run_times import SerialWork, TimesWork
from coschedule.problems.atallah.equal import choose_equal
from coschedule.problems.atallah.gang import NoGang
from coschedule.problems.node import Node
from coschedule.requests.refusal_answers import sentence_of, write_refusal

SECTION_3_3 = [(6, "3/5"), (7, "1/2"), (4, "7/10"), (12, "3/10"), (0, "1/10")]

UNEVEN = [Node(), Node(capacity=Fraction(3, 4))]


def bids(*pairs):
    return [Node(start=start, duty_cycle=Fraction(duty)) for start, duty in pairs]


def choose(nodes, serial, *, minimum=1, maximum=None, **goal):
    size = {"minimum": minimum, "maximum": maximum or max(minimum, len(nodes))}
    return choose_equal(nodes, SerialWork(serial=serial), Goal(**size, **goal))


@pytest.mark.parametrize(
    ("start", "duty", "members", "want_speedup"),
    [
        pytest.param(5, "0", 60, Fraction(40), id="60 idle nodes after 5 minutes"),
        pytest.param(14, "0", 100, Fraction(30), id="100 idle nodes after 14 minutes"),
        pytest.param(5, "1/5", 60, Fraction(600, 17), id="60 nodes with duty cycle .2: 35.29"),
        pytest.param(14, "7/10", 100, Fraction(6000, 242), id="100 nodes with duty cycle .7: 24.79"),
        pytest.param(5, "3/5", 60, Fraction(600, 21), id="60 nodes with duty cycle .6: 28.57, printed as 20.5"),
        pytest.param(14, "1/10", 100, Fraction(6000, 206), id="100 nodes with duty cycle .1: 29.13, printed as 20.9"),
    ],
)
def test_speedup_of_the_groups_of_section_2(start, duty, members, want_speedup):
    group = choose(bids((start, duty)) * members, 600, minimum=members)

    assert group.speedup == want_speedup


@pytest.mark.parametrize(
    ("serial", "want_members"),
    [
        pytest.param(10, (4,), id="little work: the idle node alone"),
        pytest.param(Fraction(280, 27) - Fraction(1, 1000), (4,), id="just below 280/27"),
        pytest.param(Fraction(280, 27), (4,), id="at 280/27 both end together and fewer members win"),
        pytest.param(Fraction(280, 27) + Fraction(1, 1000), (0, 1, 2, 4), id="just above 280/27"),
        pytest.param(Fraction(1000, 17), (0, 1, 2, 4), id="at 1000/17 both end together and fewer members win"),
        pytest.param(Fraction(1000, 17) + Fraction(1, 1000), (0, 1, 2, 3, 4), id="just above 1000/17"),
    ],
)
def test_group_of_section_3_3_grows_with_the_work(serial, want_members):
    assert choose(bids(*SECTION_3_3), serial).members == want_members


def test_best_that_ends_with_the_second_workstation_of_section_3_3():
    """[A] 3.3, Best_2 = 7 + .425 * T(1): without W4 nothing starts after 7."""
    group = choose(bids(*(bid for bid in SECTION_3_3 if bid[0] <= 7)), 40)

    assert (group.start, group.finish) == (7, 7 + Fraction(425, 1000) * 40)


def test_idle_nodes_run_together_where_the_printed_rule_of_section_3_2_takes_one():
    """Erratum 1, [A] 3.2: counting only nodes that start strictly earlier loses all ties."""
    starts, serial = [0, 0], 10

    printed = min(start + Fraction(serial, 1 + sum(other < start for other in starts)) for start in starts)
    group = choose(bids((0, "0"), (0, "0")), serial)

    assert printed == 10
    assert (group.finish, group.members) == (5, (0, 1))


def test_deadline_is_met_where_the_printed_lower_bound_on_size_allows_nothing():
    """Erratum 2, [A] 2: the least size from the average duty cycle is neither necessary nor sufficient."""
    duties, serial, deadline = [0, 10], 10, 12

    average = Fraction(sum(duties), len(duties))
    allowed = [size for size in (1, 2) if (1 + average) * Fraction(serial, size) < deadline]
    group = choose(bids((0, "0"), (0, "10")), serial, deadline=deadline)

    assert allowed == []
    assert (group.finish, group.members) == (10, (0,))


@pytest.mark.parametrize(
    ("nodes", "goal", "want"),
    [
        pytest.param(
            [Node(start=4), Node(), Node()],
            {"maximum": 3},
            (Fraction(6), (1, 2)),
            id="waiting for a third would end at 8",
        ),
        pytest.param(
            [Node(start=2), Node(), Node()],
            {"maximum": 3},
            (Fraction(6), (1, 2)),
            id="equal finish: fewer members, although three would start later",
        ),
        pytest.param([Node(), Node(), Node()], {"maximum": 2}, (Fraction(6), (0, 1)), id="equal nodes: lowest indices"),
        pytest.param([Node(slots=3), Node()], {"maximum": 3}, (Fraction(4), (0, 0, 0)), id="several members on a node"),
        pytest.param(
            [Node(slowdowns=(1, 1, 2)), Node(start=1)],
            {"maximum": 3},
            (Fraction(5), (0, 0, 1)),
            id="a third member would slow all down",
        ),
        pytest.param([Node(capacity=2), Node()], {"maximum": 2}, (Fraction(6), (0,)), id="the slower node is no help"),
        pytest.param(
            [Node(until=5), Node(), Node()], {"maximum": 3}, (Fraction(4), (0, 1, 2)), id="done before the end"
        ),
        pytest.param([Node(until=3), Node(), Node()], {"maximum": 3}, (Fraction(6), (1, 2)), id="taken back too soon"),
        pytest.param([Node(until=4), Node(), Node()], {"maximum": 3}, (Fraction(4), (0, 1, 2)), id="done just in time"),
        pytest.param(
            [Node()] * 4,
            {"maximum": 4, "deadline": 6, "objective": Objective.FEWEST},
            (Fraction(6), (0, 1)),
            id="fewest members that meet the deadline",
        ),
        pytest.param(UNEVEN, {"maximum": 2}, (Fraction(8), (0, 1)), id="a slower second member helps"),
        pytest.param(UNEVEN, {"maximum": 2, "price": 1}, (Fraction(8), (0, 1)), id="at equal value the earlier finish"),
        pytest.param(UNEVEN, {"maximum": 2, "price": 2}, (Fraction(12), (0,)), id="too dear for what it gains"),
    ],
)
def test_choice(nodes, goal, want):
    group = choose_equal(nodes, SerialWork(serial=12), Goal(minimum=1, **goal))

    assert (group.finish, group.members) == want


def test_at_equal_value_equal_nodes_end_early_too():
    """One member: 6 + 1 * 1 * 6. Two: 4 + 1 * 2 * 4."""
    group = choose_equal([Node()] * 2, TimesWork(times=(6, 4)), Goal(minimum=1, maximum=2, price=1))

    assert (group.finish, group.members) == (4, (0, 1))


def test_overhead_limits_the_size():
    """T(P) = 100/P + P is least at 10."""
    group = choose_equal([Node()] * 50, SerialWork(serial=100, per_member=1), Goal(minimum=1, maximum=50))

    assert (group.size, group.finish, group.speedup) == (10, 20, Fraction(101, 20))


def test_logarithmic_overhead_is_counted():
    group = choose_equal([Node()] * 4, SerialWork(serial=8, per_log_member=1), Goal(minimum=4, maximum=4))

    assert group.finish == 8 / 4 + 2


def test_sizes_without_a_time_are_not_used():
    work = TimesWork(times=(math.inf, 10, math.inf, 9))

    group = choose_equal([Node()] * 3, work, Goal(minimum=1, maximum=4))

    assert (group.size, group.finish, group.speedup) == (2, 10, None)


@pytest.mark.parametrize(
    ("nodes", "goal", "want_message"),
    [
        pytest.param(
            [Node(slots=2)], {"minimum": 3}, "needs 3 or more members and the nodes hold 2", id="too few places"
        ),
        pytest.param([], {"minimum": 1}, "needs 1 or more members and the nodes hold 0", id="no nodes"),
        pytest.param(
            [Node()] * 2,
            {"minimum": 1, "deadline": 5},
            "the earliest finish is 6 s, after the deadline of 5 s",
            id="deadline too early",
        ),
        pytest.param(
            [Node(until=5)] * 2,
            {"minimum": 2},
            "no 2 places are free together until a run ends, which takes 6 s at least",
            id="windows too short",
        ),
    ],
)
def test_refusal_says_why_with_numbers(nodes, goal, want_message):
    refusal = choose_equal(nodes, SerialWork(serial=12), Goal(maximum=3, **goal))

    assert isinstance(refusal, NoGang)
    assert (write_refusal(refusal)["reason"], sentence_of(refusal)) == ("NoGroupFits", want_message)


def test_no_time_for_any_size_is_said():
    refusal = choose_equal([Node()] * 5, TimesWork(times=(4, 2)), Goal(minimum=3, maximum=5))

    assert sentence_of(refusal) == "no size from 3 to 5 has a run time"


def test_rationals_decide_ties_that_floats_get_wrong():
    """As a float 1/10 + 2/10 is more than 3/10; exactly the two finishes are equal and fewer members win."""
    late = Node(start=Fraction(1, 10))
    work = TimesWork(times=(Fraction(3, 10), Fraction(2, 10)))

    exact = choose_equal([Node(), late], work, Goal(minimum=1, maximum=2))

    assert (exact.size, exact.finish) == (1, Fraction(3, 10))


@pytest.mark.parametrize(
    ("build", "want_field"),
    [
        pytest.param(lambda: Node(start=-1), "start", id="start before the request"),
        pytest.param(lambda: Node(duty_cycle=-1), "duty_cycle", id="negative duty cycle"),
        pytest.param(lambda: Node(capacity=0), "capacity", id="no capacity"),
        pytest.param(lambda: Node(until=-1), "until", id="taken back before the request"),
        pytest.param(lambda: Node(until=math.nan), "until", id="taken back never or ever"),
        pytest.param(lambda: Node(slots=0), "slots", id="no slots"),
        pytest.param(lambda: Node(slowdowns=()), "slowdowns", id="no slow-downs"),
        pytest.param(lambda: Node(slowdowns=(0,)), "slowdowns[0]", id="infinite speed"),
        pytest.param(lambda: Node(slowdowns=(2, 1)), "slowdowns[1]", id="faster with more members"),
        pytest.param(lambda: SerialWork(serial=0), "serial", id="no work"),
        pytest.param(lambda: SerialWork(serial=math.inf), "serial", id="endless work"),
        pytest.param(lambda: SerialWork(serial=1, fixed=-1), "fixed", id="negative overhead"),
        pytest.param(lambda: TimesWork(times=(1, 0)), "times[1]", id="no time"),
        pytest.param(lambda: TimesWork(times=()), "times", id="no times"),
        pytest.param(lambda: Goal(minimum=0, maximum=1), "minimum", id="no nodes"),
        pytest.param(lambda: Goal(minimum=2, maximum=1), "maximum", id="empty range"),
        pytest.param(lambda: Goal(minimum=1, maximum=1, deadline=-1), "deadline", id="deadline before the request"),
        pytest.param(lambda: Goal(minimum=1, maximum=1, price=-1), "price", id="negative price"),
    ],
)
def test_values_that_make_no_sense_are_refused_by_field(build, want_field):
    with pytest.raises(InvalidValueError) as refusal:
        build()

    assert refusal.value.field == want_field
