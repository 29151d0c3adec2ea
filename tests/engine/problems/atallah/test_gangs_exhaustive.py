"""The choice of one group, of every load, against a check of every group: rationals, ties, idle nodes, slots.

2,000 instances of every load and wish. Source of the loads: [A] 2 to 4; windows, slots and wishes are not in [A].
"""

import math
from fractions import Fraction
from functools import partial

import pytest

from coschedule.model.divided_work import Overhead
from coschedule.model.goal import Goal, Objective
from coschedule.model.run_times import SerialWork, TimesWork
from coschedule.problems.atallah.equal import choose_equal
from coschedule.problems.atallah.gang import ChosenGang
from coschedule.problems.atallah.proportional import choose_proportional
from coschedule.problems.node import Node
from engine.brute.equal import Bid, Want, best_group, equal_load
from engine.brute.proportional import divided_load, shares_of, undivided_overhead
from engine.builders import seeded

INSTANCES = 2000
AMOUNT_LIMIT = 5
PER_GANG = partial(choose_proportional, overhead=Overhead.PER_GANG)


def halves(rnd, least, most):
    return Fraction(rnd.randint(least, most), rnd.choice((1, 2, 3)))


def random_slowdowns(rnd):
    """One slow-down whatever the members; or each further member adds half the speed of the one before; or any."""
    kind, members = rnd.randrange(3), rnd.choice((1, 1, 2))
    if kind == 0:
        return (halves(rnd, 2, 6),) * members
    if kind == 1:
        speed = halves(rnd, 1, 4)
        return tuple(count / sum(speed / 2**further for further in range(count)) for count in range(1, members + 1))
    return tuple(sorted(halves(rnd, 2, 6) for _ in range(members)))


def random_bid(rnd, *, windows):
    start = rnd.choice((Fraction(0), Fraction(0), Fraction(0), halves(rnd, 0, 6)))
    until = start + halves(rnd, 0, 24) if windows and rnd.random() < 0.7 else None
    return Bid(start, random_slowdowns(rnd), until)


def random_work(rnd):
    """Return work as the engine takes it, T(1), T(2), ... and what of each is overhead."""
    serial, overhead = halves(rnd, 4, 30), rnd.random() < 0.5
    fixed, each = (halves(rnd, 0, 3) if overhead else Fraction(0) for _ in range(2))
    overheads = [fixed + each * size for size in range(1, 2 * AMOUNT_LIMIT + 1)]
    times = [serial / size + overheads[size - 1] for size in range(1, 2 * AMOUNT_LIMIT + 1)]
    return SerialWork(serial=serial, fixed=fixed, per_member=each), times, overheads


def random_times(rnd):
    times = [halves(rnd, 1, 20) for _ in range(rnd.randint(1, AMOUNT_LIMIT))]
    return TimesWork(times=tuple(times)), times


def equal(rnd):
    work, times = random_times(rnd) if rnd.random() < 0.4 else random_work(rnd)[:2]
    return choose_equal, work, equal_load(times), times[0]


def proportional(rnd):
    work, times = random_times(rnd) if rnd.random() < 0.4 else random_work(rnd)[:2]
    return choose_proportional, work, divided_load(times), times[0]


def per_gang(rnd):
    work, times, overheads = random_work(rnd)
    return PER_GANG, work, undivided_overhead(work.serial, overheads), times[0]


def random_want(rnd, wish):
    minimum = rnd.choice((1, 1, 2, 3))
    return Want(
        minimum=minimum,
        maximum=rnd.choice((rnd.randint(minimum, AMOUNT_LIMIT), 2 * AMOUNT_LIMIT)),
        deadline=halves(rnd, 4, 40) if wish == "fewest" or rnd.random() < 0.2 else None,
        fewest=wish == "fewest",
        price=rnd.choice((Fraction(1, 10), Fraction(1, 3), Fraction(1))) if wish == "price" else Fraction(0),
    )


def as_node(bid):
    return Node(start=bid.start, slowdowns=bid.slowdowns, until=math.inf if bid.until is None else bid.until)


def as_goal(want):
    return Goal(
        minimum=want.minimum,
        maximum=want.maximum,
        deadline=math.inf if want.deadline is None else want.deadline,
        objective=Objective.FEWEST if want.fewest else Objective.FINISH,
        price=want.price,
    )


def members_slowdowns(bids, members):
    return [bids[member].slowdowns[members.count(member) - 1] for member in members]


@pytest.mark.parametrize(
    ("load", "wishes"),
    [
        pytest.param(equal, ["finish"], id="equal load"),
        pytest.param(equal, ["windows"], id="equal load, windows"),
        pytest.param(equal, ["fewest"], id="equal load, fewest members"),
        pytest.param(equal, ["price"], id="equal load, price"),
        pytest.param(proportional, ["finish"], id="proportional load"),
        pytest.param(proportional, ["windows"], id="proportional load, windows"),
        pytest.param(proportional, ["fewest", "price"], id="proportional load, fewest members or price"),
        pytest.param(per_gang, ["finish", "windows", "fewest", "price"], id="overhead of the gang, any wish"),
    ],
)
def test_choice_equals_exhaustive_search(load, wishes):
    rnd = seeded(f"{load.__name__} {wishes}")
    for _ in range(INSTANCES):
        wish = rnd.choice(wishes)
        bids = [random_bid(rnd, windows=wish == "windows" or rnd.random() < 0.1) for _ in range(rnd.randint(1, 4))]
        choose, work, run_time, alone = load(rnd)
        want = random_want(rnd, wish)

        choice = choose([as_node(bid) for bid in bids], work, as_goal(want))

        best = best_group(bids, want, run_time)
        if best is None:
            assert not isinstance(choice, ChosenGang), (bids, work, want, choice)
            continue
        assert isinstance(choice, ChosenGang), (bids, work, want, best)
        assert (choice.finish, choice.size, choice.start) == best[1:4], (bids, work, want, best)
        assert choice.members == best.members, (bids, work, want)
        assert choice.speedup == alone / best.finish
        if load is not equal:
            assert choice.shares == shares_of(members_slowdowns(bids, best.members))
