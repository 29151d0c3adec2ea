"""Proportional load: each member works in proportion to its speed, and all end together [A 4].

Objective: over all gangs G of an allowed size P, minimise start(G) + P * T(P) / H(G). start(G) is the latest start, and
H(G) the sum of 1 / slow-down over all members. If overhead is not divided among members, the run time is the serial
work / H(G) plus the overhead (``model.divided_work``). With a price, the run time is multiplied by 1 + price * P.

Theorem: for a start and a size, only the largest H matters. Suppose that each further member on a node adds a positive
speed, at most that of the member before. Then the largest H is the sum of the P largest speeds on nodes that have
started.

There are three methods. If work divides evenly without overhead, all nodes that have started join, and sums by start
take O(Q) for Q nodes (``everyone``). Otherwise blocks of starts and speeds are bounded (``bounding``): H and P at the
corners of a block bound its run times (``fastest``, ``speed_bounds``). If a further member may add more speed than the
member before, sums are convolved node by node, in O(slots * sizes) (``convolved``). ``windows`` handles windows.

Ties: least value, then (with a price) earlier finish, then fewer members, then earlier start, then lowest indices.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

from coschedule.model.divided_work import Overhead, divided_work_of
from coschedule.model.goal import Goal, Objective
from coschedule.model.numbers import IntArray, Number, as_number
from coschedule.model.run_times import Work
from coschedule.problems.atallah.convolved import Convolved
from coschedule.problems.atallah.everyone import Everyone, everyone_joins
from coschedule.problems.atallah.fastest import Fastest
from coschedule.problems.atallah.gang import (
    ChosenGang,
    EndsTooLate,
    NeverFreeTogether,
    NoGang,
    NoRunTime,
    SlotChoice,
    TooFewSlots,
    speedup_of,
)
from coschedule.problems.atallah.held_nodes import HeldNodes, held_nodes_of
from coschedule.problems.atallah.node_columns import NodeColumns, columns_of_nodes
from coschedule.problems.atallah.slots import Slots
from coschedule.problems.atallah.speeds import are_regular
from coschedule.problems.atallah.windows import best_lasting
from coschedule.problems.node import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class ProportionalGang(ChosenGang):
    """``shares[m]`` is the part of the work of ``members[m]``; the sum is 1."""

    shares: tuple[Number, ...]


class Method(Protocol):
    """One of the three methods, for some nodes and sizes."""

    slots: Slots
    least_size: int

    def best(self, slots: Slots, goal: Goal) -> SlotChoice | None:
        """Return the best choice among ``slots``, without regard to windows; None if no size meets the goal."""

    def taken(self, slots: Slots, choice: SlotChoice) -> tuple[IntArray, IntArray]:
        """Return nodes, rising, and their members: of all gangs with this choice, the gang with the lowest indices."""


def choose_proportional(
    nodes: Sequence[Node] | NodeColumns, work: Work, goal: Goal, *, overhead: Overhead = Overhead.PER_MEMBER
) -> ProportionalGang | NoGang:
    """Choose the best gang for ``goal``; the module explains objective, methods, cost and ties. Source: [A 4].

    When all numbers are rational, arithmetic is exact, also at ties; otherwise it uses float64. InvalidValueError for
    measured times with an overhead per gang, as measured times do not separate work and overhead.
    """
    columns = nodes if isinstance(nodes, NodeColumns) else columns_of_nodes(nodes)
    exact = work.is_exact and goal.is_exact and columns.is_exact
    columns = (columns if exact else columns.as_floats()).up_to(goal.maximum)
    method = _method(columns, work, goal, overhead, exact=exact)
    if method is None:
        return _no_size(columns, goal)
    found = best_lasting(method.slots, goal, method.best)
    if found is None:
        return _too_late(method, goal)
    choice, lasting = found
    members = held_nodes_of(columns, *method.taken(lasting, choice))
    serial = (work.exact_times if exact else work.float_times)(1)[0]
    return ProportionalGang(
        finish=as_number(choice.finish),
        size=choice.size,
        members=members.names,
        start=as_number(choice.start),
        speedup=speedup_of(serial, choice.finish),
        latest=members.latest,
        slowest=members.slowest,
        shares=_shares(members, exact=exact),
    )


def _method(columns: NodeColumns, work: Work, goal: Goal, overhead: Overhead, *, exact: bool) -> Method | None:
    """Choose the method; None when no size may run."""
    total = int(columns.count.sum())
    if total >= goal.minimum and everyone_joins(work, columns, goal):
        return Everyone(columns, Fraction(work.serial) if exact else float(work.serial), goal.minimum)
    divided = divided_work_of(work, goal, overhead, slots=total, exact=exact)
    if not len(divided.sizes):
        return None
    return Fastest(columns, divided) if are_regular(columns) else Convolved(columns, divided)


def _shares(members: HeldNodes, *, exact: bool) -> tuple[Number, ...]:
    speeds = (Fraction(1) if exact else 1.0) / members.slowdown
    shares = speeds / (speeds * members.held).sum()
    return tuple(members.each(shares).tolist())


def _no_size(columns: NodeColumns, goal: Goal) -> TooFewSlots | NoRunTime:
    total = int(columns.count.sum())
    if total < goal.minimum:
        return TooFewSlots(needed=goal.minimum, slots=total)
    return NoRunTime(minimum=goal.minimum, maximum=goal.maximum)


def _too_late(method: Method, goal: Goal) -> EndsTooLate | NeverFreeTogether:
    """Return why no size meets the goal, with the relevant numbers."""
    unhurried = replace(goal, deadline=math.inf, objective=Objective.FINISH, price=0)
    soonest = best_lasting(method.slots, unhurried, method.best)
    if soonest is not None:
        return EndsTooLate(earliest_finish=as_number(soonest[0].finish), deadline=as_number(goal.deadline))
    unbroken = method.best(method.slots, unhurried)
    assert unbroken is not None, "there is a size and there are as many slots"
    return NeverFreeTogether(size=method.least_size, earliest_finish=as_number(unbroken.finish))
