"""The choice of sizes for gangs that run and gangs that wait.

Problem: some gangs run, others wait, and there is a number of seats. For each running gang choose its present size or
another one. For each waiting gang choose a size, or let it wait. Maximise the objective (``worth``). No gang that runs
is stopped.

Method: try a few limits, which are slow-downs of nodes. For each limit, use only nodes up to this slow-down, and choose
sizes by an exact knapsack (``knapsack``). There, gangs that grow or start count as if all their nodes were as slow as
the limit. Then give them real nodes, and compute the gain on these. If a gang finds too few nodes, choose again: the
gang gets at most the largest size with enough nodes. If it fails again, it does not grow or start. Take the limit with
the greatest gain. On equal nodes without windows there is one limit, and the choice is exact. On other nodes, it is the
best of the choices that were tried. A choice never reduces the objective, unless a gang must start, a size is asked of
a gang, or a gang would miss its deadline.

A gang may change its size if its last change is long enough ago and it would run for ``LEAST_RESTARTS`` times its
restart time. With a restart time of two minutes, this is an hour. Shorter gangs soon end anyway. A shorter gang may
change only if a gang must start, or if a size is asked of it. At most ``MOST_GANGS`` gangs take part: the gangs of the
greatest weight, and ``MOST_IN_TURN`` others, in turn (``turns``). So gangs that gain nothing do not exclude others for
ever. Gangs that take no part stay as they are.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.size_change import SizeChange
from coschedule.resizing.assign import Assigned, Chosen, assign, pace_on
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.size_plan import RunSeats, SizedStart, SizePlan, WaitingGang
from coschedule.resizing.knapsack import FirstItems, best_options
from coschedule.resizing.options import ASKED_GAIN, Sized, options_of_run, options_of_waiting
from coschedule.resizing.short_gangs import ShortRoom, leaves_room
from coschedule.resizing.turns import in_turn, next_turn
from coschedule.resizing.worth import worth_of

MOST_GANGS = 60
MOST_IN_TURN = 15
"""The gangs among these that take part in turn, if there are more than ``MOST_GANGS``."""
MOST_LIMITS = 8
"""The most limits that are tried; on nodes of more speeds, they are spread evenly over the speeds."""
_MOST_TRIES = 6


class SizeQuestion(NamedTuple):
    """The seats and gangs at ``now``; the waiting gangs in ``must_start`` must start.

    If no gang must start, longer gangs leave some seats to short gangs (``room``).
    """

    now: float
    seats: RunSeats
    runs: Sequence[ElasticRun]
    waiting: Sequence[WaitingGang]
    must_start: frozenset[GangKey] = frozenset()
    room: ShortRoom = ShortRoom()


def choose_sizes(question: SizeQuestion) -> SizePlan | None:
    """Return the best choice of all sizes; None if no limit lets all gangs of ``must_start`` start.

    Guarantees: each gang gets a size that it may have. A gang that changes or starts gets a seat for each member, on
    nodes whose windows stay open until it ends. The gain is negative only if a gang must start. The same question gives
    the same answer.
    """
    front = _front(question)
    plans = [plan for limit in _limits(front) if (plan := _with_limit(front, limit)) is not None]
    if not question.must_start:
        plans.append(SizePlan())
    return max(plans, key=lambda plan: plan.gain, default=None)


def others_have_their_turn(question: SizeQuestion) -> float:
    """Return when other gangs take part, inf for never: all gangs that may take part do so now."""
    return next_turn(_able(question), question.now, MOST_GANGS)


def _front(question: SizeQuestion) -> SizeQuestion:
    """Leave out runs that may not change, and all but ``MOST_GANGS`` gangs: the first by rank, and others in turn."""
    gangs = _able(question)
    if len(gangs) > MOST_GANGS:
        ranked = sorted(gangs, key=lambda gang: (*_rank(question, gang), gang.key))
        first, others = ranked[: MOST_GANGS - MOST_IN_TURN], ranked[MOST_GANGS - MOST_IN_TURN :]
        gangs = [*first, *in_turn(sorted(others, key=lambda gang: gang.key), question.now, MOST_IN_TURN)]
    return question._replace(
        runs=[one for one in gangs if isinstance(one, ElasticRun)],
        waiting=[one for one in gangs if isinstance(one, WaitingGang)],
    )


def _able(question: SizeQuestion) -> list[ElasticRun | WaitingGang]:
    """List the runs that may change their size, and the gangs that wait."""
    now, must = question.now, bool(question.must_start)
    runs = (run for run in question.runs if _may_change(run, now, must=must))
    return [*runs, *question.waiting]


def _may_change(run: ElasticRun, now: float, *, must: bool) -> bool:
    return (must or run.is_due or run.end - now >= run.least_rest) and run.may_change_at <= now


def _rank(question: SizeQuestion, gang: ElasticRun | WaitingGang) -> tuple[bool, bool, float]:
    """Return the rank of a gang; gangs of the lowest ranks always take part in the choice.

    Gangs that must start come first. If there is such a gang, all runs come next. Otherwise runs of which another size
    is asked come next, if there are enough idle seats for this size. All other gangs come last. In each of these
    classes, gangs of greater weight come first.
    """
    left = gang.left if isinstance(gang, ElasticRun) else 1.0
    worth = worth_of(gang.sizes, gang.shared, left=left, age=question.now - gang.created)
    makes_room = isinstance(gang, ElasticRun) and (bool(question.must_start) or _is_asked_and_possible(question, gang))
    must_start = gang.key in question.must_start
    return not must_start, not (makes_room or must_start), -worth.weight


def _is_asked_and_possible(question: SizeQuestion, run: ElasticRun) -> bool:
    """Return whether another size is asked of a run, and there are enough idle seats for it."""
    return run.is_due and run.asked is not None and run.asked - run.size <= len(question.seats.idle)


def _limits(question: SizeQuestion) -> list[float]:
    """List the limits to try: the slow-downs of all nodes with seats, or ``MOST_LIMITS`` of them."""
    nodes = [*question.seats.idle, *(node for run in question.runs for node in run.nodes)]
    slowdowns = np.unique(question.seats.slowdown[nodes])
    if len(slowdowns) > MOST_LIMITS:
        slowdowns = slowdowns[np.linspace(0, len(slowdowns) - 1, MOST_LIMITS).round().astype(np.int64)]
    limits: list[float] = slowdowns.tolist()
    return limits


def _with_limit(question: SizeQuestion, limit: float) -> SizePlan | None:
    """Choose sizes on nodes of a slow-down up to ``limit``; None if a gang that must start cannot, or tries run out."""
    most = dict[GangKey, int]()
    for _ in range(_MOST_TRIES):
        chosen = _chosen(question, limit, most)
        if chosen is None:
            return None
        assigned = assign(chosen, question.seats, now=question.now, limit=limit)
        if not assigned.failed:
            return _plan(question, assigned)
        most |= {key: 0 if key in most else size for key, size in assigned.failed.items()}
    return None


def _chosen(question: SizeQuestion, limit: float, most: Mapping[GangKey, int]) -> list[Chosen] | None:
    """Solve the knapsack; None if a gang that must start cannot start.

    A gang in ``most`` grows or starts only up to the size that it has there.
    """
    now, seats = question.now, question.seats
    own = (node for run in question.runs for node in run.nodes)
    count = sum(float(seats.slowdown[node]) <= limit for node in (*seats.idle, *own))
    sized = [
        options_of_run(run, seats, now=now, limit=limit, most=most.get(run.key, run.sizes.maximum))
        for run in question.runs
    ]
    sized += [
        options_of_waiting(
            gang,
            now=now,
            limit=limit,
            most=min(count, most.get(gang.key, count)),
            must_start=gang.key in question.must_start,
        )
        for gang in question.waiting
        if most.get(gang.key) != 0
    ]
    if any(most.get(key) == 0 for key in question.must_start) or not all(len(one.sizes) for one in sized):
        return None
    sized, first = _longer_first(question, sized, count)
    options = best_options([one.options for one in sized], count, first)
    if options is None:
        return None
    return [Chosen(one, int(one.sizes[option])) for one, option in zip(sized, options, strict=True)]


def _longer_first(question: SizeQuestion, sized: list[Sized], count: int) -> tuple[list[Sized], FirstItems | None]:
    """Return the longer gangs before the short ones, and the limit of the longer gangs' seats.

    The limit is None if they leave no room.

    Longer gangs keep the seats that they have, and get idle seats except those that are left to short gangs.
    """
    room = question.room
    if not room.idle or question.must_start:
        return sized, None
    longer = [one for one in sized if leaves_room(one, room)]
    short = [one for one in sized if not leaves_room(one, room)]
    held = sum(int(one.options.seats[0]) for one in longer)
    more = max(len(question.seats.idle) - room.idle, 0)
    return [*longer, *short], FirstItems(len(longer), min(held + more, count))


def _plan(question: SizeQuestion, assigned: Assigned) -> SizePlan:
    gain = sum(_gain(question, one, found) for one, found in assigned.given)
    return SizePlan(
        tuple(_change(one.run, found) for one, found in assigned.given if one.run is not None),
        tuple(found for one, found in assigned.given if one.run is None),
        gain,
    )


def _gain(question: SizeQuestion, one: Chosen, found: SizedStart) -> float:
    """Return the worth of a gang on its chosen nodes minus its worth without a change, which is 0 if it waits.

    A change that the gang wants counts as a gain of at least ``ASKED_GAIN`` of the worth without the change.
    """
    size, pace = np.array([one.size]), np.array([pace_on(one.run, found.nodes, question.seats.slowdown)])
    if one.run is None:
        return float(one.sized.worth.of(size, pace)[0])
    before, pauses = float(one.sized.options.worths[0]), np.array([one.run.terms.restart_time])
    gain = float(one.sized.worth.of(size, pace, pauses, one.run.terms.horizon)[0]) - before
    return max(gain, ASKED_GAIN * before) if one.run.wants(found.end) else gain


def _change(run: ElasticRun, found: SizedStart) -> SizeChange:
    return run.change_to(found.nodes, found.end)
