"""Free patterns of the allocation map: figure 5 of [S] 4.3, erratum 6, exhaustive search over all patterns."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coschedule.model.errors import InvalidValueError
from coschedule.problems.al_saqabi.expand import ExpandObjective, Expansion, expand
from coschedule.requests.refusal_answers import sentence_of
from engine.brute.pieces import last_done, pattern_size, used
from engine.builders import seeded
from engine.problems.al_saqabi.printed import printed_expansion

FIGURE_5 = [
    ["p2", "p5", "p6"],
    ["p2", "p5", "p6"],
    [],
    ["p2", "p3", "p6"],
    ["p5", "p6"],
    ["p2"],
    ["p2", "p5"],
    ["p2", "p5", "p6", "p7", "p8", "p9"],
    [],
]


ALIKE = {f"p{index}": 1 for index in range(1, 10)}


names = st.sets(st.sampled_from("abcd"))


maps = st.lists(names, min_size=1, max_size=6)


thirds = st.integers(1, 12).map(lambda number: Fraction(number, 3))


speeds_by_name = st.fixed_dictionaries(dict.fromkeys("abcd", thirds))


def turnaround(found):
    return found.turnaround if isinstance(found, Expansion) else float("inf")


def test_figure_5():
    """[S] 4.3, page 19: {p2, p5, p6} x {t1, t2, t8}."""
    found = expand(FIGURE_5, ALIKE, 3, objective=ExpandObjective.SIZE)

    assert (found.slices, found.processors, found.size) == ((0, 1, 7), ("p2", "p5", "p6"), 9)
    assert found.size == printed_expansion(FIGURE_5, ALIKE)
    assert (found.counts, found.turnaround, found.exact) == ({"p2": 1, "p5": 1, "p6": 1}, 3, True)


def test_printed_expansion_misses_the_largest_pattern():
    """[S] 4.3, page 19, erratum 6: every pattern tried is all that is free in one slice."""
    free = [["p1", "p2", "p3"], ["p1", "p2", "p4"]]

    found = expand(free, ALIKE, 2, objective=ExpandObjective.SIZE)

    assert printed_expansion(free, ALIKE) == 3
    assert (found.slices, found.processors, found.size) == ((0, 1), ("p1", "p2"), 4)


def test_largest_pattern_is_not_the_best_for_a_job():
    """[S] 4.3, pages 18-19, erratum 6: one piece gains nothing from two processors, and all from a second slice."""
    free = [["p1", "p2", "p3", "p4", "p5"], ["p1", "p2"]]

    largest = expand(free, ALIKE, 1, objective=ExpandObjective.SIZE)
    best = expand(free, ALIKE, 1)

    assert (largest.slices, largest.size, largest.turnaround) == ((0,), 5, 2)
    assert (best.slices, best.size, best.turnaround, best.counts) == ((0, 1), 4, 1, {"p1": 1})


def check(found, free, speeds, pieces):
    """Check that the job can run as the answer says."""
    assert all(name in free[index] for index in found.slices for name in found.processors)
    assert set(found.counts) <= set(found.processors)
    assert sum(found.counts.values()) == pieces
    own = tuple(speeds[name] for name in found.counts)
    alone = last_done(tuple(found.counts.values()), own)
    assert used(found.counts.values()) == len(found.counts)
    assert alone * len(free) / len(found.slices) == found.turnaround
    assert pattern_size((found.slices, found.processors), speeds) == found.size


@pytest.mark.parametrize("objective", ExpandObjective)
def test_heuristic_for_many_slices_keeps_its_word(objective):
    rnd = seeded(4)
    for _ in range(40):
        free = [[f"p{index}" for index in range(1, 10) if rnd.random() < 0.5] for _ in range(30)]

        found = expand(free, ALIKE, 6, objective=objective)

        assert not found.exact
        check(found, free, dict.fromkeys(ALIKE, Fraction(1)), 6)
        if objective is ExpandObjective.SIZE:
            assert found.size == printed_expansion(free, ALIKE)


def test_many_slices_of_few_kinds_are_searched_exactly():
    found = expand([["p1", "p2", "p3"], ["p1", "p2", "p4"]] * 40, ALIKE, 2, objective=ExpandObjective.SIZE)

    assert (found.size, found.exact) == (160, True)


def test_nothing_free_is_reported():
    assert sentence_of(expand([[], []], ALIKE, 1)) == "no processor is free in any of 2 slices"


@settings(max_examples=30)
@given(maps, speeds_by_name, st.integers(1, 9), st.randoms(use_true_random=False))
def test_order_of_slices_changes_nothing(free, speeds, pieces, rnd):
    assert turnaround(expand(rnd.sample(free, len(free)), speeds, pieces)) == turnaround(expand(free, speeds, pieces))


@settings(max_examples=30)
@given(maps, speeds_by_name, st.integers(1, 9), st.integers(0, 5), names)
def test_more_free_entries_never_hurt(free, speeds, pieces, index, more):
    freer = [names | more if at == index else names for at, names in enumerate(free)]

    assert turnaround(expand(freer, speeds, pieces)) <= turnaround(expand(free, speeds, pieces))


@settings(max_examples=30)
@given(maps, speeds_by_name, st.integers(1, 9), thirds)
def test_scaling_speed_scales_the_answer(free, speeds, pieces, scale):
    found = expand(free, speeds, pieces)
    scaled = expand(free, {name: speed * scale for name, speed in speeds.items()}, pieces)

    if isinstance(found, Expansion):
        assert (scaled.turnaround * scale, scaled.size) == (found.turnaround, found.size * scale)
        assert (scaled.slices, scaled.counts) == (found.slices, found.counts)


@settings(max_examples=30)
@given(maps, speeds_by_name, st.integers(1, 9))
def test_floats_agree_with_exact_numbers(free, speeds, pieces):
    inexact = {name: float(speed) for name, speed in speeds.items()}

    found, in_floats = expand(free, speeds, pieces), expand(free, inexact, pieces)

    assert turnaround(in_floats) == pytest.approx(float(turnaround(found)), rel=1e-9)


@settings(max_examples=30)
@given(maps, speeds_by_name)
def test_sizes_in_floats_agree_with_exact_numbers(free, speeds):
    inexact = {name: float(speed) for name, speed in speeds.items()}
    found, in_floats = (expand(free, own, 1, objective=ExpandObjective.SIZE) for own in (speeds, inexact))

    if isinstance(found, Expansion):
        assert in_floats.size == pytest.approx(float(found.size), rel=1e-9)


@pytest.mark.parametrize(
    ("free", "speeds", "pieces", "want_field"),
    [
        pytest.param([["p1"]], {"p1": 1}, 0, "pieces", id="no pieces"),
        pytest.param([["p1"]], {"p1": 0}, 1, "speeds.p1", id="a processor that stands still"),
        pytest.param([["p1"], ["p2"]], {"p1": 1}, 1, "free_by_slice[1]", id="a name without a speed"),
    ],
)
def test_nonsense_is_refused_by_name(free, speeds, pieces, want_field):
    with pytest.raises(InvalidValueError) as refusal:
        expand(free, speeds, pieces)

    assert refusal.value.field == want_field
