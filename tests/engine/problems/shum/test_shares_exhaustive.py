"""Shares against exhaustive search."""

import math
from fractions import Fraction

import pytest
from hypothesis import given

from coschedule.problems.shum.shares import Levels, NoShares, Shares, divide_shares
from engine.brute.shares import best_levels, best_product
from engine.builders import seeded
from engine.problems.shum.test_shares import application, groups, totals


def random_case(rnd):
    tied = rnd.random() < 0.4

    def speedup():
        return Fraction(2) ** rnd.randint(-1, 3) if tied else Fraction(rnd.randint(1, 12), rnd.choice([1, 2, 3]))

    applications = [
        [(rnd.randint(0, 6), speedup()) for _ in range(rnd.randint(1, 4))] for _ in range(rnd.randint(1, 5))
    ]
    return applications, rnd.randint(0, 18)


@pytest.mark.parametrize("seed", range(10))
def test_division_equals_exhaustive_search(seed):
    rnd = seeded(seed)
    for _ in range(220):
        applications, total = random_case(rnd)

        shares = divide_shares([application(*levels) for levels in applications], total=total)

        best = best_levels(applications, total)
        if best is None:
            assert isinstance(shares, NoShares), (applications, total)
            continue
        want_product, want_workstations, want_levels = best
        assert isinstance(shares, Shares), (applications, total)
        assert (shares.levels, shares.workstations) == (want_levels, want_workstations), (applications, total)
        assert shares.value == pytest.approx(math.log(want_product), abs=1e-12)
        assert best_product(applications, total) == want_product


def value(shares):
    return shares.value if isinstance(shares, Shares) else -math.inf


@given(groups, totals)
def test_floats_agree_with_exact_numbers(applications, total):
    in_floats = [
        Levels(workstations=one.workstations, speedups=tuple(map(float, one.speedups))) for one in applications
    ]

    got, want = value(divide_shares(in_floats, total=total)), value(divide_shares(applications, total=total))

    assert got == pytest.approx(want, rel=1e-9, abs=1e-9)
