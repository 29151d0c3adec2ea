"""Sizes that are chosen are compared with every combination of sizes, and with what must hold of every choice."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coschedule.model.run_times import TimesWork
from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.size_plan import RunSeats, SizePlan, WaitingGang
from coschedule.resizing.gangs.sized_run import ChangeTerms, FixedMembers, SeatKind
from coschedule.resizing.short_gangs import ShortRoom
from coschedule.resizing.sizes import MOST_GANGS, SizeQuestion, choose_sizes
from engine.brute.sizes import best_gain

NOW = 20_000.0
SEATS = 20
FIXED_NODES = range(SEATS, SEATS + 6)
# Fixed members have requests and constraints of their own.
FIXED_SEAT = SeatKind(Constraints(node_selector=(("kind", "fixed"),)), (3,))
# Serial seconds, and how much of it is not divided.
works = st.tuples(st.sampled_from([600, 7_000, 40_000, 400_000]), st.sampled_from([0.0, 0.1, 0.5])).map(
    lambda law: TimesWork(times=tuple(law[0] * (law[1] + (1 - law[1]) / size) for size in range(1, 9)))
)
sizes = st.tuples(st.integers(1, 3), st.integers(0, 3)).map(
    lambda bounds: Sizes(minimum=bounds[0], maximum=bounds[0] + bounds[1])
)
DEADLINES = (NOW - 1, NOW + 5_000, NOW + 15_000, NOW + 60_000)
ages = st.sampled_from([0.0, 50.0, 9_000.0])


def run(
    name,
    work,
    sizes,
    size,
    *,
    left=1.0,
    age=0.0,
    since=math.inf,
    nodes=None,
    slowdown=1.0,
    fixed=(),
    deadline=None,
    keeps=False,
    **terms,
):
    """Describe a gang that runs, by default on the nodes from 0 on."""
    others = sum(len(part.nodes) for part in fixed if part.is_work)
    return ElasticRun(
        key=GangKey("ns", name),
        created=NOW - age,
        sizes=sizes,
        request=(1,),
        work=work,
        left=left,
        nodes=tuple(range(size)) if nodes is None else nodes,
        end=NOW + left * work.float_time(size + others) * slowdown,
        terms=ChangeTerms(**terms),
        changed=NOW - since,
        fixed=fixed,
        deadline=deadline,
        keeps=keeps,
    )


def fixed_on(*nodes, is_work=True):
    return FixedMembers(FIXED_SEAT, nodes, is_work)


def waiting(name, work, sizes, *, age=0.0, elastic=True):
    return WaitingGang(key=GangKey("ns", name), created=NOW - age, sizes=sizes, work=work, elastic=elastic)


@st.composite
def fixed_members(draw, number):
    """Draw the members of a run whose number never changes: none, idle ones, or such that work; nodes may repeat."""
    first, second = FIXED_NODES[2 * number : 2 * number + 2]
    idle, works = fixed_on(first, is_work=False), fixed_on(second)
    return draw(st.sampled_from([(), (idle,), (works,), (idle, works), (fixed_on(first, second),)]))


@st.composite
def questions(draw, slowdowns=(1.0,), closing=(math.inf,), of_fixed=(0.5, 1.0, 2.0), deadlines=DEADLINES):
    """Draw some gangs that run on nodes of their own, some that wait, and some idle nodes.

    The nodes of fixed members have slow-downs and windows of their own.
    """
    runs, count = [], 0
    pace = draw(st.lists(st.sampled_from(slowdowns), min_size=SEATS, max_size=SEATS))
    pace += [draw(st.sampled_from(of_fixed)) for _ in FIXED_NODES]
    for number in range(draw(st.integers(0, 3))):
        of_run, work = draw(sizes), draw(works)
        size = draw(st.integers(of_run.minimum, of_run.maximum))
        nodes = tuple(range(count, count + size))
        count += size
        described = {"left": draw(st.sampled_from([0.2, 1.0])), "age": draw(ages), "nodes": nodes}
        fixed = draw(fixed_members(number))
        working = [*nodes, *(node for part in fixed if part.is_work for node in part.nodes)]
        described |= {"since": draw(st.sampled_from([60.0, math.inf])), "slowdown": max(pace[node] for node in working)}
        described |= {"fixed": fixed, "deadline": draw(st.sampled_from([None, math.inf, *deadlines]))}
        described |= {"keeps": draw(st.booleans())}
        runs.append(run(f"r{number}", work, of_run, size, **described))
    others = [
        waiting(f"w{number}", draw(works), draw(sizes), age=draw(ages)) for number in range(draw(st.integers(0, 3)))
    ]
    idle = draw(st.integers(0, SEATS - count))
    until = [NOW + draw(st.sampled_from(closing)) if node >= count else math.inf for node in range(SEATS)]
    until += [NOW + draw(st.sampled_from([3_000.0, 50_000.0, math.inf])) for _ in FIXED_NODES]
    seats = RunSeats(np.array(pace), np.array(until), tuple(range(count, count + idle)))
    return SizeQuestion(
        NOW, seats, runs, others, room=draw(st.sampled_from([ShortRoom(), ShortRoom(1, 2), ShortRoom(3, 9)]))
    )


@given(question=questions())
@settings(max_examples=300, deadline=None)
def test_on_equal_nodes_no_combination_of_sizes_gains_more(question):
    of_nodes = {"slowdown": question.seats.slowdown, "until": question.seats.until}
    idle = len(question.seats.idle)
    best = best_gain(NOW, idle, question.runs, question.waiting, room=question.room, **of_nodes)

    assert choose_sizes(question).gain == pytest.approx(best, rel=1e-9, abs=1e-12)


@given(question=questions(slowdowns=(0.5, 1.0, 2.0), closing=(3_000.0, 50_000.0, math.inf)))
@settings(max_examples=300, deadline=None)
def test_every_gang_has_an_allowed_size_on_nodes_of_its_own_until_it_ends(question):
    chosen = choose_sizes(question)

    runs, others = ({gang.key: gang for gang in gangs} for gangs in (question.runs, question.waiting))
    seats, after = question.seats, {one.key: one.nodes for one in question.runs}
    for change in chosen.changes:
        one = runs[change.gang]
        assert one.sizes.has(len(change.nodes))
        assert len(change.nodes) != change.was == one.size
        assert one.end - NOW >= 3600
        assert NOW - one.changed >= one.terms.min_interval
        working = [*change.nodes, *(node for part in one.fixed if part.is_work for node in part.nodes)]
        rest = one.left * one.work.float_time(len(working)) * seats.slowdown[working].max()
        assert all(seats.until[list(part.nodes)].min() >= change.end for part in one.fixed)
        assert (change.size_before, change.size_after) == tuple(
            size + sum(len(part.nodes) for part in one.fixed) for size in (change.was, len(change.nodes))
        )
        assert change.end == pytest.approx(NOW + one.terms.restart_time + rest)
        if one.deadline is not None and one.end <= one.deadline:
            assert (change.end <= one.deadline, len(change.nodes) < one.size) == (True, True)
        if one.keeps and len(change.nodes) > one.size:
            assert not Counter(one.nodes) - Counter(change.nodes)
        if one.keeps:
            assert one.nodes[0] in change.nodes
        after[change.gang] = change.nodes
    for start in chosen.starts:
        assert others[start.gang].sizes.has(len(start.nodes))
        after[start.gang] = start.nodes
    held = Counter(node for nodes in after.values() for node in nodes)
    assert held <= Counter(seats.idle) + Counter(node for one in question.runs for node in one.nodes)
    for one in (*chosen.changes, *chosen.starts):
        assert seats.until[list(one.nodes)].min() >= one.end


@given(question=questions(slowdowns=(0.5, 1.0, 2.0), closing=(3_000.0, 50_000.0, math.inf)))
@settings(max_examples=200, deadline=None)
def test_nothing_changes_without_a_gain_and_the_same_question_has_the_same_answer(question):
    chosen = choose_sizes(question)

    assert chosen.gain > 0 if chosen.changes or chosen.starts else chosen == SizePlan()
    assert choose_sizes(question) == chosen


LINEAR = TimesWork(times=tuple(40_000 / size for size in range(1, 9)))


def test_a_change_that_takes_longer_than_it_is_worth_is_not_made():
    wide = Sizes(minimum=1, maximum=4)
    seats = RunSeats(np.ones(4), np.full(4, math.inf), (2, 3))

    quick, slow = (
        choose_sizes(SizeQuestion(NOW, seats, [run("r", LINEAR, wide, 2, restart_time=seconds)], []))
        for seconds in (120.0, 600.0)
    )

    assert [len(change.nodes) for change in quick.changes] == [4]
    assert slow == SizePlan()


@pytest.mark.parametrize(
    ("times", "want"),
    [
        pytest.param((40_000, 20_000, 13_000, 10_000), [4], id="a gain that pays before the next change"),
        pytest.param((40_000, 20_000, 18_800, 18_000), [], id="a small gain"),
    ],
)
def test_a_change_that_loses_work_must_pay_before_the_next_one(times, want):
    seats = RunSeats(np.ones(4), np.full(4, math.inf), (2, 3))
    terms = {"restart_time": 600.0, "lost": 480.0, "min_interval": 4800.0}
    loses = run("r", TimesWork(times=times), Sizes(minimum=1, maximum=4), 2, keeps=True, since=1e6, **terms)

    assert [len(change.nodes) for change in choose_sizes(SizeQuestion(NOW, seats, [loses], [])).changes] == want


@pytest.mark.parametrize(("interval", "want"), [(600.0, []), (10_000.0, [4])])
def test_a_change_that_takes_long_pays_if_the_next_one_is_far_away(interval, want):
    seats = RunSeats(np.ones(4), np.full(4, math.inf), (2, 3))
    long = TimesWork(times=(800_000, 400_000, 270_000, 200_000))
    slow = run("r", long, Sizes(minimum=1, maximum=4), 2, since=1e6, restart_time=1_200.0, min_interval=interval)

    assert [len(change.nodes) for change in choose_sizes(SizeQuestion(NOW, seats, [slow], [])).changes] == want


def test_a_gang_on_slow_nodes_does_not_wait_for_its_slowest_member():
    # Two fast nodes are worth more than four of which two have half the speed.
    steep = TimesWork(times=(40_000, 20_000, 19_000, 18_000))
    seats = RunSeats(np.array([1.0, 1.0, 2.0, 2.0]), np.full(4, math.inf), ())
    slow = run("r", steep, Sizes(minimum=2, maximum=4), 4, slowdown=2.0)

    [change] = choose_sizes(SizeQuestion(NOW, seats, [slow], [])).changes

    assert change.nodes == (0, 1)


@pytest.mark.parametrize(
    ("keeps", "want"),
    [
        pytest.param(False, (1, 2), id="all members end, and begin again on other nodes"),
        pytest.param(True, (0, 1), id="members go while the others run"),
    ],
)
def test_a_gang_that_keeps_its_members_never_leaves_the_node_of_its_first(keeps, want):
    steep = TimesWork(times=(400_000, 40_000, 39_900))
    seats = RunSeats(np.array([2.0, 1.0, 1.0]), np.full(3, math.inf), ())
    long = waiting("w", TimesWork(times=(4_000,)), Sizes(minimum=1, maximum=1), age=90_000)
    one = run("r", steep, Sizes(minimum=2, maximum=3), 3, slowdown=2.0, keeps=keeps)

    [change] = choose_sizes(SizeQuestion(NOW, seats, [one], [long])).changes

    assert change.nodes == want


@pytest.mark.parametrize(("keeps", "want"), [(False, [(1, 2, 3)]), (True, [])])
def test_a_gang_that_keeps_its_members_stays_as_slow_as_the_slowest_of_them(keeps, want):
    # Three fast nodes are worth a change. Three nodes of which one has half the speed are not.
    seats = RunSeats(np.array([2.0, 1.0, 1.0, 1.0]), np.full(4, math.inf), (2, 3))
    one = run("r", TimesWork(times=(80_000, 40_000, 39_990)), Sizes(minimum=2, maximum=3), 2, slowdown=2.0, keeps=keeps)

    changes = choose_sizes(SizeQuestion(NOW, seats, [replace(one, nodes=(0, 1))], [])).changes

    assert [change.nodes for change in changes] == want


@pytest.mark.parametrize(
    ("is_work", "pace", "open_for", "want"),
    [
        pytest.param(True, 1.0, 21_000.0, [4], id="nodes stay open until it ends"),
        pytest.param(True, 2.0, 26_000.0, [], id="a slow fixed member makes it end after that"),
        pytest.param(False, 2.0, 26_000.0, [4], id="a slow fixed member that does not work"),
        pytest.param(True, 2.0, 41_000.0, [4], id="a slow fixed member on nodes that stay open for longer"),
    ],
)
def test_a_gang_with_fixed_members_grows_onto_nodes_that_stay_open_until_these_have_ended(
    is_work, pace, open_for, want
):
    times = TimesWork(times=tuple(100_000 / size for size in range(1, 9)))
    seats = RunSeats(np.array([1.0] * 4 + [pace]), np.array([math.inf] * 2 + [NOW + open_for] * 2 + [math.inf]), (2, 3))
    one = run("r", times, Sizes(minimum=2, maximum=4), 2, slowdown=pace, fixed=(fixed_on(4, is_work=is_work),))

    assert [len(change.nodes) for change in choose_sizes(SizeQuestion(NOW, seats, [one], [])).changes] == want


def test_a_gang_that_keeps_its_size_starts_with_the_best_one_at_its_price():
    priced = WaitingGang(
        key=GangKey("ns", "w"),
        created=NOW,
        sizes=Sizes(minimum=1, maximum=4),
        work=TimesWork(times=(100.0, 80.0, 70.0, 65.0)),
        elastic=False,
        member_price=1.0,
    )
    seats = RunSeats(np.ones(4), np.full(4, math.inf), (0, 1, 2, 3))

    [start] = choose_sizes(SizeQuestion(NOW, seats, [], [priced])).starts

    assert len(start.nodes) == 1


def test_a_gang_shrinks_on_fast_nodes_that_would_close_too_early_for_slow_ones():
    seats = RunSeats(np.array([1.0, 1.0, 2.0]), np.array([NOW + 50_000.0] * 2 + [math.inf]), (2,))
    short = waiting("w", TimesWork(times=(8_000, 4_000)), Sizes(minimum=2, maximum=2), age=9_000.0)
    one = run("r", LINEAR, Sizes(minimum=1, maximum=2), 2)

    chosen = choose_sizes(SizeQuestion(NOW, seats, [one], [short]))

    assert [change.nodes for change in chosen.changes] == [(0,)]
    assert [start.nodes for start in chosen.starts] == [(1, 2)]


def test_who_must_start_does_so_though_that_loses():
    short = run("r", TimesWork(times=(3_000.0, 1_500.0)), Sizes(minimum=1, maximum=2), 2)
    seats = RunSeats(np.ones(2), np.full(2, math.inf), ())
    long = waiting("w", LINEAR, Sizes(minimum=1, maximum=1))
    question = SizeQuestion(NOW, seats, [short], [long])

    assert choose_sizes(question) == SizePlan()
    forced = choose_sizes(question._replace(must_start=frozenset({long.key})))
    assert [start.gang for start in forced.starts] == [long.key]
    assert [len(change.nodes) for change in forced.changes] == [1]


def test_of_more_gangs_than_one_choice_compares_those_of_the_greatest_weight_take_part_and_others_in_turn():
    seats = RunSeats(np.ones(100), np.full(100, math.inf), tuple(range(100)))
    many = [waiting(f"{number:02}", LINEAR, Sizes(minimum=1, maximum=1), age=number) for number in range(70)]
    question = SizeQuestion(NOW, seats, [], many)

    minutes = [choose_sizes(question._replace(now=NOW + 60 * number)).starts for number in range(2)]

    started = [{int(start.gang.name) for start in starts} for starts in minutes]
    assert [len(one) for one in started] == [MOST_GANGS, MOST_GANGS]
    assert all(set(range(25, 70)) <= one for one in started)
    assert set.union(*started) == set(range(70))
