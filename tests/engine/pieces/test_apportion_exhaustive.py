"""Apportionment against exhaustive search and against its other method, on many cases."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coschedule.pieces.apportion import apportion, apportion_by_heap
from engine.brute.pieces import last_done, least_turnaround
from engine.builders import seeded
from engine.pieces.test_apportion import numbers_of_pieces, speeds_of_processors


def random_case(rnd):
    kinds = [Fraction(rnd.randint(1, 9), rnd.choice([1, 1, 2, 3])) for _ in range(rnd.randint(1, 3))]
    return rnd.randint(1, 7), tuple(rnd.choice(kinds) for _ in range(rnd.randint(1, 4)))


@pytest.mark.parametrize("seed", range(8))
def test_turnaround_equals_exhaustive_search(seed):
    rnd = seeded(seed)
    for _ in range(250):
        pieces, speeds = random_case(rnd)
        for method in (apportion, apportion_by_heap):
            found = method(pieces, speeds)
            assert found.turnaround == least_turnaround(pieces, speeds), (pieces, speeds)
            assert found.counts.sum() == pieces
            assert last_done(found.counts.tolist(), speeds) == found.turnaround, (pieces, speeds)


@pytest.mark.parametrize("pieces", [1, 77, 3000, 12_345, 10**7, 10**12, 10**15])
@pytest.mark.parametrize("kind", ["uniform", "heavy tail", "equal", "few kinds", "integers", "fractions"])
def test_two_methods_agree_on_many_processors(pieces, kind):
    rng = np.random.default_rng(5)
    speeds = {
        "uniform": rng.random(3000) + 0.01,
        "heavy tail": rng.pareto(0.5, 3000) + 1e-3,
        "equal": np.full(3000, 1.1),
        "few kinds": rng.choice([0.1, 0.3, 0.7], 3000),
        "integers": rng.integers(1, 30, 3000),
        "fractions": [Fraction(int(above), int(below)) for above, below in rng.integers(1, 99, (3000, 2))],
    }[kind]

    found, by_heap = apportion(pieces, speeds), apportion_by_heap(pieces, speeds)

    assert found.turnaround == by_heap.turnaround
    assert found.counts.tolist() == by_heap.counts.tolist()
    assert found.counts.sum() == pieces


@pytest.mark.parametrize(
    ("pieces", "kind"),
    [
        pytest.param(50_000, "floats", id="fewer than processors"),
        pytest.param(10**9, "floats", id="many more than processors"),
        pytest.param(10**5, "few kinds", id="many ties"),
        pytest.param(3_000, "fractions", id="rationals"),
    ],
)
def test_two_methods_agree_on_a_hundred_thousand_processors(pieces, kind):
    rng = np.random.default_rng(7)
    speeds = {
        "floats": rng.random(10**5) + 0.01,
        "few kinds": rng.choice([0.1, 0.3, 0.7], 10**5),
        "fractions": [Fraction(int(above), int(below)) for above, below in rng.integers(1, 9, (10**5, 2))],
    }[kind]

    found, by_heap = apportion(pieces, speeds), apportion_by_heap(pieces, speeds)

    assert found.turnaround == by_heap.turnaround
    assert np.array_equal(found.counts, by_heap.counts)


@settings(max_examples=30)
@given(numbers_of_pieces, speeds_of_processors, st.randoms(use_true_random=False))
def test_order_of_processors_changes_nothing(pieces, speeds, rnd):
    assert apportion(pieces, rnd.sample(speeds, len(speeds))).turnaround == apportion(pieces, speeds).turnaround
