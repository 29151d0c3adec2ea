"""The best start and size for a gang whose members on faster nodes get more of the work.

Objective: minimise the value (``queue.problem.price``) over all instants at which slots appear and all sizes. A run
uses the fastest slots that last until it finishes.

Theorem: with fewer slots, no run of any size ends earlier. So from one start, first use all slots. Let f be the finish
of the best run. If all slots of this run last until f, it is the best run. Otherwise search again: runs of this size
end at f or later, so they can use only slots that last until f. Without a price, no size ends before f, so slots that
end before f are useless for all sizes. With a price, other sizes may end before f. They keep their slots and are
searched apart from this size.

Method: search instants in the order of a lower bound on the value of their runs. Stop when the next bound is worse than
the best run found. Each instant takes one or two searches, and more only where lost slots matter. The bound uses all
slots that outlast the shortest run. It takes slow-downs in ranges, each with the speed of its fastest node, and sizes
in ranges too.

When the effort is over, the search takes the first candidate that it finds. From an instant, it takes the run that ends
first. That takes few searches, and there is such a run wherever any size fits.
"""

from typing import NamedTuple, Protocol, Self

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.problem.price import Price
from coschedule.queue.search.candidates import Candidate, Considered, SearchSpace
from coschedule.queue.search.finishes import finish_of
from coschedule.queue.slots.counts import count_outlasting
from coschedule.queue.slots.from_start import SlotsFrom, slots_from

_MOST_RANGES = 16
"""The most ranges of slow-downs and of sizes that bounds distinguish: more ranges cost more than they save."""


class BestSize(NamedTuple):
    """The best size on given slots, and the seconds it runs."""

    seconds: float
    size: int


class UnequalLoad(Protocol):
    """A load whose run time depends on all the slots it gets."""

    @property
    def sizes(self) -> IntArray:
        """The sizes that may run, rising: int[p]."""

    @property
    def price(self) -> Price:
        """The price of a member-second to other gangs."""

    @property
    def steps_a_run(self) -> int:
        """The cost of ``best_run`` in steps of ``Effort``, besides one step for each size."""

    def where(self, kept: BoolArray) -> Self:
        """Return the load with only the sizes for which ``kept``, bool[p], is True."""

    def without_price(self) -> Self:
        """Return the load with a price of 0."""

    def runs_at(self, slowdown: float) -> FloatArray:
        """Return the seconds that each size runs when all its members have this slow-down: float[p]."""

    def least_runs(self, first: IntArray, speed: FloatArray) -> FloatArray:
        """Return a lower bound on the seconds that the sizes of each range run: float[s, k].

        Range s has the sizes from index ``first[s]`` to before ``first[s + 1]``. At instant k, all members together
        have at most the speed ``speed[s, k]``, which is above 0.
        """

    def best_run(self, start: float, slowdowns: FloatArray, held: IntArray, /) -> BestSize | None:
        """Choose the size with the least value from ``start`` on, then the fewest members; None when no size fits.

        ``held[t]`` slots have a slow-down of ``slowdowns[t]`` or less; ``slowdowns`` rise.
        """


def best(space: SearchSpace, load: UnequalLoad, *, among: IntArray, limit: float) -> Candidate | None:
    """Find the best candidate of a value up to ``limit`` that starts at an instant of ``among``, rising."""
    if not (len(space.open_slots.slowdowns) and len(load.sizes)):
        return None
    finishes, values = _bounds(space, load, among)
    order = np.argsort(values, kind="stable")
    found: Candidate | None = None
    for index in order.tolist():
        if values[index] > limit or values[index] == np.inf or (found is not None and space.effort.is_over):
            break
        start = float(space.instants[among[index]])
        slots = slots_from(space.open_slots, start)
        one = _From(space, start, slots, slots.held).best(load, soonest=finishes[index], limit=limit)
        if one is not None and (found is None or one < found):
            found, limit = one, one.value
    return found


def shortest_runs(load: UnequalLoad, slowdowns: FloatArray, slots: IntArray) -> FloatArray:
    """Return a lower bound on the run time of any size that fits on ``slots[k]`` slots; see ``GangLoad``."""
    runs: FloatArray = _runs_on(load, slowdowns, slots).min(axis=0)
    return runs


def least_values(load: UnequalLoad, starts: FloatArray, slowdowns: FloatArray, slots: IntArray) -> FloatArray:
    """Return a lower bound on the value of runs of any size that fits on ``slots[k]`` slots; see ``GangLoad``."""
    return _values(load, starts, _runs_on(load, slowdowns, slots))


def _runs_on(load: UnequalLoad, slowdowns: FloatArray, slots: IntArray) -> FloatArray:
    """Return lower bounds on run times of each range of sizes, on slots of slow-down ``slowdowns[k]``: float[s, k]."""
    _, largest = _ranges(load)
    return _runs(load, slots, np.minimum(slots, largest[:, np.newaxis]) / slowdowns)


class _RunBounds(NamedTuple):
    """Lower bounds on the finish and the value of runs from each instant: float[k], inf where no size fits."""

    finish: FloatArray
    value: FloatArray


def _bounds(space: SearchSpace, load: UnequalLoad, among: IntArray) -> _RunBounds:
    slowdowns = space.open_slots.slowdowns
    ranges = min(_MOST_RANGES, len(slowdowns))
    fastest = slowdowns[-(-np.arange(ranges) * len(slowdowns) // ranges)]
    shortest = np.full(ranges, load.runs_at(float(slowdowns[0])).min())
    held = count_outlasting(space.open_slots, shortest, among=among)
    _, largest = _ranges(load)
    # ``faster`` is the speed of each range minus the speed of the next slower range, 0 behind the last range. The speed
    # of a slot is the sum of ``faster`` from its own range on, and ``held`` counts the slot in all of these ranges. So
    # ``speed`` is the speed of the P fastest slots together.
    faster = -np.diff(1 / fastest, append=0)
    speed = np.einsum("rsk,r->sk", np.minimum(held[:, np.newaxis], largest[:, np.newaxis]), faster)
    runs = _runs(load, held[-1], speed)
    starts = space.instants[among]
    return _RunBounds(starts + runs.min(axis=0), _values(load, starts, runs))


class _SizeRanges(NamedTuple):
    """Ranges of sizes: range s begins at index ``first[s]``, and its largest size is ``largest[s]``."""

    first: IntArray
    largest: IntArray


def _ranges(load: UnequalLoad) -> _SizeRanges:
    count = len(load.sizes)
    first = np.arange(min(_MOST_RANGES, count)) * count // min(_MOST_RANGES, count)
    return _SizeRanges(first, load.sizes[np.append(first[1:], count) - 1])


def _runs(load: UnequalLoad, slots: IntArray, speed: FloatArray) -> FloatArray:
    """Return lower bounds on the run times of each range of sizes: float[s, k], inf where there are too few slots."""
    first = _ranges(load).first
    fits = slots >= load.sizes[first][:, np.newaxis]
    # Sums are rounded, and a lower bound must not become too high by that.
    runs: FloatArray = np.where(fits, load.least_runs(first, np.where(fits, speed, 1)), np.inf) * (1 - 1e-12)
    return runs


def _values(load: UnequalLoad, starts: FloatArray, runs: FloatArray) -> FloatArray:
    """Return lower bounds on the value of runs from each start; ``runs[s, k]`` bounds the runs of size range s."""
    smallest = load.sizes[_ranges(load).first]
    costs = (runs * load.price.weights(smallest)[:, np.newaxis]).min(axis=0)
    return load.price.least_value(starts, costs, int(load.sizes[-1]))


class _BestRun(NamedTuple):
    """The best run of a load's sizes if it may not use the ``lost[t]`` slots up to each pace t."""

    value: float
    size: int
    finish: float
    load: UnequalLoad
    lost: IntArray


class _From(NamedTuple):
    """Runs from one start, where ``held[t]`` slots are of pace t or faster."""

    space: SearchSpace
    start: float
    slots: SlotsFrom
    held: IntArray

    def best(self, load: UnequalLoad, *, soonest: float, limit: float) -> Candidate | None:
        """Find the best candidate of a value up to ``limit``; ``soonest`` is a lower bound on the finish of any run."""
        runs = self._best_runs((load, self.slots.lost_by(soonest)))
        while runs:
            if load.price.seconds and self.space.effort.is_over:
                first = self.best(load.without_price(), soonest=soonest, limit=np.inf)
                return None if first is None else self._up_to(limit, first, load.price)
            run = runs.pop(min(range(len(runs)), key=lambda index: runs[index][:2]))
            lost_by_then = self.slots.lost_by(run.finish)
            lasts = bool((lost_by_then == run.lost).all())
            pace = int(np.searchsorted(self.held - run.lost, run.size))
            self._report(run, pace, lasts=lasts)
            if run.value > limit:
                return None
            if lasts:
                return Candidate(run.value, run.size, self.start, pace, run.finish)
            runs += self._best_runs(*_further(run, lost_by_then))
        return None

    def _up_to(self, limit: float, candidate: Candidate, price: Price) -> Candidate | None:
        """Return a candidate with its value at a price, None where that is above the limit."""
        value = price.value(self.start, candidate.finish, candidate.size)
        return candidate._replace(value=value) if value <= limit else None

    def _best_runs(self, *tries: tuple[UnequalLoad, IntArray]) -> list[_BestRun]:
        runs = (self._best_run(load, lost) for load, lost in tries if len(load.sizes))
        return [run for run in runs if run is not None]

    def _best_run(self, load: UnequalLoad, lost: IntArray) -> _BestRun | None:
        self.space.effort.spend(load.steps_a_run + len(load.sizes))
        run = load.best_run(self.start, self.space.open_slots.slowdowns, self.held - lost)
        if run is None:
            return None
        finish = finish_of(self.start, run.seconds)
        return _BestRun(load.price.value(self.start, finish, run.size), run.size, finish, load, lost)

    def _report(self, run: _BestRun, pace: int, *, lasts: bool) -> None:
        self.space.consider(
            Considered(
                start=np.array([self.start]),
                slowdown=self.space.open_slots.slowdowns[[pace]],
                size=np.array([run.size]),
                finish=np.array([[run.finish if lasts else np.inf]]),
            )
        )


def _further(run: _BestRun, lost_by_then: IntArray) -> list[tuple[UnequalLoad, IntArray]]:
    """Return the sizes and lost slots to search in place of a run whose slots do not last."""
    if not run.load.price.seconds:
        return [(run.load, lost_by_then)]
    is_its = run.load.sizes == run.size
    return [(run.load.where(is_its), lost_by_then), (run.load.where(~is_its), run.lost)]
