"""Workstations divided exactly: against every combination of levels, a second exact method, and what must hold."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coschedule.model.errors import InvalidValueError
from coschedule.problems.shum.shares import Levels, NoShares, Shares, divide_shares
from coschedule.requests.refusal_answers import sentence_of, write_refusal
from engine.brute.shares import best_product
from engine.builders import seeded


def application(*levels):
    workstations, speedups = zip(*levels, strict=True)
    return Levels(workstations=workstations, speedups=speedups)


def product_of(applications, levels):
    return math.prod(Fraction(one.speedups[level]) for one, level in zip(applications, levels, strict=True))


@pytest.mark.parametrize(
    ("applications", "total", "want_levels"),
    [
        pytest.param([[(1, 1), (3, 2)], [(1, 1), (3, 3)]], 4, (0, 1), id="to the larger gain"),
        pytest.param([[(1, 1), (3, 2)], [(1, 1), (3, 2)]], 4, (0, 1), id="equal gains: the first stays lower"),
        pytest.param([[(1, 1), (3, 2)], [(1, 1), (3, 2)]], 6, (1, 1), id="enough for all"),
        pytest.param([[(1, 2), (3, 2)]], 9, (0,), id="no more workstations than help"),
        pytest.param([[(5, 3), (2, 3), (2, 3)]], 9, (1,), id="levels in any order: fewest, then first"),
        pytest.param([[(1, 1), (9, 5)], [(1, 1), (5, 3)], [(1, 1), (5, 2)]], 11, (0, 1, 1), id="two small ones"),
        pytest.param([], 0, (), id="no application"),
    ],
)
def test_division(applications, total, want_levels):
    shares = divide_shares([application(*levels) for levels in applications], total=total)

    assert shares.levels == want_levels
    assert shares.workstations == sum(levels[level][0] for levels, level in zip(applications, want_levels, strict=True))


def test_value_is_the_sum_of_logarithms():
    assert divide_shares([application((1, 4)), application((1, 0.5))], total=2).value == math.log(2)


def test_refusal_says_why_with_numbers():
    refusal = divide_shares([application((2, 1), (3, 4)), application((3, 1))], total=4)

    assert isinstance(refusal, NoShares)
    assert (write_refusal(refusal)["reason"], sentence_of(refusal)) == (
        "NoSharesFit",
        "the smallest levels need 5 workstations together and there are 4",
    )


def test_products_decide_where_sums_of_float_logarithms_are_wrong():
    """Floats find more in log(3) three times than in log(27), or the other way round; exactly they are equal."""
    cube, steps = application((1, 1), (4, 27)), [application((1, 1), (2, 3))] * 3
    scaled = application((1, 1), (4, 27 * (1 + Fraction(1, 10**17))))

    assert divide_shares([cube, *steps], total=7).levels == (0, 1, 1, 1)
    assert divide_shares([scaled, *steps], total=7).levels == (1, 0, 0, 0)


def test_levels_decide_ties_beside_a_product_that_floats_cannot_distinguish():
    """Levels (0, 1, 1) are less by 1e-20 than (1, 0, 0) and (1, 2, 1), which are equal."""
    first = application((0, Fraction(1, 3)), (2, 1))
    second = application((1, 2), (2, 3 - Fraction(3, 10**20)), (0, 1))
    third = application((0, 1), (1, 2))

    assert divide_shares([first, second, third], total=3).levels == (1, 0, 0)


@pytest.mark.parametrize(
    ("count", "total", "exponents"),
    [
        pytest.param(40, 150, None, id="any speed-ups"),
        pytest.param(30, 90, (0, 1, 2), id="powers of two: ties everywhere"),
    ],
)
def test_large_divisions_agree_with_a_second_exact_method(count, total, exponents):
    rnd = seeded(count)
    applications = [
        [
            (size, Fraction(2) ** rnd.choice(exponents) if exponents else Fraction(rnd.randint(1, 10**6), 10**5))
            for size in (1, 3, 5, 9)
        ]
        for _ in range(count)
    ]
    divided = [application(*levels) for levels in applications]

    shares = divide_shares(divided, total=total)

    assert product_of(divided, shares.levels) == best_product(applications, total)
    assert shares.workstations <= total


def test_large_division_agrees_with_logarithms():
    rnd, total = seeded(7), 5000
    divided = [
        application(*((size, 1 + size ** (0.5 + rnd.random() / 2)) for size in (1, 2, 4, 8, 16, 32, 64)))
        for _ in range(200)
    ]

    shares = divide_shares(divided, total=total)

    table = np.zeros(total + 1)
    for one in divided:
        grown = np.full(total + 1, -np.inf)
        for size, speedup in zip(one.workstations, one.speedups, strict=True):
            grown[size:] = np.maximum(grown[size:], table[: total + 1 - size] + np.log(speedup))
        table = grown
    assert shares.value == pytest.approx(table[total], rel=1e-9)


speedups = st.sampled_from(sorted({Fraction(part, whole) for whole in range(1, 5) for part in range(1, 9 * whole + 1)}))


levels = st.lists(st.tuples(st.integers(0, 8), speedups), min_size=1, max_size=4)


groups = st.lists(levels.map(lambda each: application(*each)), min_size=1, max_size=6)


totals = st.integers(0, 30)


@given(groups, totals)
def test_another_workstation_never_hurts(applications, total):
    one, more = divide_shares(applications, total=total), divide_shares(applications, total=total + 1)

    if isinstance(one, Shares):
        assert product_of(applications, more.levels) >= product_of(applications, one.levels)


@given(groups, totals, st.randoms(use_true_random=False))
def test_order_of_applications_changes_no_product(applications, total, rnd):
    shuffled = rnd.sample(applications, len(applications))

    one, other = divide_shares(applications, total=total), divide_shares(shuffled, total=total)

    assert type(one) is type(other)
    if isinstance(one, Shares):
        assert product_of(applications, one.levels) == product_of(shuffled, other.levels)
        assert one.workstations == other.workstations


@given(groups, totals, speedups)
def test_unit_of_an_applications_speedups_changes_no_level(applications, total, unit):
    first, *rest = applications
    scaled = Levels(workstations=first.workstations, speedups=tuple(unit * speedup for speedup in first.speedups))

    one, other = divide_shares(applications, total=total), divide_shares([scaled, *rest], total=total)

    assert getattr(one, "levels", None) == getattr(other, "levels", None)


@pytest.mark.parametrize(
    ("build", "want_field"),
    [
        pytest.param(lambda: Levels(workstations=(), speedups=()), "workstations", id="no levels"),
        pytest.param(lambda: Levels(workstations=(1, 2), speedups=(1,)), "speedups", id="a speed-up is missing"),
        pytest.param(lambda: Levels(workstations=(1, -1), speedups=(1, 1)), "workstations[1]", id="fewer than none"),
        pytest.param(lambda: Levels(workstations=(1,), speedups=(0,)), "speedups[0]", id="no speed"),
        pytest.param(lambda: Levels(workstations=(1,), speedups=(math.inf,)), "speedups[0]", id="endless speed"),
        pytest.param(lambda: divide_shares([], total=-1), "total", id="fewer workstations than none"),
        pytest.param(lambda: divide_shares([application((0, 1), (10**8, 2))], total=10**8), "total", id="too many"),
    ],
)
def test_values_that_make_no_sense_are_refused_by_field(build, want_field):
    with pytest.raises(InvalidValueError) as refusal:
        build()

    assert refusal.value.field == want_field
