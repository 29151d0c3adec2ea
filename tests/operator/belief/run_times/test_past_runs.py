"""What finished runs show of a template."""

import random

import pytest

from builders.facts import DEFAULT, gang_fact, gang_spec
from coschedule import SerialWork
from lockstep.belief.run_times.past_runs import PastRuns, quantile_of_next
from lockstep.belief.state import State
from lockstep.facts.past_runs import MOST_RUNS, MOST_RUNS_OF_ALL, MOST_TEMPLATES, Learned, Template, run_of
from lockstep.snapshot.snapshots import SnapshotCutter

HEAT = "0" * 32
GANG = gang_fact("g", spec=gang_spec(work=SerialWork(serial=100.0), run_template=HEAT))


def memory(quantile=0.9):
    return PastRuns(lambda: None, quantile)


def learnt(*factors, quantile=0.9, namespace=DEFAULT, template=HEAT):
    past = memory(quantile)
    for factor in factors:
        past.learn(Template(namespace, template), run_of(factor))
    past.put_in_force()
    return past


@pytest.mark.parametrize(
    ("runs", "quantile", "want"),
    [
        pytest.param((3, 1, 2), 0.9, 3, id="of few runs the largest"),
        pytest.param(tuple(range(1, 10)), 0.9, 9, id="of nine too"),
        pytest.param(tuple(range(1, 19)), 0.9, 18, id="of eighteen too"),
        pytest.param(tuple(range(1, 20)), 0.9, 18, id="of nineteen the last but one"),
        pytest.param(tuple(range(50, 0, -1)), 0.9, 46, id="of fifty the 46th, whatever their order"),
        pytest.param(tuple(range(1, 20)), 0.55, 11, id="a product that comes out a rounding too large"),
        pytest.param((3, 1, 2), 1.0, 3, id="all"),
        pytest.param((3, 1, 2), 1e-12, 1, id="hardly any"),
    ],
)
def test_quantile_of_next(runs, quantile, want):
    assert quantile_of_next(runs, quantile) == want


def test_quantile_is_what_the_next_run_keeps_to_whichever_of_all_it_is():
    rnd = random.Random(3)  # noqa: S311 - cases of a test are no secrets
    for _ in range(2000):
        known_and_next = rnd.sample(range(1000), rnd.randint(2, 51))
        hundredths = rnd.randint(1, 99)

        kept_to = 0
        for number, one in enumerate(known_and_next):
            known = known_and_next[:number] + known_and_next[number + 1 :]
            found = quantile_of_next(known, hundredths / 100)
            kept_to += one <= found or found == max(known)

        # In whole numbers, so that nothing is rounded.
        assert 100 * kept_to >= hundredths * len(known_and_next)


@pytest.mark.parametrize(
    ("factors", "want"),
    [
        pytest.param([], None, id="no run"),
        pytest.param([2, 2], None, id="two runs"),
        pytest.param([1.1, 1.3, 1.2], Learned(thousandths=1300, runs=3), id="three"),
        pytest.param([9] * 5 + [2] * 50, Learned(thousandths=2000, runs=50), id="only the last fifty"),
        pytest.param([0.5, 0.25, 0.125], Learned(thousandths=500, runs=3), id="less than stated"),
        pytest.param([0, 1e-9, 0.0], Learned(thousandths=1, runs=3), id="a thousandth at least"),
        pytest.param([1e300] * 3, Learned(thousandths=1_000_000, runs=3), id="a thousand times at most"),
        pytest.param([float("inf")] * 3, Learned(thousandths=1_000_000, runs=3), id="endless"),
    ],
)
def test_what_is_in_force(factors, want):
    assert learnt(*factors).in_force(GANG) == want


def test_what_is_learnt_is_in_force_from_the_next_plan_on():
    past = learnt(1, 1, 1)
    past.learn(Template(DEFAULT, HEAT), run_of(2))
    assert past.in_force(GANG) == Learned(thousandths=1000, runs=3)

    past.put_in_force()

    assert past.in_force(GANG) == Learned(thousandths=2000, runs=4)


@pytest.mark.parametrize(
    "where", [{"namespace": "other"}, {"template": "1" * 32}], ids=["another namespace", "another template"]
)
def test_runs_of_others_do_not_count(where):
    past = learnt(*[5] * 50, **where)

    assert past.in_force(GANG) is None
    assert len(past) == 1


def test_laws_are_computed_once_and_only_for_gangs_that_want_them():
    past = learnt(*[2] * 5)
    learns = gang_fact("learns", spec=gang_spec(work=SerialWork(serial=100.0), run_template=HEAT, learns=True))
    unknown = gang_fact("unknown", spec=gang_spec(work=SerialWork(serial=1.0), run_template="1" * 32, learns=True))
    assert past.judging([GANG, unknown]) is None

    past.judging([learns, GANG, learns])()

    assert past.in_force(learns).judged is not None
    assert past.judging([learns]) is None


def test_gang_of_unknown_run_time_learns_nothing():
    assert learnt(2, 2, 2, template="").in_force(gang_fact("g", spec=gang_spec())) is None


def test_nothing_is_learnt_where_stated_times_are_wanted():
    past = learnt(2, 2, 2, quantile=0)

    assert (len(past), past.changes, past.in_force(GANG)) == (0, 0, None)


def test_tenant_with_many_templates_takes_no_others_room():
    past = learnt(2, 2, 2)
    for number in range(3 * MOST_TEMPLATES):
        past.learn(Template("crowd", f"{number:032}"), run_of(1))
    past.put_in_force()

    assert len(past) == sum(map(len, past.runs.values())) == MOST_TEMPLATES
    assert past.in_force(GANG) == Learned(thousandths=2000, runs=3)
    assert next(iter(past.runs["crowd"])) == f"{2 * MOST_TEMPLATES + 1:032}"


def test_template_that_is_learnt_of_again_stays():
    past = memory()
    for number in range(2 * MOST_TEMPLATES):
        past.learn(Template(DEFAULT, HEAT), run_of(1))
        past.learn(Template(DEFAULT, f"{number + 1:032}"), run_of(1))

    assert len(past.runs[DEFAULT][HEAT]) == MOST_RUNS
    assert len(past) == MOST_TEMPLATES


def test_forgotten_template_is_not_in_force_any_more():
    past = learnt(2, 2, 2)
    for number in range(MOST_TEMPLATES):
        past.learn(Template(DEFAULT, f"{number + 1:032}"), run_of(1))
    past.put_in_force()

    assert past.in_force(GANG) is None


def test_namespaces_without_end_are_bounded_too():
    past = memory()
    for number in range(3 * MOST_TEMPLATES):
        past.learn(Template(f"tenant-{number}", HEAT), run_of(1))

    assert len(past) == len(past.runs) == MOST_TEMPLATES
    assert next(iter(past.runs)) == f"tenant-{2 * MOST_TEMPLATES}"


def test_tenant_with_many_runs_takes_no_others_room():
    past = learnt(2, 2, 2)
    for number in range(2 * MOST_RUNS_OF_ALL // MOST_RUNS):
        for _ in range(MOST_RUNS):
            past.learn(Template("crowd", f"{number:032}"), run_of(1))
    past.put_in_force()

    known = sum(len(runs) for templates in past.runs.values() for runs in templates.values())
    assert MOST_RUNS_OF_ALL - MOST_RUNS <= known <= MOST_RUNS_OF_ALL
    assert past.in_force(GANG) == Learned(thousandths=2000, runs=3)


def test_tenants_with_few_templates_and_many_runs_lose_none_to_one_with_many_templates():
    past = memory()
    for _ in range(MOST_RUNS):
        past.learn(Template(DEFAULT, HEAT), run_of(2))
    for number in range(2 * MOST_TEMPLATES):
        past.learn(Template("crowd", f"{number:032}"), run_of(1))

    assert len(past.runs[DEFAULT][HEAT]) == MOST_RUNS


def test_what_was_kept_comes_back_but_for_what_is_known_better():
    before, past = learnt(2, 2, 2), memory()
    before.learn(Template("other", HEAT), run_of(3))
    past.learn(Template(DEFAULT, HEAT), run_of(4))

    past.remember(before.runs)

    assert past.runs == {"other": {HEAT: (run_of(3),)}, DEFAULT: {HEAT: (run_of(4),)}}
    assert len(past) == 2


def test_next_process_plans_as_the_one_before():
    before, past = learnt(1.1, 1.3, 1.2), memory()

    past.remember(before.runs)
    past.put_in_force()

    assert past.in_force(GANG) == before.in_force(GANG)


def test_planner_gets_the_times_that_runs_had():
    state = State(lambda: None)
    for _ in range(3):
        state.past_runs.learn(Template(DEFAULT, HEAT), run_of(1.5))
    state.past_runs.put_in_force()

    [pending] = SnapshotCutter(state).cut(1000.0, [GANG]).gangs

    assert pending.work == SerialWork(serial=150.0)


def test_third_run_of_a_template_asks_for_a_plan():
    asked = []
    past = PastRuns(lambda: asked.append(len(past.runs[DEFAULT][HEAT])))
    for _ in range(4):
        past.learn(Template(DEFAULT, HEAT), run_of(1))

    assert asked == [3, 4]


@pytest.mark.parametrize(("thousandths", "want"), [(1300, "1.3"), (2000, "2"), (1, "0.001"), (1_000_000, "1000")])
def test_factor_is_formatted_as_it_is_planned_with(thousandths, want):
    learned = Learned(thousandths=thousandths, runs=3)

    assert (learned.formatted, float(want)) == (want, learned.times)
