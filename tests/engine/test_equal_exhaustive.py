"""The choice of one group against a look at every group, with rationals, ties, windows and slots."""

import math
from fractions import Fraction

import pytest

from coschedule.groups.equal import Group, choose_equal
from coschedule.groups.goal import Goal, Objective
from coschedule.nodes import Node
from coschedule.work import TimesWork
from engine.brute.equal import Bid, Want, best_group
from engine.builders import seeded


def random_bid(rnd):
    start = Fraction(rnd.choice([0, 0, 0, 1, 2, rnd.randint(0, 6)]), rnd.choice([1, 1, 2, 3]))
    slowdowns = sorted(Fraction(rnd.randint(2, 8), rnd.choice([2, 3, 4])) for _ in range(rnd.choice([1, 1, 2, 3])))
    until = rnd.choice([None, None, start + Fraction(rnd.randint(0, 24), rnd.choice([1, 2, 3]))])
    return Bid(start, tuple(slowdowns), until)


def random_want(rnd):
    minimum = rnd.randint(1, 3)
    times = tuple(Fraction(rnd.randint(1, 20), rnd.choice([1, 2, 3])) for _ in range(rnd.randint(1, 6)))
    if rnd.random() < 0.5:
        times = tuple(Fraction(12, size) for size in range(1, 8))
    return Want(
        minimum=minimum,
        maximum=rnd.randint(minimum, 6),
        times=times,
        deadline=rnd.choice([None, None, Fraction(rnd.randint(1, 30), 2)]),
        fewest=rnd.random() < 0.3,
        price=rnd.choice([Fraction(0), Fraction(0), Fraction(1, 10), Fraction(1)]),
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


@pytest.mark.parametrize("seed", range(20))
def test_choice_equals_exhaustive_search(seed):
    rnd = seeded(seed)
    for _ in range(150):
        bids = [random_bid(rnd) for _ in range(rnd.randint(1, 5))]
        want = random_want(rnd)

        choice = choose_equal([as_node(bid) for bid in bids], TimesWork(times=want.times), as_goal(want))

        best = best_group(bids, want)
        if best is None:
            assert not isinstance(choice, Group), (bids, want, choice)
            continue
        assert isinstance(choice, Group), (bids, want, best, choice)
        assert (choice.finish, choice.size, choice.start) == (best.finish, best.size, best.start), (bids, want)
        assert choice.members == best.members, (bids, want)
        assert choice.speedup == want.times[0] / best.finish
