"""Windows that close, for any load, by a few searches that ignore windows.

Theorem: let no allowed gang end before f. Then nodes that close before f hold no member, and dropping them changes
nothing. Take the best gang on the remaining nodes, ignoring windows. If it ends before any of them closes, it is the
best of all. So with the least finish as objective: search, drop the nodes that close before the finish found, and
search again. The finish never falls, and each round drops a node. The first finish before all closings is the answer.

With a price or with the fewest members as objective, the best gang may not be the gang that ends first. Let r be the
time at which the first node closes. Gangs that use this node must end by r, so one search has the deadline r. All other
gangs do not use this node, so another search leaves it out.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from coschedule.model.goal import Goal, Objective
from coschedule.problems.atallah.gang import SlotChoice, is_plain
from coschedule.problems.atallah.slots import Slots

Search = Callable[[Slots, Goal], SlotChoice | None]
"""Finds the best choice for a goal among some slots, ignoring windows."""


def best_lasting(slots: Slots, goal: Goal, search: Search) -> tuple[SlotChoice, Slots] | None:
    """Return the best choice whose slots stay open until it ends, and the slots it may use; None if there is none."""
    best: tuple[SlotChoice, Slots] | None = None
    lasting = slots
    while (choice := search(lasting, goal)) is not None:
        if best is not None and best[0].rank(goal) <= choice.rank(goal):
            return best
        outlasts = (lasting.until >= choice.finish).astype(np.bool_)
        if outlasts.all():
            return choice, lasting
        narrowed = lasting.where(outlasts)
        if is_plain(goal):
            lasting = narrowed
            continue
        best = _better(best, _within(narrowed, choice, goal, search), goal)
        lasting, found = _without_the_first(lasting, goal, search)
        best = _better(best, found, goal)
    return best


def _within(narrowed: Slots, choice: SlotChoice, goal: Goal, search: Search) -> tuple[SlotChoice, Slots] | None:
    """Return a choice as good as ``choice`` among the ``narrowed`` slots, with these slots; None if there is none."""
    again = search(narrowed, goal)
    return (again, narrowed) if again is not None and again.rank(goal) == choice.rank(goal) else None


def _without_the_first(lasting: Slots, goal: Goal, search: Search) -> tuple[Slots, tuple[SlotChoice, Slots] | None]:
    """Return the slots without those that close before any gang ends.

    If there are no such slots, return the slots without those that close first. In this case, also return the best
    choice that ends before the first closing.
    """
    soonest = search(lasting, replace(goal, objective=Objective.FINISH, price=0))
    if soonest is None:
        return lasting.where(np.zeros(len(lasting.until), dtype=np.bool_)), None
    narrowed = lasting.where((lasting.until >= soonest.finish).astype(np.bool_))
    if len(narrowed.node) < len(lasting.node):
        return narrowed, None
    first = lasting.until.min()
    found = search(lasting, replace(goal, deadline=min(goal.deadline, first)))
    return lasting.where((lasting.until > first).astype(np.bool_)), None if found is None else (found, lasting)


def _better(
    one: tuple[SlotChoice, Slots] | None, other: tuple[SlotChoice, Slots] | None, goal: Goal
) -> tuple[SlotChoice, Slots] | None:
    if one is None or other is None:
        return one or other
    return min(one, other, key=lambda found: found[0].rank(goal))
