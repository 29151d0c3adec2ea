"""The division of nodes among gangs of unknown work whose speeds were measured, as in the share auction [C 5.7].

Objective: the largest sum of the logarithms of speeds, as in ``problems/shum/shares``. Each change counts as if it made
its gang ``CHANGE_COST`` times slower for good. Speeds are relative to the present ones (``unit_times``). A gang that is
not measured takes idle seats only. Its speed is assumed to grow as the number of its members to the power
``USUAL_POWER``.

Method: a knapsack (``knapsack``) over the sizes of all gangs with the same seats and priority, and the idle seats. It
is exact if up to ``MOST_SEATS`` seats may change hands. If nodes have several speeds, each try uses only the idle seats
up to a limit of the slow-down. Each try chooses nodes and computes the sum with these nodes. The best try is taken. If
no try increases the sum, nothing changes.

Seats that a gang gives up are free when its members have left. A gang that needs them grows with a later plan.

The auction itself moves gangs level by level. In simulations it needed up to six times as many changes, and the mean
turnaround was from 1 % shorter to 4 % longer.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, product
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.problem.size_change import SizeChange, SizeReason
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs.open_ended_run import OpenEndedRun
from coschedule.resizing.gangs.sized_run import SeatKind
from coschedule.resizing.knapsack import SizeOptions, best_options
from coschedule.resizing.options import MOST_SIZES
from coschedule.resizing.seats import closes_to_new, idle_seats, seats_without
from coschedule.resizing.sizes import MOST_GANGS
from coschedule.resizing.turns import in_turn, next_turn
from coschedule.resizing.unit_times import relative_speeds

CHANGE_COST = 1.1
"""A gang that stops for two minutes, a usual restart time, in every twenty minutes is about 1.1 times slower."""
MOST_SEATS = 1024
"""Up to this number of seats are divided exactly. More seats are divided in units of several seats."""
_MOST_LIMITS = 4


class _Bidder(NamedTuple):
    """A gang and the sizes that it may get; the first is its present size.

    Size ``k`` takes ``options.seats[k]`` seats and is ``speeds[k]`` times as fast on equal nodes.
    """

    run: OpenEndedRun
    sizes: IntArray
    speeds: FloatArray
    options: SizeOptions


class _Given(NamedTuple):
    """The nodes that a gang gets; on these it is ``speed`` times as fast as now. ``added`` are the new nodes."""

    run: OpenEndedRun
    nodes: list[int]
    added: list[int]
    speed: float


class _Division(NamedTuple):
    """The gangs that change, and the seats that some give up; ``gain`` is the increase of the objective."""

    given: Sequence[_Given]
    given_up: frozenset[int]
    gain: float


def takes_part(runs: Iterable[OpenEndedRun]) -> list[OpenEndedRun]:
    """Return the gangs whose nodes are divided: no size is asked of them, and their end is unknown.

    Return [] if none of them is measured.
    """
    able = [run for run in runs if run.end == math.inf and run.asked is None]
    return able if any(run.is_measured for run in able) else []


def others_have_their_turn(runs: Iterable[OpenEndedRun], now: float) -> float:
    """Return when other gangs with equal seats take part, inf for never; ``MOST_GANGS`` gangs take part at a time."""
    return next_turn(takes_part(runs), now, MOST_GANGS)


def divided(
    snapshot: Snapshot, seat: SeatKind, runs: Sequence[OpenEndedRun], is_idle: BoolArray
) -> Iterator[tuple[SizeChange, IntArray]]:
    """List the changes of gangs with equal seats, and the nodes that each adds; more urgent gangs choose first.

    If a priority has many gangs, ``MOST_GANGS`` of them take part, in turn. So a gang that gains nothing does not
    exclude others for ever. ``is_idle`` is True for nodes that no gang waits for. Gangs exchange only seats on these
    nodes.
    """
    closes = closes_to_new(snapshot, interruptible=all(run.may_be_interrupted for run in runs))
    open_long = np.where(closes == math.inf, snapshot.start, math.inf)
    beside = replace(snapshot, start=open_long)
    seats = np.array(list(idle_seats(beside, seat, [run.sizes for run in runs])), dtype=np.int64)
    idle = seats[np.argsort(snapshot.slowdown[seats], kind="stable")]
    for _, equals in groupby(sorted(runs, key=_urgency), key=lambda run: run.priority):
        some = in_turn(list(equals), snapshot.now, MOST_GANGS)
        tries = product(_ways(some, is_idle), _limits(snapshot, idle))
        best = max((_with_limit(snapshot, bidders, idle, limit) for bidders, limit in tries), key=_gain)
        given = best.given if best.gain > 0 else ()
        idle = _without(idle, [node for one in given for node in one.added])
        for one in given:
            if best.given_up.isdisjoint(one.added):
                yield _change(one), np.array(one.added, dtype=np.int64)


def _urgency(run: OpenEndedRun) -> tuple[int, float, str, str]:
    return -run.priority, run.changed, *run.key


def _gain(division: _Division) -> float:
    return division.gain


def _without(idle: IntArray, taken: Sequence[int]) -> IntArray:
    return np.array(seats_without(idle.tolist(), taken), dtype=np.int64) if taken else idle


def _limits(snapshot: Snapshot, idle: IntArray) -> list[float]:
    """List the slow-downs up to which idle seats are used; with the first one, 0, no idle seat is used."""
    slowdowns = np.unique(snapshot.slowdown[idle])
    if len(slowdowns) > _MOST_LIMITS:
        slowdowns = slowdowns[np.linspace(0, len(slowdowns) - 1, _MOST_LIMITS).round().astype(np.int64)]
    limits: list[float] = slowdowns.tolist()
    return [0.0, *limits]


def _ways(runs: Sequence[OpenEndedRun], is_idle: BoolArray) -> Iterator[Sequence[_Bidder]]:
    """Yield the gangs of each way to divide: measured gangs exchange seats, or all gangs share idle seats.

    No gang gives seats on nodes that other gangs wait for. No gang gives seats to a gang that is not measured. A later
    plan might not know that the seats were meant for this gang.
    """
    yield [_bidder(run, exchanges=bool(is_idle[list(run.nodes)].all())) for run in runs if run.is_measured]
    if not all(run.is_measured for run in runs):
        yield [_bidder(run, exchanges=False) for run in runs]


def _bidder(run: OpenEndedRun, *, exchanges: bool) -> _Bidder:
    """Return a gang with the sizes that it may get. If it ``exchanges`` no seats, it shrinks only to become faster."""
    sizes = _few(run, run.sizes.between(1, run.largest))
    speeds = relative_speeds(run.unit_times, sizes, present=run.size, others=run.fixed_working)
    worths = np.log(speeds) - math.log(CHANGE_COST)
    may_shrink = run.is_measured & (exchanges | (worths > 0))
    may_be = np.where(sizes < run.size, may_shrink, (sizes > run.size) & (speeds >= _least_growth(run)))
    seats = sizes if exchanges else np.maximum(sizes, run.size)
    options = SizeOptions(np.append(run.size, seats[may_be]), np.append(0.0, worths[may_be]))
    return _Bidder(run, np.append(run.size, sizes[may_be]), np.append(1.0, speeds[may_be]), options)


def _least_growth(run: OpenEndedRun) -> float:
    """Return how many times as fast a gang must become to get more members."""
    return CHANGE_COST if run.is_measured else run.least_growth


def _few(run: OpenEndedRun, sizes: IntArray) -> IntArray:
    """Return ``MOST_SIZES`` of the sizes, spread by ratio, and the sizes with a unit time; or all if they are fewer."""
    if len(sizes) <= MOST_SIZES:
        return sizes
    spread = np.geomspace(sizes[0], sizes[-1], MOST_SIZES)
    places = np.abs(sizes[:, np.newaxis] - spread).argmin(axis=0)
    measured = np.flatnonzero(np.isin(sizes, [one.size for one in run.unit_times]))
    few: IntArray = sizes[np.union1d(places, measured)]
    return few


def _with_limit(snapshot: Snapshot, bidders: Sequence[_Bidder], idle: IntArray, limit: float) -> _Division:
    """Divide the seats that these gangs can give up, and the ``idle`` seats of a slow-down up to ``limit``."""
    usable = idle[: int(np.searchsorted(snapshot.slowdown[idle], limit, side="right"))]
    given_up = sum(one.run.size - int(one.options.seats.min()) for one in bidders)
    unit = -(-(given_up + len(usable)) // MOST_SEATS) or 1
    items = [_in_units(one, unit) for one in bidders]
    chosen = best_options(items, len(usable) // unit + sum(int(one.seats[0]) for one in items))
    assert chosen is not None, "all gangs have room as they are"
    changing = [(one, option) for one, option in zip(bidders, chosen, strict=True) if option]
    return _on_nodes(snapshot, changing, usable)


def _in_units(one: _Bidder, unit: int) -> SizeOptions:
    """Return the options with their seats in units, counted from the option with the fewest seats.

    Added seats are rounded up, and seats that are given up are rounded down.
    """
    units = -(-(one.options.seats - one.run.size) // unit)
    return SizeOptions(units - units.min(), one.options.worths)


def _on_nodes(snapshot: Snapshot, changing: Sequence[tuple[_Bidder, int]], idle: IntArray) -> _Division:
    """Choose nodes: the gang that gains most gets the fastest. Equally fast nodes come in order, idle ones first."""
    given, given_up = list[_Given](), list[int]()
    for one, option in changing:
        if one.sizes[option] < one.run.size:
            own = one.run.seats_to_keep(snapshot.slowdown, snapshot.until)
            kept, left = own[: one.sizes[option]], own[one.sizes[option] :]
            given.append(_given(snapshot, one, option, kept, []))
            given_up += left if one.options.seats[option] < one.run.size else []
    later, taken = frozenset(given_up), sum(max(int(one.sizes[option]) - one.run.size, 0) for one, option in changing)
    free = sorted([*idle[:taken].tolist(), *given_up], key=lambda node: (snapshot.slowdown[node], node in later, node))
    for one, option in sorted(changing, key=lambda item: -float(item[0].speeds[item[1]])):
        if one.sizes[option] > one.run.size:
            added, free = free[: one.sizes[option] - one.run.size], free[one.sizes[option] - one.run.size :]
            given.append(_given(snapshot, one, option, [*one.run.nodes, *added], added))
    return _Division(given, later, _gain_of(given))


def _given(snapshot: Snapshot, one: _Bidder, option: int, nodes: list[int], added: list[int]) -> _Given:
    pace = one.run.pace_on(one.run.nodes, snapshot.slowdown) / one.run.pace_on(nodes, snapshot.slowdown)
    return _Given(one.run, nodes, added, float(one.speeds[option]) * pace)


def _gain_of(given: Sequence[_Given]) -> float:
    """Return the gain on the chosen nodes; -inf if a gang that grows gains too little on its nodes."""
    if any(one.added and one.speed < _least_growth(one.run) for one in given):
        return -math.inf
    return math.fsum(math.log(one.speed / CHANGE_COST) for one in given)


def _change(one: _Given) -> SizeChange:
    made = one.run.change_to(one.nodes, one.run.end_after_change)
    if not one.run.is_measured:
        return made._replace(because=SizeReason.IDLE_NODES)
    return made._replace(because=SizeReason.MEASURED_SPEEDS, speed=one.speed)
