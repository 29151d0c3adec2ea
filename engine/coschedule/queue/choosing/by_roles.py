"""The choice for a gang of several roles, or with terms among its members."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self, assert_never

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.pieces.fastest_nodes import divide_pieces
from coschedule.queue.choosing.choice import Choice
from coschedule.queue.choosing.limiting_nodes import slowest_node
from coschedule.queue.packing.node_classes import Level, node_classes_of
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.problem.terms import TermKind
from coschedule.queue.roles.equal import any_equal, best_equal
from coschedule.queue.roles.party import Party
from coschedule.queue.roles.rooms import Rooms
from coschedule.queue.roles.run_preferences import FewestMembers, LeastValue, Wish
from coschedule.queue.roles.search import Found, PartySearch
from coschedule.queue.roles.unequal import best_unequal
from coschedule.queue.roles.unknown_run_time import earliest_mix
from coschedule.queue.search.candidates import Consider, Outline
from coschedule.queue.search.effort import Effort
from coschedule.queue.search.goals import RunGoal, goal_of, soonest_goal_of
from coschedule.queue.search.node_choice import ChosenNodes
from coschedule.queue.slots.timeline import Timeline


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RolesChooser:
    """Chooses a run of a party (a gang of several roles); see ``Chooser``.

    Members of a role may be on node n if ``passes[n, role]``, for at most ``stays[n, role]`` seconds. ``levels`` are as
    in ``NodeClasses``, but with the domain of each node, domain[n].
    """

    party: Party
    passes: BoolArray
    levels: tuple[Level, ...]
    consider: Consider
    effort: Effort
    stays: FloatArray | None = None

    @property
    def gang(self) -> PendingGang:
        """The gang it chooses for."""
        return self.party.gang

    @property
    def gave_up(self) -> bool:
        """Whether some combinations were not searched."""
        return self.effort.was_ever_over

    @property
    def combinations(self) -> int:
        """The number of steps spent, about one for each combination of members and nodes."""
        return self.effort.total

    def choose(self, timeline: Timeline) -> Choice | None:
        """Choose the best run, and its nodes."""
        search = self.search(timeline)
        found = self.best(search, goal_of(self.gang), np.inf)
        if found is None:
            return None
        seats = _by_role(found, len(self.gang.roles))
        return Choice(
            outline=found.outline,
            seats=seats,
            slowest=slowest_node(self.gang, seats, search.timeline),
            latest=_latest(search, found),
            alternative=self._alternative(search, found),
        )

    def without_limits(self) -> Self:
        """Return the chooser without limits on how long members may stay on nodes."""
        return replace(self, stays=None)

    def soonest(self, timeline: Timeline) -> Outline | None:
        """Return the best run, whatever the deadline."""
        found = self.best(self.search(timeline), soonest_goal_of(self.gang), np.inf)
        return None if found is None else found.outline

    def best(self, search: PartySearch, goal: RunGoal, limit: float) -> Found | None:
        """Find the best run that starts by ``promised``; with ``LEAST_VALUE``, only runs of a value up to ``limit``."""
        in_time = search.instants[search.instants <= self.gang.promised]
        match goal:
            case RunGoal.LEAST_VALUE:
                return self._run(search, in_time, LeastValue(self._all, limit))
            case RunGoal.FEWEST_MEMBERS:
                assert self.gang.deadline is not None, "members are counted where there is a deadline"
                return self._run(search, in_time, FewestMembers(self._all, self.gang.deadline))
            case RunGoal.EARLIEST_START:
                return earliest_mix(search, among=in_time, mixes=self._all)
            case _:
                assert_never(goal)

    def is_one_a_node(self, role: int) -> bool:
        """Whether terms allow at most one member of a role on each node that passes for the role."""
        return any(
            level.single_nodes
            and (level.domain[self.passes[:, role]] >= 0).all()
            and any(term.kind is TermKind.APART and term.roles[role] and term.towards[role] for term in level.terms)
            for level in self.levels
        )

    def best_of_size(self, search: PartySearch, size: int) -> Outline | None:
        """Return the best run of ``size`` members, whatever the deadline."""
        in_time = search.instants[search.instants <= self.gang.promised]
        found = self._run(search, in_time, LeastValue(self.party.sizes == size, np.inf))
        return None if found is None else found.outline

    def search(self, timeline: Timeline) -> PartySearch:
        """Prepare the search on a timeline."""
        levels = [level._replace(domain=level.domain[timeline.node]) for level in self.levels]
        for level in levels:
            timeline = timeline.divided(level.domain)
        node_classes = node_classes_of(timeline, levels)
        passes, wanted = self.passes[timeline.example], self.party.wanted
        rooms = Rooms.of(timeline, wanted)
        self.effort.spend(len(timeline.node) + rooms.free.size)
        return PartySearch(
            party=self.party,
            timeline=timeline,
            node_classes=node_classes,
            passes=passes,
            passes_by_node=self.passes,
            most=self._most(node_classes.levels, len(passes)),
            wanted=wanted,
            rooms=rooms,
            instants=rooms.instants(np.any(passes, axis=1), max(timeline.now, self.gang.not_before)),
            consider=self.consider,
            effort=self.effort,
            stays=None if self.stays is None else self.stays[timeline.example],
        )

    @property
    def _all(self) -> BoolArray:
        return np.ones(len(self.party.needs), dtype=np.bool_)

    def _most(self, levels: Sequence[Level], classes: int) -> IntArray:
        """Return the most members of a role that a node of each class may take: int[c, role]."""
        needs = self.party.needs.max(axis=0, initial=0)
        most = np.repeat(needs[np.newaxis], classes, axis=0)
        for level in levels:
            for term in level.terms:
                if level.single_nodes and term.kind is TermKind.APART:
                    most[np.ix_(level.domain >= 0, term.roles & term.towards)] = 1
        return most

    def _run(self, search: PartySearch, among: FloatArray, wish: Wish) -> Found | None:
        if not self.party.is_known:
            return earliest_mix(search, among=among, mixes=wish.mixes)
        if self.party.unequal:
            return best_unequal(search, wish, among=among)
        found = best_equal(search, wish, among=among)
        if found is not None or not self.effort.is_over or self.effort.was_over:
            return found
        self.effort.once_more()
        return any_equal(search, wish, among=among)

    def _alternative(self, search: PartySearch, found: Found) -> Outline | None:
        """Choose the alternative to the run that was found; see ``Placement``."""
        now, later, sizes = search.instants[:1], search.instants[1:], self.party.sizes
        starts_now = found.outline.start == now[0]
        if not starts_now:
            other = self._run(search, now, LeastValue(self._all, np.inf)) if self.party.is_known else None
        else:
            other = self._run(search, later, LeastValue(sizes > found.outline.size, np.inf))
            if other is None and self.party.is_known:
                other = self._run(search, search.instants, LeastValue(sizes != found.outline.size, np.inf))
        return None if other is None else other.outline


def longest_pieces(search: PartySearch, found: Found) -> float | None:
    """Return the time after which the last member has done its pieces; None without pieces.

    The unit is the time of one piece of weight 1 on an idle reference node.
    """
    by_role = _by_role(found, len(search.party.gang.roles))
    ends = []
    for pool in search.party.pools:
        ranks, counts = by_role[pool.role]
        slowdowns = np.repeat(search.timeline.slowdowns[search.timeline.pace[search.timeline.class_of[ranks]]], counts)
        ends.append(float((divide_pieces(slowdowns, pool.pieces) * pool.times(slowdowns)).max()))
    return max(ends, default=None)


def _by_role(found: Found, roles: int) -> tuple[ChosenNodes, ...]:
    ranks = np.array([seat.rank for seat in found.seats], dtype=np.int64)
    counts = np.array([seat.counts for seat in found.seats], dtype=np.int64)
    order = np.argsort(ranks)
    ranks, counts = ranks[order], counts[order]
    return tuple(ChosenNodes(ranks[counts[:, role] > 0], counts[counts[:, role] > 0, role]) for role in range(roles))


def _latest(search: PartySearch, found: Found) -> int | None:
    """Find the first node without room for its members just before the start; None without one, or for a start now."""
    if not found.outline.start > search.timeline.now:
        return None
    before = search.room(float(np.nextafter(found.outline.start, -np.inf)), found.outline.start)
    for seat in sorted(found.seats, key=lambda seat: seat.rank):
        one = int(search.timeline.class_of[seat.rank])
        if not before.open[one] or (seat.counts @ search.requests > before.free[one]).any():
            return seat.rank
    return None
