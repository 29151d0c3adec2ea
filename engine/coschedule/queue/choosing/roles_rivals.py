"""Domains as rivals for a gang of several roles, or with terms among its members.

The bound on a domain's runs counts the slots that each role would have alone.
"""

from dataclasses import dataclass
from typing import NamedTuple, Self, assert_never

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.choosing.bounds import best_of_each
from coschedule.queue.choosing.by_roles import RolesChooser, longest_pieces
from coschedule.queue.roles.party import Party
from coschedule.queue.search.finishes import first_in_time, least_of_first, seconds_until
from coschedule.queue.search.goals import RatedRun, RunGoal, run_of
from coschedule.queue.slots.alike_classes import alike_classes
from coschedule.queue.slots.by_domain import (
    Instants,
    SlotsByDomain,
    count_lasting,
    fastest_in,
    instants_in,
    most_by_domain,
    slots_by_domain,
)
from coschedule.queue.slots.domains import Domains, domains_of
from coschedule.queue.slots.open_slots import open_slots_for
from coschedule.queue.slots.timeline import Timeline

_ROUNDS = 2
"""How often slots are counted again. With fewer slots, the shortest run may be longer, so fewer slots last for it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RolesRivals:
    """The domains of a timeline; see ``Rivals``.

    For a label whose domains are single nodes, either all nodes of a class have the label, or none of them.
    """

    chooser: RolesChooser
    goal: RunGoal
    timeline: Timeline
    domains: Domains
    bounds: FloatArray
    lowest: IntArray

    @classmethod
    def of(cls, chooser: RolesChooser, timeline: Timeline, domain: IntArray, goal: RunGoal) -> Self | None:
        """Prepare the domains, domain[n]; None where there are none, or no mix of members has a time."""
        for level in chooser.levels:
            if level.single_nodes:
                timeline = timeline.divided(level.domain[timeline.node])
        domains = domains_of(timeline, domain)
        kinds = domains.alike(np.arange(len(timeline.width)), _shared(chooser, timeline))
        domains = domains.first_of(kinds)
        if not (len(domains.first) and len(chooser.party.needs)):
            return None
        bounds = _bounds(_CountedMixes.of(chooser, timeline, domains), chooser.party, goal)
        return cls(chooser=chooser, goal=goal, timeline=timeline, domains=domains, bounds=bounds, lowest=domains.lowest)

    def run(self, domain: int, until: float) -> RatedRun | None:
        """Find the best run in a domain; see ``Rivals``."""
        search = self.chooser.search(self.timeline.of_ranks(self.domains.ranks(domain)))
        found = self.chooser.best(search, self.goal, until)
        if found is None:
            return None
        longest = longest_pieces(search, found) if self.goal is RunGoal.EARLIEST_START else None
        return run_of(self.goal, self.chooser.gang, found.outline, longest=longest)

    def alike(self, until: float) -> IntArray:
        """Number alike domains; see ``Rivals``."""
        chooser, timeline = self.chooser, self.timeline
        # A run of unknown end also needs the room after its start.
        for_ever = self.goal is RunGoal.EARLIEST_START
        marks = _marks(chooser, timeline)
        kinds = alike_classes(timeline, chooser.party.wanted, marks, until, for_ever=for_ever)
        return self.domains.alike(kinds, _shared(chooser, timeline))


def _shared(chooser: RolesChooser, timeline: Timeline) -> list[IntArray]:
    """List the domain of each node, by rank, for each label whose domains may have several nodes."""
    return [level.domain[timeline.node] for level in chooser.levels if not level.single_nodes]


def _marks(chooser: RolesChooser, timeline: Timeline) -> list[IntArray]:
    """List the ``marks`` of classes for ``alike_classes``: int[c] each.

    The marks are the roles that a class admits, how long they may stay, and the labels whose domains are single nodes.
    """
    single = [_of_classes(timeline, level.domain) for level in chooser.levels if level.single_nodes]
    stays = () if chooser.stays is None else chooser.stays[timeline.example].T
    limits = [np.unique(of_role, return_inverse=True)[1].astype(np.int64) for of_role in stays]
    return [*chooser.passes[timeline.example].T.astype(np.int64), *limits, *single]


def _of_classes(timeline: Timeline, domain: IntArray) -> IntArray:
    """Return the domain of each class, int[c]. All nodes of a class must be in one domain. Node n is in ``domain[n]``.

    The function can't read ``domain[Timeline.example]``: the example of a class may have become a node of another
    class.
    """
    of_class = np.empty(len(timeline.width), dtype=np.int64)
    of_class[timeline.class_of] = domain[timeline.node]
    return of_class


class _CountedMixes(NamedTuple):
    """The number of mixes that may fit at each instant, and a lower bound on the ``factor`` of their runs.

    A mix is a number of members for each role (``Party``). Mixes are counted from the smallest on. The factor is the
    run time divided by the run time on idle reference nodes.
    """

    instants: Instants
    mixes: IntArray
    factor: FloatArray
    in_time: BoolArray

    @classmethod
    def of(cls, chooser: RolesChooser, timeline: Timeline, domains: Domains) -> Self:
        """Count mixes by the slots of each role: first by all slots, then by slots that last for the shortest run."""
        party, count = chooser.party, len(domains.first)
        first = max(timeline.now, chooser.gang.not_before)
        slots = [_slots(chooser, timeline, domains, role) for role in range(len(chooser.gang.roles))]
        instants = instants_in(slots, first, count)
        chooser.effort.spend(len(domains.rank) + sum(len(one.owner) for one in slots) + len(instants.owner))
        factor = _factor(party, slots, count)
        mixes = _mixes(party, slots, instants, np.zeros(count))
        for _ in range(_ROUNDS):
            shortest = least_of_first(party.times)[most_by_domain(mixes, instants)]
            mixes = _mixes(party, slots, instants, factor * shortest if party.is_known else np.full(count, np.inf))
        return cls(instants, mixes, factor[instants.owner], instants.time <= chooser.gang.promised)


def _slots(chooser: RolesChooser, timeline: Timeline, domains: Domains, role: int) -> SlotsByDomain:
    """List the slots that a role would have if it were alone."""
    party, passes = chooser.party, chooser.passes[:, role]
    most = 1 if chooser.is_one_a_node(role) else int(party.needs[:, role].max())
    open_slots = open_slots_for(
        timeline, party.requests[role], passes=passes, most=most, not_before=chooser.gang.not_before
    )
    return slots_by_domain(open_slots, domains)


def _factor(party: Party, slots: list[SlotsByDomain], domains: int) -> FloatArray:
    """Return a lower bound on run times in each domain, divided by the run times on idle reference nodes."""
    working = [fastest_in(one, domains) for one, works in zip(slots, party.works.tolist(), strict=True) if works]
    return party.least_factor(np.min(working, axis=0)) if working else np.ones(domains)


def _mixes(party: Party, slots: list[SlotsByDomain], instants: Instants, seconds: FloatArray) -> IntArray:
    """Count the mixes for which each role has enough slots that last for ``seconds[d]``."""
    return party.with_enough([count_lasting(one, instants, seconds) for one in slots])


def _bounds(counted: _CountedMixes, party: Party, goal: RunGoal) -> FloatArray:
    """Return lower bounds on the merits of the runs of each domain: float[d, 2]."""
    instants, mixes, factor = counted.instants, counted.mixes, counted.factor
    match goal:
        case RunGoal.LEAST_VALUE:
            cheapest = least_of_first(party.times * party.weights)
            first = party.price.least_value(instants.time, factor * cheapest[mixes], party.largest)
            second = np.zeros(len(first))
        case RunGoal.FEWEST_MEMBERS:
            first = _least_sizes(counted, party)
            shortest = least_of_first(party.times)
            second = instants.time + factor * shortest[mixes]
        case RunGoal.EARLIEST_START:
            first = np.where(mixes > 0, instants.time, np.inf)
            second = np.zeros(len(first)) if party.unequal else -np.append(0.0, party.sizes)[mixes]
        case _:
            assert_never(goal)
    return best_of_each(np.where(counted.in_time, first, np.inf), second, instants)


def _least_sizes(counted: _CountedMixes, party: Party) -> FloatArray:
    """Return a lower bound on the members of a run that meets the deadline: float[k], inf where none does."""
    deadline = party.gang.deadline
    assert deadline is not None, "members are counted where there is a deadline"
    first = first_in_time(party.times, seconds_until(deadline, counted.instants.time) / counted.factor)
    return np.where(first < counted.mixes, np.append(party.sizes, np.inf)[first], np.inf)
