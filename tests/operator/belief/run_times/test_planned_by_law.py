"""Gangs that ask for it are planned with the law that runs have followed, once it is better than what they state."""

import math

import pytest

from builders.facts import DEFAULT, gang_fact, gang_spec, profile_work
from coschedule import Members, SerialWork
from lockstep.belief.run_times.past_runs import PastRuns
from lockstep.belief.run_times.remaining_work import factor_at, remaining_work
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.past_runs import Template, run_of

HEAT = "0" * 32
STATED = SerialWork(serial=400.0)
SIZES = [1, 2, 4, 8]


def law(size):
    return 200 / size + 50


def run(size, seconds, stated=STATED):
    return run_of(seconds / stated.float_times(size)[-1], members=size, slowdown=1.5, seconds=seconds * 1.5)


def gang(*, work=STATED, learns=True, **status):
    return gang_fact(
        "g", spec=gang_spec(work=work, size=1, most=8, run_template=HEAT, learns=learns), status=GangStatus(**status)
    )


def learned(sizes, *, took=law, asked=None, quantile=0.9):
    """What is in force after runs of these sizes."""
    past = PastRuns(lambda: None, quantile)
    for size in sizes:
        past.learn(Template(DEFAULT, HEAT), run(size, took(size)))
    past.put_in_force()
    return past.in_force(asked or gang())


def times(work, most=8):
    return work.float_times(most).tolist()


def test_better_law_stands_in_the_place_of_what_is_stated():
    found = learned(SIZES * 2)

    assert times(remaining_work(gang(), found)) == pytest.approx([law(size) for size in range(1, 9)], rel=1e-3)


def test_who_does_not_ask_is_planned_with_what_is_stated_and_one_factor():
    asked = gang(learns=False)
    found = learned(SIZES * 2, asked=asked)

    # With eight members 75 s, where 50 s are stated: the longest of eight runs.
    assert found.judged is None
    assert times(remaining_work(asked, found)) == pytest.approx([1.5 * one for one in times(STATED)])


@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param([1, 2, 4, 8], id="four runs"),
        pytest.param([4] * 20, id="one size"),
        pytest.param([4] * 19 + [8], id="one run of another size, which no law with an overhead could forecast"),
    ],
)
def test_stated_work_counts_until_runs_show_a_better_law(sizes):
    found = learned(sizes)

    assert found.law is None
    assert found.thousandths == learned(sizes, asked=gang(learns=False)).thousandths


def test_shape_that_is_stated_rightly_stays():
    found = learned(SIZES * 3, took=lambda size: 1.3 * 400 / size)

    assert found.law is None
    assert found.times == pytest.approx(1.3)


def test_law_is_multiplied_by_the_quantile_of_what_runs_took_beside_it():
    noise = iter([1.0, 1.1, 0.9, 1.05, 0.95] * 4)
    found = learned(SIZES * 5, took=lambda size: law(size) * next(noise))

    assert found.law is not None
    # Of twenty runs, in order, the eighteenth.
    assert found.times == pytest.approx(1.1, abs=0.05)


def test_factor_of_the_status_is_that_of_the_planned_size():
    found = learned(SIZES * 2)
    members = [Members("a", 2)]

    assert factor_at(gang(), members, found) == pytest.approx(found.times * law(2) / 200, rel=1e-3)
    assert factor_at(gang(), members, None) == 1
    assert factor_at(gang(learns=False), members, learned(SIZES * 2, asked=gang(learns=False))) == 1.5


@pytest.mark.parametrize("count", [0, 10_001, 10**18])
def test_factor_of_members_that_no_gang_has_costs_nothing(count):
    found = learned(SIZES * 2)

    assert factor_at(gang(), [Members("a", count)], found) == found.times


def test_sizes_that_a_profile_leaves_out_stay_out():
    stated = profile_work({2: 200.0, 3: 150.0, 4: 100.0})

    found = remaining_work(gang(work=stated), learned(SIZES * 2))

    assert times(found, 5) == pytest.approx([math.inf, 150, 200 / 3 + 50, 100, math.inf], rel=1e-3)


def test_part_that_is_done_is_taken_off_the_law():
    found = remaining_work(gang(progress="0.5"), learned(SIZES * 2))

    assert times(found) == pytest.approx([100 / size + 50 for size in range(1, 9)], rel=1e-3)


def test_law_is_computed_once_and_anew_after_another_run():
    past = PastRuns(lambda: None)
    for size in SIZES * 2:
        past.learn(Template(DEFAULT, HEAT), run(size, law(size)))
    past.put_in_force()
    before = past.in_force(gang())
    assert past.in_force(gang()) is before

    past.learn(Template(DEFAULT, HEAT), run(4, law(4)))
    assert past.in_force(gang()) is before
    past.put_in_force()

    assert (before.runs, past.in_force(gang()).runs) == (8, 9)


@pytest.mark.parametrize("seconds", [1e9, 1e-9, 0.0])
@pytest.mark.parametrize("size", [1, 8, 10_000])
def test_runs_out_of_this_world_leave_plans_that_make_sense(seconds, size):
    """A tenant's own runs only ever move that tenant's own plans; these stay numbers."""
    past = PastRuns(lambda: None)
    for members in SIZES * 2:
        past.learn(Template(DEFAULT, HEAT), run(members, law(members)))
    for _ in range(5):
        past.learn(Template(DEFAULT, HEAT), run(size, seconds))
    past.put_in_force()
    found = past.in_force(gang())

    planned = times(remaining_work(gang(), found))

    assert all(0 < one < math.inf for one in planned)
    assert 0 < factor_at(gang(), [Members("a", 8)], found) < math.inf
