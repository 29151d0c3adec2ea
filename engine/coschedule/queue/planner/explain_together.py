"""Why a gang of several roles, or with terms, fits nowhere: the first reason that is true, with its numbers."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.choosing.choice import Chooser
from coschedule.queue.choosing.chooser import keys_of_all
from coschedule.queue.choosing.demand import Demand, demand_of
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.feasible.topology import Topology
from coschedule.queue.planner.explain import (
    Stages,
    held_in_front,
    missed_deadline,
    no_node,
    slots_at_last,
    too_little,
    windows,
)
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.problem.open_ended import OpenEnded
from coschedule.queue.problem.refusals import (
    NoDomainFits,
    NoRoomTogether,
    NoTimeForSize,
    OfRole,
    Refusal,
    TooLittle,
    TooManyCombinations,
    WindowTooShort,
)
from coschedule.queue.problem.sizes import Sizes
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.roles.party import Party, party_of
from coschedule.queue.search.effort import effort_for_one

_HALF = 31
"""The number of lower bits of an amount. They are summed up separately from the higher bits."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """A gang without a placement, and the timelines at the ``stages`` of the plan.

    ``in_front`` has the gangs in front of it that are of unknown end, or have a node hold.
    """

    chooser: Chooser
    snapshot: Snapshot
    feasibility: Feasibility
    topology: Topology
    stages: Stages
    in_front: OpenEnded

    @property
    def gang(self) -> PendingGang:
        """The gang without a placement."""
        return self.chooser.gang

    @property
    def passes(self) -> list[BoolArray]:
        """The nodes that pass the constraints of each role: one array for each role, bool[n]."""
        return [self.feasibility.mask(role.constraints) for role in self.gang.roles]

    @property
    def stays(self) -> FloatArray | None:
        """The most seconds that members of some role may stay on each node; ``None`` if no node limits the stay."""
        stays = [self.feasibility.stays(role.constraints) for role in self.gang.roles]
        if all(of_role is None for of_role in stays):
            return None
        allowed = [
            np.where(passes, np.inf if of_role is None else of_role, -np.inf)
            for passes, of_role in zip(self.passes, stays, strict=True)
        ]
        longest: FloatArray = np.max(allowed, axis=0)
        return longest


def refuse_together(case: Case) -> Refusal:
    """Explain why a gang has no placement.

    The refusal has the first reason that is true, in this order:

    - No node passes for a role, or no size has a time.
    - The deadline is too early.
    - A role never has room alone, or all roles never have room together.
    - Windows are too short, or gangs in front use the room.

    If not all combinations were searched, only that is reported.
    """
    party = party_of(case.gang)
    if not len(party.needs):
        return _no_node(case) or _no_time(case)
    refusal = _first_reason(case, party)
    if case.chooser.gave_up:
        return TooManyCombinations(combinations=None, most=case.chooser.combinations)
    return refusal


def _first_reason(case: Case, party: Party) -> Refusal:
    return (
        _no_node(case)
        or missed_deadline(case.gang, case.chooser.soonest, case.stages.by_now)
        or _too_little(case, party)
        or _never_together(case, party)
        or _too_short(case, party)
        or _in_front(case, party)
    )


def _in_front(case: Case, party: Party) -> Refusal:
    blocker = case.in_front.blocker(np.logical_or.reduce(case.passes))
    return held_in_front(case.gang, case.snapshot, blocker, needed=int(party.sizes[0]))


def _alone(case: Case, party: Party | None) -> Iterator[Demand]:
    """Generate each role as a gang of its own, with the fewest members that the gang can have."""
    for index, role in enumerate(case.gang.roles):
        least = role.sizes.least if party is None else int(party.needs[0, index])
        sizes = Sizes(minimum=least, maximum=least)
        alone = replace(case.gang, roles=(replace(role, sizes=sizes),), work=None, kept=None, terms=())
        yield demand_of(alone, case.passes[index], lambda _: None, effort_for_one())


def _of_role(case: Case, demand: Demand, refusal: Refusal) -> Refusal:
    return refusal if len(case.gang.roles) == 1 else OfRole(role=demand.role.name, refusal=refusal)


def _no_node(case: Case) -> Refusal | None:
    for demand in _alone(case, None):
        if refusal := no_node(demand, case.snapshot, case.feasibility):
            return _of_role(case, demand, refusal)
    return None


def _no_time(case: Case) -> NoTimeForSize:
    sizes = [role.sizes for role in case.gang.roles]
    return NoTimeForSize(minimum=sum(one.minimum for one in sizes), maximum=sum(one.maximum for one in sizes))


def _too_little(case: Case, party: Party) -> Refusal | None:
    for demand in _alone(case, party):
        if refusal := too_little(demand, case.snapshot, case.feasibility, case.stages.at_last):
            return _of_role(case, demand, refusal)
    return None


def _never_together(case: Case, party: Party) -> NoDomainFits | NoRoomTogether | None:
    """Return a refusal if the roles do not fit together once everything with a known end has ended, without windows."""
    if case.chooser.without_limits().soonest(case.stages.at_last.timeline) is not None:
        return None
    needed, keys = int(party.sizes[0]), keys_of_all(case.gang, case.topology)
    if not keys:
        return NoRoomTogether(needed=needed, roles=len(case.gang.roles), too_little=_too_little_of(case, party))
    domains = case.topology.common_domains(keys)
    count = int((np.unique(domains) >= 0).sum())
    return NoDomainFits(needed=needed, keys=keys, domains=count, most=_most_in_one(case, party, domains))


def _too_little_of(case: Case, party: Party) -> TooLittle | None:
    """Return the resource with the largest ratio of needed to free ``at_last``; None if there is enough of each."""
    passing, wanted = np.flatnonzero(np.logical_or.reduce(case.passes)), party.wanted
    free = np.maximum(case.stages.at_last.free[np.ix_(passing, wanted)], 0)
    # Sums of 64-bit integers may overflow. So the halves are summed up separately, and added as Python's integers.
    there = [(high << _HALF) + low for high, low in zip(*_sums_of_halves(free), strict=True)]
    requests = party.requests[:, wanted].T.tolist()
    counts = party.needs[0].tolist()
    needed = [sum(count * amount for count, amount in zip(counts, of_roles, strict=True)) for of_roles in requests]
    short = [
        TooLittle(resource=case.snapshot.resources[column], needed=most, free=less)
        for column, most, less in zip(wanted.tolist(), needed, there, strict=True)
        if most > less
    ]
    return max(short, key=lambda one: Fraction(one.needed, max(1, one.free)), default=None)


def _sums_of_halves(amounts: IntArray) -> tuple[list[int], list[int]]:
    """Sum up the upper and the lower bits of each column."""
    return (amounts >> _HALF).sum(axis=0).tolist(), (amounts & (1 << _HALF) - 1).sum(axis=0).tolist()


def _most_in_one(case: Case, party: Party, domains: IntArray) -> int | None:
    """Count the members that fit in the domain with the most room; None if enough fit, or for several roles.

    Node n is in the domain ``domains[n]``, -1 for none.
    """
    there = domains >= 0
    if len(case.gang.roles) > 1 or not there.any():
        return None
    [demand] = _alone(case, party)
    most = int(np.bincount(domains[there], weights=slots_at_last(demand, case.stages.at_last)[there]).max())
    return most if most < demand.needed else None


def _too_short(case: Case, party: Party) -> WindowTooShort | None:
    if case.chooser.soonest(case.stages.at_first) is not None:
        return None
    passes = np.any(case.passes, axis=0)
    shortest = party.shortest_run(float(case.snapshot.slowdown[passes].min())) if party.is_known else None
    return windows(case.gang, case.snapshot, passes, case.stays, needed=int(party.sizes[0]), shortest=shortest)
