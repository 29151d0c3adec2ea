"""The requests of a gang of one role, and the best run for it on a timeline."""

import math
from dataclasses import dataclass
from typing import assert_never

import numpy as np

from coschedule.model.divided_work import Overhead, divided_work_of
from coschedule.model.goal import Goal, size_table
from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.model.run_times import SerialWork, Work
from coschedule.queue.choosing.deadlines import fewest_members
from coschedule.queue.loads.equal import EqualLoad
from coschedule.queue.loads.pieces import PiecesLoad
from coschedule.queue.loads.proportional import ProportionalLoad
from coschedule.queue.loads.unknown_run_time import earliest_start
from coschedule.queue.problem.gangs import Load, PendingGang, Role
from coschedule.queue.problem.price import Price
from coschedule.queue.search.candidates import Candidate, Consider, GangLoad, Outline, SearchSpace
from coschedule.queue.search.effort import Effort
from coschedule.queue.slots.open_slots import open_slots_for
from coschedule.queue.slots.timeline import Timeline


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Demand:
    """A gang of one role: each member takes ``request``, int[r], and may run on nodes with ``passes``, bool[n].

    A node takes at most ``per_node`` members. ``load`` is None when the run time is unknown. ``consider`` receives the
    runs that are computed, and ``effort`` counts the steps. Members may stay on a node for ``stays`` seconds, float[n];
    ``stays`` is None if no node limits the stay.
    """

    gang: PendingGang
    role: Role
    request: IntArray
    passes: BoolArray
    per_node: int
    load: GangLoad | None
    consider: Consider
    effort: Effort
    stays: FloatArray | None = None

    @property
    def for_ever(self) -> BoolArray:
        """The nodes that pass and do not limit how long members stay: bool[n]."""
        for_ever: BoolArray = self.passes if self.stays is None else self.passes & (self.stays == np.inf)
        return for_ever

    @property
    def needed(self) -> int:
        """The least size with a known time; the least of all sizes when none has one."""
        return int(self.load.sizes[0]) if self.load and self.load.sizes.size else self.role.sizes.least

    def search_space(self, timeline: Timeline) -> SearchSpace:
        """Return the search space of the gang: the slots for it on a timeline."""
        open_slots = open_slots_for(
            timeline,
            self.request,
            passes=self.for_ever if self.load is None else self.passes,
            most=min(self.role.largest, self.per_node),
            not_before=self.gang.not_before,
            stays=self.stays,
        )
        return SearchSpace(open_slots=open_slots, consider=self.consider, effort=self.effort)

    def best(self, space: SearchSpace, limit: float = math.inf) -> Candidate | None:
        """Choose the run of the least value up to ``limit`` or, with a deadline, the run of the fewest members in time.

        With an unknown run time, choose the earliest start; a deadline has no effect. No run starts after ``promised``.
        """
        if self.load is None or self.gang.deadline is None:
            return self.soonest(space, limit)
        return fewest_members(space, self.load, among=self._in_time(space), deadline=self.gang.deadline)

    def soonest(self, space: SearchSpace, limit: float = math.inf) -> Candidate | None:
        """Choose the least value, whatever the deadline; with an unknown run time, choose the earliest start."""
        if self.load is None:
            return self._earliest_start(space, 1, self._in_time(space))
        return self.load.best(space, among=self._in_time(space), limit=limit)

    def alternative(self, space: SearchSpace, chosen: Outline) -> Candidate | None:
        """Choose the alternative to ``chosen``; see ``Placement``."""
        now, later = space.all_indices[:1], space.all_indices[1:]
        starts_now = chosen.start == space.open_slots.instants[0]
        if self.load is None:
            return self._earliest_start(space, chosen.size + 1, later) if starts_now else None
        if not starts_now:
            return self.load.best(space, among=now, limit=math.inf)
        larger = self.load.where(self.load.sizes > chosen.size)
        other = self.load.where(self.load.sizes != chosen.size)
        return larger.best(space, among=later, limit=math.inf) or other.best(
            space, among=space.all_indices, limit=math.inf
        )

    def _in_time(self, space: SearchSpace) -> IntArray:
        """List the instants up to the promised start, by index."""
        return np.arange(np.searchsorted(space.open_slots.instants, self.gang.promised, side="right"))

    def _earliest_start(self, space: SearchSpace, least: int, among: IntArray) -> Candidate | None:
        sizes = self.role.sizes.between(least, self.role.largest)
        return earliest_start(space.open_slots, sizes=sizes, pieces=self.role.pieces, among=among)


def demand_of(
    gang: PendingGang,
    passes: BoolArray,
    consider: Consider,
    effort: Effort,
    *,
    per_node: int | None = None,
    stays: FloatArray | None = None,
) -> Demand:
    """Return the demand of a gang; ``per_node`` and ``stays`` limit the members of a node and their run times."""
    [role] = gang.roles
    return Demand(
        gang=gang,
        role=role,
        request=np.array(role.request, dtype=np.int64),
        passes=passes,
        per_node=per_node or role.sizes.maximum,
        load=None if gang.work is None else _load_of(role, gang.work, gang.price),
        consider=consider,
        effort=effort,
        stays=stays,
    )


def _load_of(role: Role, work: Work, price: Price) -> GangLoad:
    load = _load_of_range(role, work, price)
    return load.where(role.sizes.has(load.sizes)) if role.sizes.have_gaps else load


def _load_of_range(role: Role, work: Work, price: Price) -> GangLoad:
    goal = Goal(minimum=role.sizes.minimum, maximum=role.largest)
    table = size_table(work, goal, slots=goal.maximum, exact=False)
    match role.load:
        case Load.PROPORTIONAL:
            loads = divided_work_of(work, goal, Overhead.PER_MEMBER, slots=goal.maximum, exact=False)
            return ProportionalLoad(sizes=loads.sizes, work=loads.work, price=price)
        case Load.PIECES:
            assert isinstance(work, SerialWork), "the snapshot checks it"
            assert role.pieces is not None, "the snapshot checks it"
            return PiecesLoad(
                pieces=role.pieces,
                seconds_per_piece=float(work.serial) / role.pieces,
                sizes=table.sizes,
                overheads=work.float_overheads(goal.maximum)[table.sizes - 1],
                price=price,
            )
        case Load.EQUAL | Load.NONE:
            # A role without a load is planned alone only to find where it would fit.
            return EqualLoad(sizes=table.sizes, times=table.times, price=price)
        case _:
            assert_never(role.load)
