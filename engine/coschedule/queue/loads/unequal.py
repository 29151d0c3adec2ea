"""The best start and size for a gang whose members get more of the work the faster their nodes are.

Objective: minimise the value (``queue.price``) of a run on the fastest slots that last until the gang would finish,
over all instants at which slots appear and all sizes.

Theorem: with fewer slots no run of any size ends earlier. So from one start, first grant every slot there is. Where the
best run's slots all last until its finish, it is the best. Where they do not, its size has to do with those that last,
and ends no earlier; look again. Without a price no size ends before that finish: what does not last until then is of
use to none. With a price, other sizes may end before it: they keep their slots, and are looked at apart from it.

Method: instants in the order of a lower bound on their value, until the next bound is worse than the best found. Each
costs as many looks as losses matter to it, one or two as a rule. The bound grants an instant all slots that outlast
the shortest run, at the fastest slow-down of each of some ranges, and looks at sizes range by range too.

When the effort is over, the first candidate found will do, and from an instant the run that ends first: that takes few
looks, and there is one wherever any size fits.
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
"""Bounds tell at most so many ranges of slow-downs and of sizes apart: more of them cost more than they save."""


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
        """What a member-second costs."""

    @property
    def steps_a_look(self) -> int:
        """How many combinations of members and nodes take as long as ``best_run``, beside one for each size."""

    def where(self, kept: BoolArray) -> Self:
        """Keep the sizes for which ``kept``, bool[p], is True."""

    def without_price(self) -> Self:
        """Have members cost nothing."""

    def runs_at(self, slowdown: float) -> FloatArray:
        """Seconds that each size runs when all its members have this slow-down: float[p]."""

    def least_runs(self, first: IntArray, speed: FloatArray) -> FloatArray:
        """Bound from below the seconds that sizes run, range of sizes by range: float[s, k].

        Range s has the sizes from index ``first[s]`` to before ``first[s + 1]``. At instant k their members have the
        speed ``speed[s, k]`` together at most, which is above 0.
        """

    def best_run(self, start: float, slowdowns: FloatArray, held: IntArray, /) -> BestSize | None:
        """Choose the size with the least value from ``start`` on, then the fewest members; None when no size fits.

        ``held[t]`` slots have the slow-down ``slowdowns[t]``, which rise, or a smaller one.
        """


def best(space: SearchSpace, load: UnequalLoad, *, among: IntArray, limit: float) -> Candidate | None:
    """Find the best candidate that starts at one of the instants ``among``, rising, of a value up to ``limit``."""
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
    """Bound from below the seconds that any size runs which so many slots could hold; see ``GangLoad``."""
    runs: FloatArray = _runs_on(load, slowdowns, slots).min(axis=0)
    return runs


def least_values(load: UnequalLoad, starts: FloatArray, slowdowns: FloatArray, slots: IntArray) -> FloatArray:
    """Bound from below the value of runs of any size that so many slots could hold; see ``GangLoad``."""
    return _values(load, starts, _runs_on(load, slowdowns, slots))


def _runs_on(load: UnequalLoad, slowdowns: FloatArray, slots: IntArray) -> FloatArray:
    """Bound the runs of each range of sizes on slots that all have the same slow-down: float[s, k]."""
    _, largest = _ranges(load)
    return _runs(load, slots, np.minimum(slots, largest[:, np.newaxis]) / slowdowns)


class _RunBounds(NamedTuple):
    """From below, the finish and the value of every run that starts at an instant, inf where no size fits: float[k]."""

    finish: FloatArray
    value: FloatArray


def _bounds(space: SearchSpace, load: UnequalLoad, among: IntArray) -> _RunBounds:
    slowdowns = space.open_slots.slowdowns
    ranges = min(_MOST_RANGES, len(slowdowns))
    fastest = slowdowns[-(-np.arange(ranges) * len(slowdowns) // ranges)]
    shortest = np.full(ranges, load.runs_at(float(slowdowns[0])).min())
    held = count_outlasting(space.open_slots, shortest, among=among)
    _, largest = _ranges(load)
    # The speed of the P fastest slots: each of them counts as fast as the slowest, and more the faster it is.
    faster = -np.diff(1 / fastest, append=0)
    speed = np.einsum("rsk,r->sk", np.minimum(held[:, np.newaxis], largest[:, np.newaxis]), faster)
    runs = _runs(load, held[-1], speed)
    starts = space.instants[among]
    return _RunBounds(starts + runs.min(axis=0), _values(load, starts, runs))


class _SizeRanges(NamedTuple):
    """Ranges of sizes: from index ``first[s]`` on, and the ``largest[s]`` size of each."""

    first: IntArray
    largest: IntArray


def _ranges(load: UnequalLoad) -> _SizeRanges:
    count = len(load.sizes)
    first = np.arange(min(_MOST_RANGES, count)) * count // min(_MOST_RANGES, count)
    return _SizeRanges(first, load.sizes[np.append(first[1:], count) - 1])


def _runs(load: UnequalLoad, slots: IntArray, speed: FloatArray) -> FloatArray:
    """Bound the runs of each range of sizes from below, inf where so many slots are too few: float[s, k]."""
    first = _ranges(load).first
    fits = slots >= load.sizes[first][:, np.newaxis]
    # Sums are rounded: what is bounded must not seem longer than it is.
    runs: FloatArray = np.where(fits, load.least_runs(first, np.where(fits, speed, 1)), np.inf) * (1 - 1e-12)
    return runs


def _values(load: UnequalLoad, starts: FloatArray, runs: FloatArray) -> FloatArray:
    """Bound the value of runs from each start, whose bounds are given by range of sizes."""
    smallest = load.sizes[_ranges(load).first]
    costs = (runs * load.price.weights(smallest)[:, np.newaxis]).min(axis=0)
    return load.price.least_value(starts, costs, int(load.sizes[-1]))


class _BestRun(NamedTuple):
    """The best run of a load's sizes on slots of which ``lost[t]``, up to each pace, are out of the question."""

    value: float
    size: int
    finish: float
    load: UnequalLoad
    lost: IntArray


class _From(NamedTuple):
    """Runs from one start, where ``held[t]`` slots are as fast as pace t or faster."""

    space: SearchSpace
    start: float
    slots: SlotsFrom
    held: IntArray

    def best(self, load: UnequalLoad, *, soonest: float, limit: float) -> Candidate | None:
        """Find the best candidate; the caller knows that none ends before ``soonest``."""
        looks = self._looks((load, self.slots.lost_by(soonest)))
        while looks:
            if load.price.seconds and self.space.effort.is_over:
                first = self.best(load.without_price(), soonest=soonest, limit=np.inf)
                return None if first is None else self._up_to(limit, first, load.price)
            look = looks.pop(min(range(len(looks)), key=lambda index: looks[index][:2]))
            lost_by_then = self.slots.lost_by(look.finish)
            lasts = bool((lost_by_then == look.lost).all())
            pace = int(np.searchsorted(self.held - look.lost, look.size))
            self._tell(look, pace, lasts=lasts)
            if look.value > limit:
                return None
            if lasts:
                return Candidate(look.value, look.size, self.start, pace, look.finish)
            looks += self._looks(*_further(look, lost_by_then))
        return None

    def _up_to(self, limit: float, candidate: Candidate, price: Price) -> Candidate | None:
        """Say what a candidate costs at a price, unless that is more than the limit."""
        value = price.value(self.start, candidate.finish, candidate.size)
        return candidate._replace(value=value) if value <= limit else None

    def _looks(self, *tries: tuple[UnequalLoad, IntArray]) -> list[_BestRun]:
        looks = (self._look(load, lost) for load, lost in tries if len(load.sizes))
        return [look for look in looks if look is not None]

    def _look(self, load: UnequalLoad, lost: IntArray) -> _BestRun | None:
        self.space.effort.spend(load.steps_a_look + len(load.sizes))
        run = load.best_run(self.start, self.space.open_slots.slowdowns, self.held - lost)
        if run is None:
            return None
        finish = finish_of(self.start, run.seconds)
        return _BestRun(load.price.value(self.start, finish, run.size), run.size, finish, load, lost)

    def _tell(self, look: _BestRun, pace: int, *, lasts: bool) -> None:
        self.space.consider(
            Considered(
                start=np.array([self.start]),
                slowdown=self.space.open_slots.slowdowns[[pace]],
                size=np.array([look.size]),
                finish=np.array([[look.finish if lasts else np.inf]]),
            )
        )


def _further(look: _BestRun, lost_by_then: IntArray) -> list[tuple[UnequalLoad, IntArray]]:
    """What is to be looked at in the place of a run whose slots do not last."""
    if not look.load.price.seconds:
        return [(look.load, lost_by_then)]
    is_its = look.load.sizes == look.size
    return [(look.load.where(is_its), lost_by_then), (look.load.where(~is_its), look.lost)]
