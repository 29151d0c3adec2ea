"""Sizes that are chosen are compared with every combination of sizes, and with what must hold of every choice."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coschedule.model.run_times import TimesWork
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing.gangs import ChangeTerms, ElasticRun, RunSeats, SizePlan, WaitingGang
from coschedule.resizing.sizes import SizeQuestion, choose_sizes
from engine.brute.sizes import best_gain

NOW = 20_000.0
# Serial seconds, and how much of it is not divided.
works = st.tuples(st.sampled_from([600, 7_000, 40_000, 400_000]), st.sampled_from([0.0, 0.1, 0.5])).map(
    lambda law: TimesWork(times=tuple(law[0] * (law[1] + (1 - law[1]) / size) for size in range(1, 7)))
)
sizes = st.tuples(st.integers(1, 3), st.integers(0, 3)).map(
    lambda bounds: Sizes(minimum=bounds[0], maximum=bounds[0] + bounds[1])
)
ages = st.sampled_from([0.0, 50.0, 9_000.0])


def run(name, work, sizes, size, *, left=1.0, age=0.0, since=math.inf, nodes=None, slowdown=1.0, **terms):
    """Describe a gang that runs, on the nodes from 0 on unless told."""
    return ElasticRun(
        key=GangKey("ns", name),
        created=NOW - age,
        sizes=sizes,
        request=(1,),
        work=work,
        left=left,
        nodes=tuple(range(size)) if nodes is None else nodes,
        end=NOW + left * work.float_time(size) * slowdown,
        terms=ChangeTerms(**terms),
        changed=NOW - since,
    )


def waiting(name, work, sizes, *, age=0.0, elastic=True):
    return WaitingGang(key=GangKey("ns", name), created=NOW - age, sizes=sizes, work=work, elastic=elastic)


@st.composite
def questions(draw, slowdowns=(1.0,), closing=(math.inf,)):
    """Draw some gangs that run on nodes of their own, some that wait, and some idle nodes."""
    runs, count = [], 0
    pace = draw(st.lists(st.sampled_from(slowdowns), min_size=20, max_size=20))
    for number in range(draw(st.integers(0, 3))):
        of_run, work = draw(sizes), draw(works)
        size = draw(st.integers(of_run.minimum, of_run.maximum))
        nodes = tuple(range(count, count + size))
        count += size
        described = {"left": draw(st.sampled_from([0.2, 1.0])), "age": draw(ages), "nodes": nodes}
        described |= {"since": draw(st.sampled_from([60.0, math.inf])), "slowdown": max(pace[node] for node in nodes)}
        runs.append(run(f"r{number}", work, of_run, size, **described))
    others = [
        waiting(f"w{number}", draw(works), draw(sizes), age=draw(ages)) for number in range(draw(st.integers(0, 3)))
    ]
    idle = draw(st.integers(0, 20 - count))
    until = [NOW + draw(st.sampled_from(closing)) if node >= count else math.inf for node in range(20)]
    seats = RunSeats(np.array(pace), np.array(until), tuple(range(count, count + idle)))
    return SizeQuestion(NOW, seats, runs, others)


@given(question=questions())
@settings(max_examples=300, deadline=None)
def test_on_equal_nodes_no_combination_of_sizes_gains_more(question):
    best = best_gain(NOW, len(question.seats.idle), question.runs, question.waiting)

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
        rest = one.left * one.work.float_time(len(change.nodes)) * seats.slowdown[list(change.nodes)].max()
        assert change.end == pytest.approx(NOW + one.terms.restart_time + rest)
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


def test_a_gang_on_slow_nodes_does_not_wait_for_its_slowest_member():
    # Two fast nodes are worth more than four of which two have half the speed.
    steep = TimesWork(times=(40_000, 20_000, 19_000, 18_000))
    seats = RunSeats(np.array([1.0, 1.0, 2.0, 2.0]), np.full(4, math.inf), ())
    slow = run("r", steep, Sizes(minimum=2, maximum=4), 4, slowdown=2.0)

    [change] = choose_sizes(SizeQuestion(NOW, seats, [slow], [])).changes

    assert change.nodes == (0, 1)


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


def test_who_must_start_does_so_though_that_loses():
    short = run("r", TimesWork(times=(3_000.0, 1_500.0)), Sizes(minimum=1, maximum=2), 2)
    seats = RunSeats(np.ones(2), np.full(2, math.inf), ())
    long = waiting("w", LINEAR, Sizes(minimum=1, maximum=1))
    question = SizeQuestion(NOW, seats, [short], [long])

    assert choose_sizes(question) == SizePlan()
    forced = choose_sizes(question._replace(must_start=frozenset({long.key})))
    assert [start.gang for start in forced.starts] == [long.key]
    assert [len(change.nodes) for change in forced.changes] == [1]


def test_of_more_gangs_than_one_choice_looks_at_those_of_the_greatest_weight_take_part():
    seats = RunSeats(np.ones(100), np.full(100, math.inf), tuple(range(100)))
    many = [waiting(f"{number:02}", LINEAR, Sizes(minimum=1, maximum=1), age=number) for number in range(70)]

    starts = choose_sizes(SizeQuestion(NOW, seats, [], many)).starts

    assert sorted(start.gang.name for start in starts) == [f"{number:02}" for number in range(10, 70)]
