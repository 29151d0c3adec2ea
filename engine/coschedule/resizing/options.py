"""The sizes that a gang may get, with the seats that each size takes and its worth on nodes up to some slow-down."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.problem.price import Price
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.size_plan import RunSeats, WaitingGang
from coschedule.resizing.knapsack import SizeOptions
from coschedule.resizing.worth import Worth, worth_of

MOST_SIZES = 20
"""The most sizes of one gang that are compared. If there are more, they are spread evenly by ratio."""
ASKED_GAIN = 1e-6
"""A wanted size is worth at least 1 + ``ASKED_GAIN`` times as much as the present size.

This difference is so small that it decides only if no other gang gains from the seats.
"""


class Sized(NamedTuple):
    """A gang and its options: option ``k`` has ``sizes[k]`` members, 0 to wait.

    The first option of a run is its present size. The first option of a waiting gang is to wait, unless the gang must
    start.
    """

    gang: ElasticRun | WaitingGang
    worth: Worth
    sizes: IntArray
    options: SizeOptions


def options_of_run(run: ElasticRun, seats: RunSeats, *, now: float, limit: float, most: int) -> Sized:
    """List the sizes that a run may get; the first option is its present size.

    The run grows to ``most`` members at most. Only nodes of a slow-down up to ``limit`` have seats. At a smaller size,
    the run keeps its first ``seats_to_keep``. At a larger size, it counts as if it kept all its nodes. Its slow-down
    there is ``limit``, or that of a slower member that it ``keeps``. Fixed members bound the pace, and take no seats.
    A size is left out if a node that the run keeps closes before the run ends.

    If another size is asked of the run, only this size and the present size are listed. The asked size is worth at
    least slightly more than the present size. So the run changes if no other gang gains from the seats. If the present
    size misses a deadline, the size with the fewest members that meets it is worth slightly more too. A run that meets
    its deadline gets no more members, and no size that misses the deadline.
    """
    worth = worth_of(run.sizes, run.shared, left=run.left, age=now - run.created)
    own = np.array(run.seats_to_keep(seats.slowdown, seats.until))
    others = _others(run, worth, most=max(most, run.size - 1))
    sizes = np.concatenate(([run.size], others[others != run.size]))
    paces = np.array([_pace(run, size, own, limit, seats.slowdown) for size in sizes.tolist()])
    pauses = np.where(sizes == run.size, 0.0, run.terms.restart_time)
    ends = now + pauses + worth.rests(sizes, paces)
    worths = _preferring_wanted(run, worth.of(sizes, paces, pauses, run.terms.horizon), ends)
    taken = _seats_taken(run, sizes, seats.slowdown[own] <= limit)
    may_be = np.isfinite(ends) & (ends <= _closes(run, sizes, seats.until[own]).clip(max=run.closes(seats.until)))
    if run.deadline is not None and run.asked is None:
        may_be &= _by_deadline(run, run.deadline, sizes, ends)
    may_be[0] = True
    return Sized(run, worth, sizes[may_be], SizeOptions(taken[may_be], worths[may_be]))


def _preferring_wanted(run: ElasticRun, worths: FloatArray, ends: FloatArray) -> FloatArray:
    """Return the worths, where each wanted size is worth slightly more than the present size, the first one."""
    is_wanted = np.array([run.wants(end) for end in ends.tolist()])
    is_wanted[0] = False
    return np.where(is_wanted, np.maximum(worths, worths[0] * (1 + ASKED_GAIN)), worths)


def _seats_taken(run: ElasticRun, sizes: IntArray, is_within: NDArray[np.bool_]) -> IntArray:
    """Return how many seats within the limit of the slow-down each size takes.

    ``is_within[i]`` says whether the run's i-th seat is within the limit.
    """
    counted = np.concatenate(([0], np.cumsum(is_within)))
    beyond = run.size - int(counted[-1]) if run.keeps else 0
    taken: IntArray = np.where(sizes > run.size, sizes - beyond, counted[np.minimum(sizes, run.size)])
    return taken


def _closes(run: ElasticRun, sizes: IntArray, until: FloatArray) -> FloatArray:
    """Return for each size when the first node that the run then keeps closes; seat i closes at ``until[i]``."""
    closes: FloatArray = np.minimum.accumulate(until)[np.minimum(sizes, run.size) - 1]
    return closes


def _pace(run: ElasticRun, size: int, own: IntArray, limit: float, slowdown: FloatArray) -> float:
    """Return the slow-down of a size: on the first ``size`` of the ``own`` seats, which are in the order of keeping.

    If the gang grows to this size, this is an upper bound, with new seats of a slow-down up to ``limit``.
    """
    if size > run.size:
        return run.most_pace(size, limit, slowdown)
    return run.pace_on(own[:size], slowdown)


def _by_deadline(run: ElasticRun, deadline: float, sizes: IntArray, ends: FloatArray) -> NDArray[np.bool_]:
    """Return bool[k]: whether the gang may change to each size.

    A gang that meets its deadline may only shrink to sizes that meet it too. Otherwise the gang may change to the
    fewest members that meet the deadline. If no size meets it, the gang may change to any size, to end soon.
    """
    meets: NDArray[np.bool_] = ends <= deadline
    if run.meets_its_deadline:
        return meets & (sizes < run.size)
    meets[0] = False
    return meets & (sizes == sizes[meets].min()) if meets.any() else ~meets


def _others(run: ElasticRun, worth: Worth, *, most: int) -> IntArray:
    """List the sizes up to ``most`` to which a run may change."""
    sizes = run.sizes.between(1, most)
    return distinct_sizes(worth, sizes) if run.asked is None else sizes[sizes == run.asked]


def options_of_waiting(gang: WaitingGang, *, now: float, limit: float, most: int, must_start: bool) -> Sized:
    """List the sizes up to ``most`` with which a gang may start, as if it ran at the slow-down ``limit``.

    The first option is to wait, unless the gang must start. A gang that is not elastic and need not start has one size:
    ``best_at_price``, or none if that is more than ``most``.
    """
    worth = worth_of(gang.sizes, gang.shared, left=1.0, age=now - gang.created)
    if gang.elastic or must_start:
        sizes = distinct_sizes(worth, gang.sizes.between(1, most))
    else:
        sizes = np.array([size for size in (best_at_price(gang),) if size <= most], dtype=np.int64)
    worths = worth.of(sizes, np.full(len(sizes), limit))
    if not must_start:
        sizes, worths = np.concatenate(([0], sizes)), np.concatenate(([0.0], worths))
    return Sized(gang, worth, sizes, SizeOptions(sizes, worths))


def distinct_sizes(worth: Worth, sizes: IntArray) -> IntArray:
    """Return the sizes that run shorter than all smaller ``sizes``; at most ``MOST_SIZES`` of them, spread by ratio."""
    times = worth.times[sizes - 1]
    best_before = np.minimum.accumulate(np.concatenate(([np.inf], times)))[:-1]
    better: IntArray = sizes[times < best_before]
    if len(better) <= MOST_SIZES:
        return better
    spread = np.geomspace(better[0], better[-1], MOST_SIZES)
    places = np.abs(better[:, np.newaxis] - spread).argmin(axis=0)
    return np.unique(better[places])


def best_at_price(gang: WaitingGang) -> int:
    """Return the best size of a gang that never changes its size, as if there were enough equal nodes."""
    sizes = gang.sizes.between(1, gang.sizes.maximum)
    values: FloatArray = gang.shared.times(gang.sizes.maximum)[sizes - 1] * Price(gang.member_price).weights(sizes)
    return int(sizes[values.argmin()])
