"""The choice under a proportional load against a look at every group, with rationals, ties, windows and slots."""

import math
from fractions import Fraction

import pytest

from coschedule.groups.goal import Goal, Objective
from coschedule.groups.loads import Overhead
from coschedule.groups.proportional import SharedGroup, choose_proportional
from coschedule.nodes import Node
from coschedule.work import SerialWork, TimesWork
from engine.brute.equal import Bid, Want
from engine.brute.proportional import Load, best_shared_group
from engine.builders import seeded

MOST = 6


def random_bid(rnd, shape):
    start = Fraction(rnd.choice([0, 0, 0, 1, 2, rnd.randint(0, 6)]), rnd.choice([1, 1, 2, 3]))
    until = rnd.choice([None, None, start + Fraction(rnd.randint(0, 24), rnd.choice([1, 2, 3]))])
    if shape == "any":
        slowdowns = sorted(Fraction(rnd.randint(2, 8), rnd.choice([2, 3, 4])) for _ in range(rnd.choice([1, 1, 2, 3])))
    elif shape == "falling":
        speed, slowdowns = Fraction(rnd.randint(2, 6), 3), []
        for members in range(1, rnd.choice([1, 2, 3]) + 1):
            slowdowns.append(members / sum(speed / 2**further for further in range(members)))
    else:
        slowdowns = [Fraction(rnd.randint(2, 8), rnd.choice([2, 3, 4]))] * rnd.choice([1, 1, 2, 3])
    return Bid(start, tuple(slowdowns), until)


def random_load(rnd):
    """Return work as the engine takes it and as the definition has it, and who has the overhead."""
    kind = rnd.choice(["even", "even", "overhead", "overhead", "times"])
    if kind == "times":
        times = tuple(Fraction(rnd.randint(1, 20), rnd.choice([1, 2, 3])) for _ in range(rnd.randint(1, MOST)))
        return TimesWork(times=times), Load(times, Fraction(0), (), per_gang=False)
    serial = Fraction(rnd.randint(4, 40), rnd.choice([1, 2, 3]))
    fixed, each = (Fraction(rnd.randint(0, 6), 3) if kind == "overhead" else Fraction(0) for _ in range(2))
    overheads = tuple(fixed + each * size for size in range(1, MOST + 1))
    times = tuple(serial / size + overheads[size - 1] for size in range(1, MOST + 1))
    work = SerialWork(serial=serial, fixed=fixed, per_member=each)
    return work, Load(times, serial, overheads, per_gang=rnd.random() < 0.4)


def random_want(rnd):
    minimum = rnd.choice([1, 1, 2, 3])
    return Want(
        minimum=minimum,
        maximum=rnd.randint(minimum, MOST),
        times=(),
        deadline=rnd.choice([None, None, Fraction(rnd.randint(1, 30), 2)]),
        fewest=rnd.random() < 0.3,
        price=rnd.choice([Fraction(0), Fraction(0), Fraction(0), Fraction(1, 10), Fraction(1)]),
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


@pytest.mark.parametrize("shape", ["equal", "falling", "any"])
@pytest.mark.parametrize("seed", range(10))
def test_choice_equals_exhaustive_search(seed, shape):
    rnd = seeded(f"{seed} {shape}")
    for _ in range(80):
        bids = [random_bid(rnd, shape) for _ in range(rnd.randint(1, 5))]
        want = random_want(rnd)
        work, load = random_load(rnd)
        overhead = Overhead.PER_GANG if load.per_gang else Overhead.PER_MEMBER

        choice = choose_proportional([as_node(bid) for bid in bids], work, as_goal(want), overhead=overhead)

        best = best_shared_group(bids, want, load)
        if best is None:
            assert not isinstance(choice, SharedGroup), (bids, want, load, choice)
            continue
        assert isinstance(choice, SharedGroup), (bids, want, load, best, choice)
        assert (choice.finish, choice.size, choice.start) == (best.finish, best.size, best.start), (bids, want, load)
        assert choice.members == best.members, (bids, want, load)
        assert choice.shares == best.shares
        assert choice.speedup == load.times[0] / best.finish
