"""Why a group was chosen: what other sizes would have given.

Which node limits the group stands in the group itself: ``latest`` and ``slowest``.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from coschedule.groups.choice import Group, NoGroup
from coschedule.groups.goal import Goal
from coschedule.numbers import Scalar

Choose = Callable[[Goal], Group | NoGroup]
"""Chooses among the same nodes for the same work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """The best groups of other sizes within the goal's range; None where there is none.

    ``runner_up`` has the best of all other sizes, ``one_fewer`` and ``one_more`` one member less and more.
    """

    runner_up: Group | None
    one_fewer: Group | None
    one_more: Group | None


def why(group: Group, goal: Goal, choose: Choose) -> Why:
    """Compare a group that ``choose`` chose for ``goal`` with other sizes; four choices more, at the same cost each."""
    size = group.size
    fewer = _best(goal, choose, goal.minimum, size - 1)
    more = _best(goal, choose, size + 1, goal.maximum)
    return Why(
        runner_up=min((other for other in (fewer, more) if other), key=lambda other: _rank(other, goal), default=None),
        one_fewer=_best(goal, choose, max(size - 1, goal.minimum), size - 1),
        one_more=_best(goal, choose, size + 1, min(size + 1, goal.maximum)),
    )


def _best(goal: Goal, choose: Choose, minimum: int, maximum: int) -> Group | None:
    if maximum < minimum:
        return None
    chosen = choose(replace(goal, minimum=minimum, maximum=maximum))
    return chosen if isinstance(chosen, Group) else None


def _rank(group: Group, goal: Goal) -> tuple[Scalar, ...]:
    run = group.finish - group.start
    return goal.rank(
        value=group.finish + goal.price * group.size * run, finish=group.finish, size=group.size, start=group.start
    )
