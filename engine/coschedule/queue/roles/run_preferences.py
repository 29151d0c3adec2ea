"""The best run of a party: the run with the least value, or the run with the fewest members that ends in time."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.roles.bounds import MixBounds
from coschedule.queue.roles.party import Party
from coschedule.queue.search.candidates import Outline
from coschedule.queue.search.finishes import first_in_time, least_of_first, seconds_until

Rank = tuple[float, ...]
"""The rank of a run; the least is the best."""


class RankBounds(NamedTuple):
    """No run at ``k`` has a rank below (first[k], second[k]); if first[k] is inf, no run at ``k`` is wanted."""

    first: FloatArray
    second: FloatArray

    @property
    def order(self) -> IntArray:
        """The indices with wanted runs, the best bound first; equal bounds are in the order of their indices."""
        order = np.lexsort((self.second, self.first))
        return order[self.first[order] < np.inf]

    def may_reach(self, index: int, rank: Rank) -> bool:
        """Return whether a run at an index may be as good as a run of ``rank``."""
        return (float(self.first[index]), float(self.second[index])) <= rank[:2]


class PossibleRuns(NamedTuple):
    """Runs of mix m on nodes up to slow-down t: whether they are possible, their finish and their value, all [t, m]."""

    open: BoolArray
    finish: FloatArray
    value: FloatArray


class Wish(Protocol):
    """The ``mixes``, bool[m], of a party that are wanted, and how their runs are compared."""

    @property
    def mixes(self) -> BoolArray:
        """The mixes that are wanted: bool[m]."""

    @property
    def limit(self) -> float:
        """The greatest value of a run that is wanted."""

    def rank(self, outline: Outline) -> Rank:
        """Return the rank of a run."""

    def no_worse(self, party: Party, outline: Outline) -> Self:
        """Return the wish without runs that must be worse than the run ``outline``."""

    def from_instants(self, bounds: MixBounds) -> RankBounds:
        """Return bounds on the ranks of runs from each instant."""

    def on_nodes(self, party: Party, start: float, slowdowns: FloatArray, most: IntArray) -> RankBounds:
        """Return bounds on the ranks of runs up to each slow-down t, where only the first ``most[t]`` mixes may fit."""

    def best(self, pairs: PossibleRuns) -> tuple[int, int]:
        """Choose the best of the pairs of slow-down and mix; at least one must be open."""


@dataclass(frozen=True, slots=True, eq=False)
class LeastValue:
    """The least value up to ``limit``, then the fewest members."""

    mixes: BoolArray
    limit: float

    def rank(self, outline: Outline) -> Rank:
        """Return the rank of a run; see ``Wish``."""
        return outline.value, outline.size, outline.start

    def no_worse(self, _: Party, outline: Outline) -> "LeastValue":
        """Drop runs that must be worse; see ``Wish``."""
        return LeastValue(self.mixes, min(self.limit, outline.value))

    def from_instants(self, bounds: MixBounds) -> RankBounds:
        """Bound the ranks of runs from each instant; see ``Wish``."""
        return self._rank_bounds(bounds.least_values(self.mixes))

    def on_nodes(self, party: Party, start: float, slowdowns: FloatArray, most: IntArray) -> RankBounds:
        """Bound the ranks of runs up to each slow-down; see ``Wish``."""
        cheapest = least_of_first(np.where(self.mixes, party.times * party.weights, np.inf))
        return self._rank_bounds(party.price.least_value(start, slowdowns * cheapest[most], party.largest))

    def best(self, pairs: PossibleRuns) -> tuple[int, int]:
        """Choose the least value, the fewest members, then the fastest nodes; see ``Wish``."""
        values = np.where(pairs.open, pairs.value, np.inf)
        mix = int(np.argmin(values.min(axis=0)))
        return int(np.argmin(values[:, mix])), mix

    def _rank_bounds(self, values: FloatArray) -> RankBounds:
        return RankBounds(np.where(values <= self.limit, values, np.inf), np.zeros(len(values)))


@dataclass(frozen=True, slots=True, eq=False)
class FewestMembers:
    """The fewest members that end by ``limit``, then the earliest end; members have no price here."""

    mixes: BoolArray
    limit: float

    def rank(self, outline: Outline) -> Rank:
        """Return the rank of a run; see ``Wish``."""
        return outline.size, outline.value, outline.start

    def no_worse(self, party: Party, outline: Outline) -> "FewestMembers":
        """Drop runs that must be worse; see ``Wish``."""
        return FewestMembers(self.mixes & (party.sizes <= outline.size), self.limit)

    def from_instants(self, bounds: MixBounds) -> RankBounds:
        """Bound the ranks of runs from each instant; see ``Wish``."""
        first, soonest = bounds.fewest(self.mixes, self.limit)
        return _bounds_by_size(bounds.search.party, first, soonest)

    def on_nodes(self, party: Party, start: float, slowdowns: FloatArray, most: IntArray) -> RankBounds:
        """Bound the ranks of runs up to each slow-down; see ``Wish``."""
        times = np.where(self.mixes, party.times, np.inf)
        first = first_in_time(times, seconds_until(self.limit, np.array(start)) / slowdowns)
        soonest = start + slowdowns * least_of_first(times)[most]
        return _bounds_by_size(party, np.where(first < most, first, len(times)), soonest)

    def best(self, pairs: PossibleRuns) -> tuple[int, int]:
        """Choose the fewest members, then the earliest end; see ``Wish``."""
        mix = int(np.argmax(pairs.open.any(axis=0)))
        return int(np.argmin(np.where(pairs.open[:, mix], pairs.finish[:, mix], np.inf))), mix


def _bounds_by_size(party: Party, first: IntArray, soonest: FloatArray) -> RankBounds:
    return RankBounds(np.append(party.sizes, np.inf)[first], soonest)
