"""Pieces on processors, the last done soonest: examples of [S] 4.1, erratum 3, exhaustive search, two methods."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coschedule.model.errors import InvalidValueError
from coschedule.pieces.apportion import apportion, apportion_by_heap
from engine.brute.pieces import last_done, least_turnaround
from engine.problems.al_saqabi.printed import printed_mtat

METHODS = pytest.mark.parametrize("method", [apportion, apportion_by_heap])


sixths = st.integers(1, 72).map(lambda number: Fraction(number, 6))


speeds_of_processors = st.lists(sixths, min_size=1, max_size=9)


numbers_of_pieces = st.integers(1, 200)


@METHODS
@pytest.mark.parametrize(
    ("pieces", "speeds", "want_turnaround", "want_counts"),
    [
        pytest.param(20, [10, 1, 4, 3], Fraction(6, 5), [12, 1, 4, 3], id="example 1, pages 10-11"),
        pytest.param(4, [1, 1, 1], 2, [2, 1, 1], id="example 2 of 4.2, pages 13-14"),
        pytest.param(9, [4, 2, 1], Fraction(3, 2), [6, 2, 1], id="example 3 of 4.2, pages 15-16"),
        pytest.param(1, [Fraction(1, 3), Fraction(1, 3)], 3, [1, 0], id="of equal processors the first"),
        pytest.param(7, [2.5], 2.8, [7], id="one processor"),
    ],
)
def test_examples(method, pieces, speeds, want_turnaround, want_counts):
    """[S] 4.1 and 4.2."""
    found = method(pieces, speeds)

    assert (found.turnaround, found.counts.tolist()) == (want_turnaround, want_counts)


@METHODS
@pytest.mark.parametrize(
    ("pieces", "speeds", "want_printed", "want"),
    [
        pytest.param(2, [3, 2, 1], Fraction(2, 3), Fraction(1, 2), id="Drag is 0 for a share that is whole"),
        pytest.param(3, [7, 2, 2], Fraction(1, 2), Fraction(3, 7), id="one piece more than the share is too few"),
    ],
)
def test_theorem_1_is_wrong(method, pieces, speeds, want_printed, want):
    """[S] 4.1, page 12: the printed algorithm does not find the minimum. Erratum 3."""
    _, printed = printed_mtat(pieces, speeds)

    assert printed == want_printed
    assert method(pieces, speeds).turnaround == want == least_turnaround(pieces, tuple(speeds))


def test_error_of_the_printed_algorithm_is_unbounded():
    """[S] 4.1, theorem 1, page 12. Erratum 3."""
    speeds = [1000, *[1] * 1000]

    _, printed = printed_mtat(20, speeds)

    assert printed == 50 * apportion(20, speeds).turnaround


def test_large_fractions_stay_exact():
    speeds = [Fraction(10**18, 10**18 - 1), Fraction(10**17, 10**17 - 1)]

    found = apportion(10**15 - 1, speeds)

    assert found.turnaround == last_done(found.counts.tolist(), speeds)
    assert found.counts.tolist() == apportion_by_heap(10**15 - 1, speeds).counts.tolist()


@settings(max_examples=30)
@given(numbers_of_pieces, speeds_of_processors, sixths)
def test_another_processor_never_hurts(pieces, speeds, speed):
    assert apportion(pieces, [*speeds, speed]).turnaround <= apportion(pieces, speeds).turnaround


@settings(max_examples=30)
@given(numbers_of_pieces, speeds_of_processors, sixths)
def test_scaling_speed_scales_the_answer(pieces, speeds, scale):
    found, scaled = apportion(pieces, speeds), apportion(pieces, [speed * scale for speed in speeds])

    assert scaled.turnaround * scale == found.turnaround
    assert scaled.counts.tolist() == found.counts.tolist()


@settings(max_examples=30)
@given(numbers_of_pieces, speeds_of_processors)
def test_floats_agree_with_exact_numbers(pieces, speeds):
    in_floats = apportion(pieces, [float(speed) for speed in speeds])

    assert in_floats.turnaround == pytest.approx(float(apportion(pieces, speeds).turnaround), rel=1e-9)


@pytest.mark.parametrize(
    ("pieces", "speeds", "want_field"),
    [
        pytest.param(0, [1], "pieces", id="no pieces"),
        pytest.param(10**15 + 1, [1], "pieces", id="too many"),
        pytest.param(1, [], "speeds", id="no processors"),
        pytest.param(1, [1, 0], "speeds[1]", id="one that stands still"),
        pytest.param(1, np.array([1.0, 2.0, np.inf]), "speeds[2]", id="one that is infinitely fast"),
        pytest.param(1, [float("nan")], "speeds[0]", id="no number"),
        pytest.param(1, np.ones((2, 2)), "speeds", id="a table"),
    ],
)
@METHODS
def test_nonsense_is_refused_by_name(method, pieces, speeds, want_field):
    with pytest.raises(InvalidValueError) as refusal:
        method(pieces, speeds)

    assert refusal.value.field == want_field


def test_counts_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        apportion(3, [1, 2]).counts[0] = 9
