"""Which run of a party is wanted: that of the least value, or that with the fewest members which ends in time."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.roles.bounds import MixBounds
from coschedule.queue.roles.party import Party
from coschedule.queue.search.candidates import Outline
from coschedule.queue.search.finishes import first_in_time, least_of_first, seconds_until

Rank = tuple[float, ...]
"""How good a run is; the lesser one is the better."""


class Promised(NamedTuple):
    """No run at ``k`` ranks before (first[k], second[k]); where the first is inf there is none that is wanted."""

    first: FloatArray
    second: FloatArray

    @property
    def order(self) -> IntArray:
        """The indices from the best on, without those that promise nothing; of equal ones the first comes first."""
        order = np.lexsort((self.second, self.first))
        return order[self.first[order] < np.inf]

    def is_no_worse(self, index: int, rank: Rank) -> bool:
        """Tell whether there may be a run at an index that is as good as one of that rank."""
        return (float(self.first[index]), float(self.second[index])) <= rank[:2]


class PossibleRuns(NamedTuple):
    """Runs of mix m on nodes up to a slow-down t: which are possible, when they end and what they count: [t, m]."""

    open: BoolArray
    finish: FloatArray
    value: FloatArray


class Wish(Protocol):
    """Which of the ``mixes``, bool[m], of a party is wanted, and how."""

    @property
    def mixes(self) -> BoolArray:
        """The mixes."""

    @property
    def limit(self) -> float:
        """The greatest value of a run that is wanted."""

    def rank(self, outline: Outline) -> Rank:
        """Tell how good a run is."""

    def no_worse(self, party: Party, outline: Outline) -> Self:
        """Wish for runs that may be as good as this one."""

    def from_instants(self, bounds: MixBounds) -> Promised:
        """Tell what instants promise."""

    def on_nodes(self, party: Party, start: float, slowdowns: FloatArray, most: IntArray) -> Promised:
        """Tell what slow-downs promise, where the first ``most[t]`` mixes may fit on nodes up to each."""

    def best(self, pairs: PossibleRuns) -> tuple[int, int]:
        """Choose the best of some pairs, of which one is open: slow-down and mix."""


@dataclass(frozen=True, slots=True, eq=False)
class LeastValue:
    """Wishes for the least value up to ``limit``, then for fewer members."""

    mixes: BoolArray
    limit: float

    def rank(self, outline: Outline) -> Rank:
        """Tell how good a run is; see ``Wish``."""
        return outline.value, outline.size, outline.start

    def no_worse(self, _: Party, outline: Outline) -> "LeastValue":
        """Wish for runs that may be as good; see ``Wish``."""
        return LeastValue(self.mixes, min(self.limit, outline.value))

    def from_instants(self, bounds: MixBounds) -> Promised:
        """Tell what instants promise; see ``Wish``."""
        return self._promised(bounds.least_values(self.mixes))

    def on_nodes(self, party: Party, start: float, slowdowns: FloatArray, most: IntArray) -> Promised:
        """Tell what slow-downs promise; see ``Wish``."""
        cheapest = least_of_first(np.where(self.mixes, party.times * party.weights, np.inf))
        return self._promised(party.price.least_value(start, slowdowns * cheapest[most], party.largest))

    def best(self, pairs: PossibleRuns) -> tuple[int, int]:
        """Choose the least value, the fewest members, then the fastest nodes; see ``Wish``."""
        values = np.where(pairs.open, pairs.value, np.inf)
        mix = int(np.argmin(values.min(axis=0)))
        return int(np.argmin(values[:, mix])), mix

    def _promised(self, values: FloatArray) -> Promised:
        return Promised(np.where(values <= self.limit, values, np.inf), np.zeros(len(values)))


@dataclass(frozen=True, slots=True, eq=False)
class FewestMembers:
    """Wishes for the fewest members that end by ``limit``, then for the earliest end; members have no price then."""

    mixes: BoolArray
    limit: float

    def rank(self, outline: Outline) -> Rank:
        """Tell how good a run is; see ``Wish``."""
        return outline.size, outline.value, outline.start

    def no_worse(self, party: Party, outline: Outline) -> "FewestMembers":
        """Wish for runs that may be as good; see ``Wish``."""
        return FewestMembers(self.mixes & (party.sizes <= outline.size), self.limit)

    def from_instants(self, bounds: MixBounds) -> Promised:
        """Tell what instants promise; see ``Wish``."""
        first, soonest = bounds.fewest(self.mixes, self.limit)
        return _promised_sizes(bounds.search.party, first, soonest)

    def on_nodes(self, party: Party, start: float, slowdowns: FloatArray, most: IntArray) -> Promised:
        """Tell what slow-downs promise; see ``Wish``."""
        times = np.where(self.mixes, party.times, np.inf)
        first = first_in_time(times, seconds_until(self.limit, np.array(start)) / slowdowns)
        soonest = start + slowdowns * least_of_first(times)[most]
        return _promised_sizes(party, np.where(first < most, first, len(times)), soonest)

    def best(self, pairs: PossibleRuns) -> tuple[int, int]:
        """Choose the fewest members, then the earliest end; see ``Wish``."""
        mix = int(np.argmax(pairs.open.any(axis=0)))
        return int(np.argmin(np.where(pairs.open[:, mix], pairs.finish[:, mix], np.inf))), mix


def _promised_sizes(party: Party, first: IntArray, soonest: FloatArray) -> Promised:
    return Promised(np.append(party.sizes, np.inf)[first], soonest)
