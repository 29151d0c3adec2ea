"""Elastic gangs with a deadline get the fewest members that meet it."""

import math
from dataclasses import replace

import numpy as np
import pytest

from coschedule.model.run_times import TimesWork
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing.gangs.size_plan import RunSeats
from coschedule.resizing.shrinking import all_shrunk
from coschedule.resizing.sizes import SizeQuestion, choose_sizes
from engine.builders import NOW as START
from engine.builders import node, release, snapshot
from engine.resizing.test_sizes import NOW, run, waiting

ANY = Sizes(minimum=1, maximum=8)
DIVIDED = TimesWork(times=tuple(40_000.0 / size for size in range(1, 9)))
# It is not worth a stop of two minutes to gain as little as this.
HARDLY_FASTER = TimesWork(times=tuple(10_000.0 - 300.0 * size for size in range(1, 9)))


def size_chosen(run, *others, idle=6, pace=None):
    """The size that the gang changes to beside so many idle nodes; None for no change."""
    nodes = tuple(range(run.size, run.size + idle))
    seats = RunSeats(np.ones(20) if pace is None else np.array(pace), np.full(20, math.inf), nodes)
    chosen = choose_sizes(SizeQuestion(NOW, seats, [run], others))
    return next((len(change.nodes) for change in chosen.changes), None)


@pytest.mark.parametrize(
    ("deadline", "want"),
    [
        pytest.param(None, 8, id="as large as it can be without one"),
        pytest.param(12_000, 4, id="the fewest that meet it"),
        pytest.param(10_120, 4, id="just met"),
        pytest.param(10_119, 5, id="just missed"),
        pytest.param(1_000, 8, id="missed by each size, so as soon as it can"),
        pytest.param(-1, 8, id="long past"),
        pytest.param(20_000, None, id="met as it is"),
        pytest.param(math.inf, None, id="met by each size"),
    ],
)
def test_gang_that_would_miss_its_deadline_grows_to_the_fewest_members_that_meet_it(deadline, want):
    late = run("late", DIVIDED, ANY, 2, deadline=None if deadline is None else NOW + deadline)

    assert size_chosen(late) == want


def test_deadline_that_is_met_is_worth_a_change_that_is_worth_nothing_else():
    work, of_three = HARDLY_FASTER, NOW + 120 + HARDLY_FASTER.float_time(3)

    assert size_chosen(run("late", work, Sizes(minimum=2, maximum=3), 2)) is None
    assert size_chosen(run("late", work, Sizes(minimum=2, maximum=3), 2, deadline=of_three)) == 3


@pytest.mark.parametrize(
    ("deadline", "want"),
    [(None, 1), (math.inf, 1), (13_454, 3), (13_453, None), (10_000, None)],
)
def test_gang_shrinks_for_others_only_as_far_as_its_deadline_allows(deadline, want):
    work = TimesWork(times=tuple(600.0 / size for size in range(1, 9)))
    short = [waiting(f"short-{one}", work, Sizes(minimum=1, maximum=1)) for one in range(4)]
    held = run("held", DIVIDED, ANY, 4, deadline=None if deadline is None else NOW + deadline)

    assert size_chosen(held, *short, idle=0) == want


def test_size_that_is_asked_for_is_given_whatever_the_deadline():
    asked = replace(run("asked", DIVIDED, ANY, 2, deadline=NOW + 12_000), asked=3)

    assert size_chosen(asked) == 3


@pytest.mark.parametrize(("deadline", "want"), [(None, [1]), (50_000, [1]), (30_000, []), (5_000, [1])])
def test_gang_that_meets_its_deadline_does_not_shrink_to_miss_it_where_others_must_start(deadline, want):
    held = run("held", DIVIDED, ANY, 4, deadline=None if deadline is None else NOW + deadline)
    held = replace(held, created=START, end=START + 10_000, deadline=held.deadline and START + deadline)
    nodes = [node(f"n{index}", free=0) for index in range(4)]
    world = snapshot(nodes, [], releases=[release(index, held.end) for index in range(4)])

    assert [len(change.nodes) for change in all_shrunk(world, [held]).changes] == want
