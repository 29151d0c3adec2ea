"""Bounds on the runs of a party from all instants at once, so that few instants have to be searched.

Method: for each role alone, count the slots that outlast the shortest run (``slots.counts``): from each instant on, and
up to each of some ranges of slow-downs. The counts bound which mixes may fit, and so how soon any of them ends.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.roles.search import PartySearch
from coschedule.queue.search.finishes import first_in_time, least_of_first, seconds_until
from coschedule.queue.slots.counts import count_outlasting
from coschedule.queue.slots.kept import stretches_for
from coschedule.queue.slots.open_slots import OpenSlots, limited

_MOST_RANGES = 16
"""The most ranges of slow-downs that bounds distinguish: more ranges cost more than they save."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MixBounds:
    """From ``starts[k]`` on, at most the first ``mixes[g, k]`` mixes fit on nodes up to range g of slow-downs.

    Runs there take at least ``factor[g]`` times as long as on idle reference nodes.
    """

    search: PartySearch
    starts: FloatArray
    mixes: IntArray
    factor: FloatArray

    @classmethod
    def of(cls, search: PartySearch, starts: FloatArray, shortest: float) -> Self:
        """Bound runs from ``starts``, which rise; on idle reference nodes no run is shorter than ``shortest``."""
        slowdowns = search.timeline.slowdowns
        # The slowest node sets the pace of equal shares only. With unequal parts, only the fastest node bounds a run.
        ranges = min(_MOST_RANGES, len(slowdowns)) if not search.party.unequal else 1
        factor = search.party.least_factor(slowdowns[-(-np.arange(ranges) * len(slowdowns) // ranges)])
        seconds = factor * shortest
        among = np.arange(len(starts))
        counts = [
            count_outlasting(_slots_of(search, role, starts), seconds, among=among)
            for role in range(len(search.party.works))
        ]
        return cls(search=search, starts=starts, mixes=search.party.with_enough(counts), factor=factor)

    def least_values(self, mixes: BoolArray) -> FloatArray:
        """Return a lower bound on the value of runs of some mixes: float[k], inf where none of them may fit."""
        party = self.search.party
        cheapest = least_of_first(np.where(mixes, party.times * party.weights, np.inf))
        costs = (self.factor[:, np.newaxis] * cheapest[self.mixes]).min(axis=0)
        return party.price.least_value(self.starts, costs, party.largest)

    def fewest(self, mixes: BoolArray, deadline: float) -> tuple[IntArray, FloatArray]:
        """Return lower bounds on the first mix that ends by a deadline, and on the end of any mix: int[k], float[k].

        If no mix ends in time, the first bound is the number of mixes.
        """
        times, factor = np.where(mixes, self.search.party.times, np.inf), self.factor[:, np.newaxis]
        first = first_in_time(times, seconds_until(deadline, self.starts) / factor)
        first = np.where(first < self.mixes, first, len(times)).min(axis=0)
        return first, self.starts + (factor * least_of_first(times)[self.mixes]).min(axis=0)

    def may_fit(self, mix: int) -> BoolArray:
        """Return the instants from which on a mix may fit: bool[k]."""
        fits: BoolArray = self.mixes.max(axis=0, initial=0) > mix
        return fits


def _slots_of(search: PartySearch, role: int, starts: FloatArray) -> OpenSlots:
    """Find the slots of a role as if it were alone, by the timeline's paces; a role without a load has only pace 0."""
    party, timeline = search.party, search.timeline
    stretches = stretches_for(timeline, party.requests[role], search.passes_by_node[:, role])
    search.effort.spend(len(stretches.owner) + len(starts))
    open_slots = limited(
        stretches,
        slowdowns=timeline.slowdowns,
        pace=timeline.pace,
        width=timeline.width,
        most=int(search.most[:, role].max(initial=0)),
        first=timeline.now,
    )
    pace = timeline.slowdowns.searchsorted(open_slots.slowdowns)[open_slots.pace]
    pace = pace if party.works[role] else np.zeros_like(pace)
    return replace(open_slots, slowdowns=timeline.slowdowns, pace=pace, instants=starts)
