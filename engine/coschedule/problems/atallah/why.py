"""Why a gang was chosen: the best gangs of other sizes."""

from collections.abc import Callable
from dataclasses import replace

from coschedule.model.goal import Goal
from coschedule.model.numbers import Scalar
from coschedule.problems.atallah.gang import ChosenGang, NoGang
from coschedule.problems.other_sizes import Why, compare_sizes

Choose = Callable[[Goal], ChosenGang | NoGang]
"""Chooses among the same nodes for the same work."""


def why(gang: ChosenGang, goal: Goal, choose: Choose) -> Why[ChosenGang]:
    """Compare a gang that ``choose`` chose for ``goal`` with other sizes; this takes up to four calls of ``choose``."""

    def best(minimum: int, maximum: int) -> ChosenGang | None:
        chosen = choose(replace(goal, minimum=minimum, maximum=maximum))
        return chosen if isinstance(chosen, ChosenGang) else None

    def rank(other: ChosenGang) -> tuple[Scalar, ...]:
        value = other.finish + goal.price * other.size * (other.finish - other.start)
        return goal.rank(value=value, finish=other.finish, size=other.size, start=other.start)

    return compare_sizes(gang.size, smallest=goal.minimum, largest=goal.maximum, best=best, rank=rank)
