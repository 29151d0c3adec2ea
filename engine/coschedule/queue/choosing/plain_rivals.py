"""Domains as rivals for a gang of one role: only a domain's slots for the gang matter."""

from dataclasses import dataclass
from typing import NamedTuple, Self, assert_never

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.pieces.fastest_nodes import divide_pieces
from coschedule.queue.choosing.bounds import best_of_each, least_sizes
from coschedule.queue.choosing.demand import Demand
from coschedule.queue.search.candidates import GangLoad, Outline, SearchSpace, outline_of
from coschedule.queue.search.goals import RatedRun, RunGoal, run_of
from coschedule.queue.slots.by_domain import (
    Instants,
    SlotsByDomain,
    alike_until,
    count_lasting,
    fastest_in,
    instants_in,
    most_by_domain,
    slots_by_domain,
)
from coschedule.queue.slots.domains import Domains, domains_of
from coschedule.queue.slots.from_start import slots_from
from coschedule.queue.slots.open_slots import OpenSlots
from coschedule.queue.slots.timeline import Timeline


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlainRivals:
    """The ``slots`` of each domain, and the ``first`` instant at which the gang may start; see ``Rivals``.

    The slots ignore how long members may stay. So there may be too many slots, but bounds on runs still hold. If stays
    are limited, runs are found on the timeline itself.
    """

    demand: Demand
    goal: RunGoal
    timeline: Timeline
    slots: SlotsByDomain
    first: float
    domains: Domains
    bounds: FloatArray
    lowest: IntArray

    @classmethod
    def of(cls, demand: Demand, timeline: Timeline, domain: IntArray, goal: RunGoal) -> Self | None:
        """Prepare the domains, domain[n]; None where there are none, or no size has a time."""
        domains = domains_of(timeline, domain)
        domains = domains.first_of(domains.alike(np.arange(len(timeline.width))))
        if not len(domains.first) or (demand.load is not None and not len(demand.load.sizes)):
            return None
        open_slots = demand.search_space(timeline).open_slots
        slots, first = slots_by_domain(open_slots, domains), float(open_slots.instants[0])
        instants = instants_in([slots], first, len(domains.first))
        demand.effort.spend(len(domains.rank) + len(slots.owner) + len(instants.owner))
        bounds = _bounds(_CountedSlots.of(demand, slots, instants), demand, goal)
        return cls(
            demand=demand,
            goal=goal,
            timeline=timeline,
            slots=slots,
            first=first,
            domains=domains,
            bounds=bounds,
            lowest=domains.lowest,
        )

    def run(self, domain: int, until: float) -> RatedRun | None:
        """Find the best run in a domain; see ``Rivals``."""
        demand, open_slots = self.demand, self._open_slots(domain)
        space = SearchSpace(open_slots=open_slots, consider=demand.consider, effort=demand.effort)
        found = demand.best(space) if self.goal is RunGoal.FEWEST_MEMBERS else demand.soonest(space, until)
        outline = outline_of(found)
        if outline is None:
            return None
        return run_of(self.goal, demand.gang, outline, longest=self._longest(open_slots, outline))

    def alike(self, until: float) -> IntArray:
        """Number alike domains; see ``Rivals``. Where stays are limited, all domains count as different."""
        if self.demand.stays is not None:
            return np.arange(len(self.lowest))
        slots = self.slots.take(self.slots.stay) if self.goal is RunGoal.EARLIEST_START else self.slots
        return alike_until([slots], until, len(self.lowest))

    def _open_slots(self, domain: int) -> OpenSlots:
        if self.demand.stays is None:
            return self.slots.within(domain, self.first)
        return self.demand.search_space(self.timeline.of_ranks(self.domains.ranks(domain))).open_slots

    def _longest(self, open_slots: OpenSlots, outline: Outline) -> float | None:
        """Return the time that ``longest_pieces`` describes; None without pieces, or if the run time is known."""
        pieces = self.demand.role.pieces
        if self.goal is not RunGoal.EARLIEST_START or pieces is None:
            return None
        slots = slots_from(open_slots, outline.start)
        taken = np.diff(np.minimum(slots.held - slots.lost_by(np.inf), outline.size), prepend=0)
        slowdowns = np.repeat(open_slots.slowdowns, taken)
        return float((divide_pieces(slowdowns, pieces) * slowdowns).max())


class _CountedSlots(NamedTuple):
    """From each instant on: the number of slots that last for the shortest run, and a lower bound on slow-downs."""

    instants: Instants
    slots: IntArray
    slowdowns: FloatArray
    in_time: BoolArray

    @classmethod
    def of(cls, demand: Demand, slots: SlotsByDomain, instants: Instants) -> Self:
        """Count the slots that last for the shortest run; each round leaves out sizes with too few slots."""
        fastest = fastest_in(slots, instants.domains)
        counts = count_lasting(slots, instants, np.zeros(instants.domains))
        for _ in range(_ROUNDS):
            most = most_by_domain(counts, instants)
            counts = count_lasting(slots, instants, _shortest_runs(demand.load, fastest, most))
        return cls(instants, counts, fastest[instants.owner], instants.time <= demand.gang.promised)


_ROUNDS = 2
"""How often slots are counted again. A lower count allows only smaller sizes, so the shortest run may be longer."""


def _shortest_runs(load: GangLoad | None, slowdowns: FloatArray, slots: IntArray) -> FloatArray:
    return np.full(len(slowdowns), np.inf) if load is None else load.shortest_runs(slowdowns, slots)


def _bounds(counted: _CountedSlots, demand: Demand, goal: RunGoal) -> FloatArray:
    """Return lower bounds on the merits of the runs of each domain: float[d, 2]."""
    load, gang, instants = demand.load, demand.gang, counted.instants
    match goal:
        case RunGoal.LEAST_VALUE:
            assert load is not None, "the run time is known"
            first = load.least_values(instants.time, counted.slowdowns, counted.slots)
            second = np.zeros(len(first))
        case RunGoal.FEWEST_MEMBERS:
            assert load is not None, "the run time is known"
            assert gang.deadline is not None, "there is a deadline that can bind"
            first = least_sizes(load, instants.time, counted.slowdowns, counted.slots, gang.deadline)
            second = instants.time + load.shortest_runs(counted.slowdowns, counted.slots)
        case RunGoal.EARLIEST_START:
            sizes = demand.role.sizes
            first = np.where(counted.slots >= sizes.least, instants.time, np.inf)
            second = np.zeros(len(first)) if demand.role.pieces is not None else -counted.slots.astype(np.float64)
        case _:
            assert_never(goal)
    return best_of_each(np.where(counted.in_time, first, np.inf), second, instants)
