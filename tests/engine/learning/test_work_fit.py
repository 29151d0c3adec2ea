"""The law that finished runs have followed: known ones are found again, and nothing else is claimed."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coschedule import FinishedRuns, NoFit, Shortage, error_of_multiple, fit_work
from engine.brute import work_fit as brute

LAWS = [
    pytest.param((600.0, 0.0, 0.0, 0.0), id="all of it divides"),
    pytest.param((600.0, 30.0, 0.0, 0.0), id="a fixed part"),
    pytest.param((600.0, 0.0, 2.0, 0.0), id="a part for each member"),
    pytest.param((600.0, 0.0, 0.0, 9.0), id="a tree"),
    pytest.param((900.0, 20.0, 3.0, 0.0), id="two overheads"),
    pytest.param((0.0, 60.0, 0.0, 0.0), id="no part divides"),
    pytest.param((0.0, 0.0, 5.0, 0.0), id="each member makes it longer"),
]


def runs(sizes, seconds, slowdowns=None):
    slowdowns = np.ones(len(sizes)) if slowdowns is None else np.asarray(slowdowns, dtype=float)
    seconds = np.asarray(seconds, dtype=float)
    return FinishedRuns(sizes=np.asarray(sizes, dtype=np.int64), slowdowns=slowdowns, seconds=seconds)


def noisy(law, *, sizes=(1, 2, 3, 4, 6, 8, 12, 16), each=4, noise=0.02, seed=1):
    """Runs on nodes of different speed whose times are off by ``noise``, relatively."""
    random = np.random.default_rng(seed)
    of_run = np.tile(sizes, each)
    slowdowns = random.uniform(1.0, 2.0, len(of_run))
    seconds = [brute.law(law, size) for size in of_run] * slowdowns * random.normal(1, noise, len(of_run))
    return runs(of_run, seconds, slowdowns)


@pytest.mark.parametrize("law", LAWS)
def test_known_law_is_found_exactly_where_nothing_is_off(law):
    fit = fit_work(noisy(law, noise=0))

    assert fit.coefficients == pytest.approx(law, rel=1e-6, abs=1e-6)
    assert fit.error < 1e-6


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("law", LAWS)
def test_known_law_is_forecast_from_noisy_runs(law, seed):
    sizes = np.arange(1, 17)
    fit = fit_work(noisy(law, seed=seed))

    assert fit.seconds(sizes) == pytest.approx([brute.law(law, size) for size in sizes], rel=0.05)
    assert 0.01 < fit.error < 0.03


def test_truth_is_within_two_standard_errors_about_as_often_as_is_said():
    sizes, law = np.array([1, 4, 16]), (900.0, 0.0, 3.0, 0.0)
    want = np.array([brute.law(law, size) for size in sizes])
    fits = [fit_work(noisy(law, seed=seed)) for seed in range(300)]

    off = np.array([np.abs(fit.seconds(sizes) - want) / fit.standard_errors_at(sizes) for fit in fits])

    # Which terms there are was chosen by the same runs, so that it is a little less than 95 of 100.
    assert 0.75 < (off < 2).mean() < 0.99


def test_law_goes_on_as_the_work_of_a_gang():
    fit = fit_work(noisy((900.0, 20.0, 3.0, 0.0), noise=0))

    assert fit.work.float_times(16) == pytest.approx(fit.seconds(np.arange(1, 17)))


def test_work_that_does_not_divide_has_a_serial_time_all_the_same():
    work = fit_work(noisy((0.0, 60.0, 0.0, 0.0), noise=0)).work

    assert 0 < work.serial < 1e-3
    assert work.float_times(8) == pytest.approx([60] * 8, rel=1e-5)


def test_work_that_only_grows_with_the_logarithm_takes_some_time_with_one_member_too():
    fit = fit_work(noisy((0.0, 0.0, 0.0, 100.0), sizes=(2, 4, 8, 16), noise=0))

    assert fit.coefficients == pytest.approx([0, 0, 0, 100], abs=1e-6)
    assert 0 < fit.work.serial < 1
    assert fit.seconds(np.array([1, 4])) == pytest.approx([1e-4, 200], rel=1e-3)


def test_run_unlike_the_others_of_its_size_is_left_out():
    law = (600.0, 30.0, 0.0, 0.0)
    known = noisy(law, noise=0.01)
    seconds = known.seconds.copy()
    seconds[3] *= 50

    fit = fit_work(runs(known.sizes, seconds, known.slowdowns))

    assert (fit.left_out, fit.runs) == (1, len(seconds) - 1)
    assert fit.coefficients == pytest.approx(law, rel=0.2, abs=1)


@pytest.mark.parametrize(
    ("sizes", "seconds", "want"),
    [
        pytest.param([], [], NoFit(shortage=Shortage.TOO_FEW_RUNS, runs=0, sizes=()), id="no run"),
        pytest.param([4, 8], [9, 5], NoFit(shortage=Shortage.TOO_FEW_RUNS, runs=2, sizes=(4, 8)), id="two"),
        pytest.param([4] * 7, [9.0] * 7, NoFit(shortage=Shortage.ONE_SIZE, runs=7, sizes=(4,)), id="one size"),
        pytest.param(
            [4] * 5 + [8] * 5,
            [9.0] * 5 + [0.0, -1.0, np.inf, np.nan, 1e300],
            NoFit(shortage=Shortage.ONE_SIZE, runs=5, sizes=(4,)),
            id="times of the other size that make no sense",
        ),
    ],
)
def test_result_says_what_the_runs_do_not_show(sizes, seconds, want):
    assert fit_work(runs(sizes, seconds)) == want


def test_two_sizes_carry_two_terms_and_no_more():
    fit = fit_work(noisy((600.0, 30.0, 4.0, 2.0), sizes=(2, 8), each=8))

    assert 1 <= np.count_nonzero(fit.coefficients) <= 2
    assert not fit.standard_errors[fit.coefficients == 0].any()


def test_single_run_of_a_second_size_does_not_decide_alone():
    """No law of two terms could forecast that run, so that the one term that explains both is taken."""
    fit = fit_work(runs([4, 4, 4, 4, 8], [150, 151, 149, 150, 90]))

    assert np.count_nonzero(fit.coefficients) == 1


@pytest.mark.parametrize("seed", range(30))
def test_error_and_terms_are_those_of_solving_anew_without_each_run(seed):
    random = np.random.default_rng(seed)
    count = int(random.integers(6, 20))
    sizes = random.choice([1, 2, 3, 5, 8, 13], count)
    sizes[:2] = 1, 8
    law = random.uniform(0, 1, 4) * (1000, 30, 5, 10) * random.integers(0, 2, 4) + (100, 0, 0, 0)
    seconds = np.array([brute.law(law, size) for size in sizes]) * random.uniform(0.93, 1.07, count)

    fit = fit_work(runs(sizes, seconds))

    errors = {tuple(terms): brute.error(sizes, seconds, terms) for terms in brute.sets_of_terms()}
    chosen = tuple(np.flatnonzero(fit.coefficients).tolist())
    # Weights are medians: without a run its size may have another one, if anything by the noise.
    assert fit.error == pytest.approx(errors[chosen], rel=0.15)
    possible = [error for terms, error in errors.items() if is_possible(sizes, seconds, terms)]
    assert fit.error <= 1.2 * min(possible)


def is_possible(sizes, seconds, terms):
    """Whether the best coefficients of these terms are all positive."""
    medians = np.array([np.median(seconds[sizes == size]) for size in sizes])
    rows = np.array([[brute.TERMS[term](size) for term in terms] for size in sizes]) / medians[:, None]
    solved, _, rank, _ = np.linalg.lstsq(rows, seconds / medians)
    return rank == len(terms) and (solved >= 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_no_coefficients_of_a_grid_are_closer(seed):
    known = noisy((600.0, 30.0, 0.0, 0.0), sizes=(1, 2, 4, 8), noise=0.1, seed=seed)
    seconds = known.idle_seconds
    fit = fit_work(known)

    terms = np.flatnonzero(fit.coefficients).tolist()
    other = brute.best_of_grid(known.sizes, seconds, terms, around=(3000.0, 300.0, 100.0, 100.0))

    assert fit.coefficients == pytest.approx(other, rel=0.01, abs=0.01)
    assert brute.squares(known.sizes, seconds, fit.coefficients) <= brute.squares(known.sizes, seconds, other) + 1e-9


ANY_SECONDS = st.one_of(st.floats(1.0, 1e5), st.sampled_from([1e-9, 1e-3, 1e9, 1e12, 1e300, 0.0, math.inf]))
ANY_RUNS = st.lists(
    st.tuples(st.one_of(st.integers(1, 20), st.sampled_from([10_000, 2**31, 0])), ANY_SECONDS), max_size=50
)


@given(ANY_RUNS)
def test_whatever_runs_there_are_the_answer_makes_sense(some):
    known = runs([size for size, _ in some], [seconds for _, seconds in some])

    fit = fit_work(known)

    if isinstance(fit, NoFit):
        assert fit.runs < fit.needed_runs or len(fit.sizes) < fit.needed_sizes
        return
    assert (fit.coefficients >= 0).all()
    assert np.isfinite([*fit.coefficients, *fit.standard_errors, *fit.work.float_times(20)]).all()
    assert (fit.work.float_times(20) > 0).all()
    assert fit.error >= 0


@given(ANY_RUNS, st.randoms(use_true_random=False))
def test_order_of_the_runs_does_not_matter(some, random):
    other = random.sample(some, len(some))
    one, another = (fit_work(runs([p for p, _ in them], [t for _, t in them])) for them in (some, other))

    assert type(one) is type(another)
    if not isinstance(one, NoFit):
        assert (one.runs, one.left_out, one.sizes) == (another.runs, another.left_out, another.sizes)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("unit", [1e-2, 60.0, 1e5])
def test_unit_of_time_does_not_matter(law, unit):
    known = noisy(law, noise=0.05)
    one = fit_work(known)
    other = fit_work(runs(known.sizes, known.seconds * unit, known.slowdowns))

    assert other.coefficients == pytest.approx(one.coefficients * unit, rel=1e-6)
    assert other.standard_errors == pytest.approx(one.standard_errors * unit, rel=1e-6)
    assert other.error == pytest.approx(one.error)


def test_times_that_are_a_multiple_of_what_is_stated_have_no_error():
    known = noisy((600.0, 30.0, 0.0, 0.0), noise=0)

    assert error_of_multiple(known, 3.0 * known.idle_seconds) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_error_of_a_multiple_is_that_of_multiplying_by_what_the_others_took(seed):
    known = noisy((600.0, 30.0, 0.0, 0.0), noise=0.05, seed=seed)
    stated = 500.0 / known.sizes
    seconds = known.idle_seconds
    medians = np.array([np.median(seconds[known.sizes == size]) for size in known.sizes])
    off = []
    for index in range(len(seconds)):
        rows, targets = (np.delete(one / medians, index) for one in (stated, seconds))
        off.append(abs(np.log(stated[index] * (rows @ targets) / (rows @ rows) / seconds[index])))

    assert error_of_multiple(known, stated) == pytest.approx(math.exp(np.mean(off)) - 1)


def test_fit_beats_a_law_of_another_shape_and_not_its_own():
    known = noisy((600.0, 0.0, 0.0, 0.0))

    error = fit_work(known).error

    assert error < error_of_multiple(known, 60.0 + 0.0 * known.sizes)
    assert error == pytest.approx(error_of_multiple(known, 100.0 / known.sizes))


@pytest.mark.parametrize("stated", [[], [0.0], [5.0], [math.inf, 5.0], [math.nan, 5.0]], ids=str)
def test_error_of_what_fewer_than_two_runs_show_is_endless(stated):
    assert error_of_multiple(runs([4] * len(stated), [9.0] * len(stated)), np.array(stated)) == math.inf
