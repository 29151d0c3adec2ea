"""The base of each search for a gang of several roles: whether a mix of members fits, and on which nodes.

Bounds come first: each role alone, and all roles together as if the cluster were one node. Mixes that pass them are
placed exactly (``packing``).
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.packing.fitting import Fitting, fitting_of
from coschedule.queue.packing.layout import layout_of
from coschedule.queue.packing.node_classes import NodeClasses, Offer
from coschedule.queue.packing.places import Seats, add_up, seats_in
from coschedule.queue.packing.rules import is_bound
from coschedule.queue.roles.party import Party
from coschedule.queue.roles.rooms import ClassRoom, Rooms
from coschedule.queue.search.candidates import Consider, Considered, Outline
from coschedule.queue.search.effort import Effort
from coschedule.queue.slots.timeline import Timeline

_ROUNDING = 1 + 1e-9
"""Upper bounds are multiplied by this factor. So they are not too low, although sums of amounts are rounded."""


class Found(NamedTuple):
    """One way to run a gang. ``seats`` are its chosen nodes, with the members of each role there."""

    outline: Outline
    seats: tuple[Seats, ...]


class Short(NamedTuple):
    """A mix does not fit: only ``most`` members of the maximised role fit, -inf if even the other roles do not."""

    most: float


class Weights(NamedTuple):
    """The worth of a member of ``roles[k]`` on nodes of each class, ``worth[c, k]``; 0 where it cannot run."""

    roles: tuple[int, ...]
    worth: FloatArray


class BestSeats(NamedTuple):
    """The largest ``worth`` of all members together, and their nodes."""

    worth: float
    seats: tuple[Seats, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartySearch:
    """A party on a timeline: if ``passes[c, role]``, a node of class c may have ``most[c, role]`` members of the role.

    ``node_classes`` are the classes of nodes that the party may use. ``passes_by_node`` is like ``passes``, by the
    index of nodes. Members may stay for ``stays[c, role]`` seconds from the start of the run; ``stays`` is None if
    nothing limits the stay. Free amounts are only of the ``wanted`` resources. ``instants``, rising, are the starts to
    try. ``fittings`` are cached by mix. When the ``effort`` is over, a search returns the best run found until then.
    """

    party: Party
    timeline: Timeline
    node_classes: NodeClasses
    passes: BoolArray
    passes_by_node: BoolArray
    most: IntArray
    wanted: IntArray
    rooms: Rooms
    instants: FloatArray
    consider: Consider
    effort: Effort
    stays: FloatArray | None = None
    fittings: dict[tuple[tuple[int, ...], tuple[int, ...]], Fitting] = field(default_factory=dict)

    @property
    def requests(self) -> IntArray:
        """The requests of members for the wanted resources: int[role, w]."""
        return self.party.requests[:, self.wanted]

    def room(self, start: float, finish: float) -> ClassRoom:
        """Return the resources that are free from start to finish, and the members that may stay for that time."""
        self.effort.spend(len(self.rooms.owner))
        room = self.rooms.during(start, finish)
        return room if self.stays is None else replace(room, stays=start + self.stays >= finish)

    def slots(self, room: ClassRoom) -> IntArray:
        """Count the members of each role that a node could hold if it were the only role: int[c, role]."""
        slots = np.where(room.admits(self.passes), self.most, 0)
        for role, request in enumerate(self.requests):
            for resource in np.flatnonzero(request).tolist():
                np.minimum(slots[:, role], room.free[:, resource] // request[resource], out=slots[:, role])
        return slots

    def may_fit(self, room: ClassRoom) -> IntArray:
        """Count the mixes, from the smallest on, that may fit on nodes up to each pace: int[t]; no others fit."""
        slots = self.slots(room)
        self.effort.spend(slots.size)
        slower = np.zeros((len(self.timeline.slowdowns), slots.shape[1]), dtype=np.int64)
        np.add.at(slower, self.timeline.pace, slots * self.timeline.width[:, np.newaxis])
        by_pace = np.cumsum(slower, axis=0)
        by_pace[:, ~self.party.works] = by_pace[-1:, ~self.party.works]
        return np.minimum(self.party.with_enough(by_pace.T), self._may_fit_together(room, slots))

    def may_fit_anywhere(self, room: ClassRoom) -> int:
        """Count the mixes, from the smallest on, that may fit on nodes of any speed."""
        return int(self.may_fit(room)[-1:].max(initial=0))

    def _may_fit_together(self, room: ClassRoom, slots: IntArray) -> int:
        """Count the mixes that would fit if all useful nodes were one node."""
        useful = slots.any(axis=1)
        free = self.timeline.width[useful].astype(np.float64) @ room.free[useful].astype(np.float64)
        wanted = self.party.needs.astype(np.float64) @ self.requests.astype(np.float64)
        fits: BoolArray = np.all(wanted <= free * _ROUNDING, axis=1)
        # A mix requests no less than a smaller one.
        return int(np.count_nonzero(fits))

    def seats(self, mix: int, room: ClassRoom, slowest: int) -> tuple[Seats, ...] | Short:
        """Put a mix on nodes, members with a load only on paces up to ``slowest``; ``Short`` if it does not fit."""
        fitting = self._fitting(mix, weighed=())
        admits = self._admits(room, slowest)
        offer = Offer(free=room.free, admits=admits, worth=np.zeros(admits.shape))
        layout = fitting.layout
        goal = len(layout.counts) - 1
        whole = add_up(layout, self.node_classes.parts(fitting, offer, self.effort), self.effort, until=goal)
        if whole.table[goal] < layout.enough:
            return Short(float(whole.table[goal]))
        return tuple(seats_in(layout, whole, goal, layout.enough))

    def best_seats(self, mix: int, room: ClassRoom, weights: Weights) -> BestSeats | None:
        """Put a mix on nodes so that the worth of its members has the largest sum; None where it does not fit."""
        fitting, offer = self.weighed(mix, room, weights)
        whole = add_up(fitting.layout, self.node_classes.parts(fitting, offer, self.effort), self.effort)
        goal = len(fitting.layout.counts) - 1
        if whole.table[goal] == -np.inf:
            return None
        return BestSeats(float(whole.table[goal]), tuple(seats_in(fitting.layout, whole, goal, np.inf)))

    def weighed(self, mix: int, room: ClassRoom, weights: Weights) -> tuple[Fitting, Offer]:
        """Return the ``Fitting`` of a mix whose members have a worth, and the offers of nodes to these members."""
        admits = self._admits(room, len(self.timeline.slowdowns))
        worth = np.zeros(admits.shape)
        for role, of_role in zip(weights.roles, weights.worth.T, strict=True):
            admits[:, role] &= of_role > 0
            worth[:, role] = of_role
        return self._fitting(mix, weighed=weights.roles), Offer(free=room.free, admits=admits, worth=worth)

    def outline(self, mix: int, start: float, finish: float) -> Outline:
        """Return the outline of a run of a mix."""
        size = int(self.party.sizes[mix])
        return Outline(self.party.price.value(start, finish, size), size, start, finish)

    def report(self, start: float, mix: int, slowest: int, finish: float) -> None:
        """Pass one run to ``consider`` after it was tried; ``finish`` is inf if it does not fit."""
        self.consider(
            Considered(
                start=np.array([start]),
                slowdown=self.timeline.slowdowns[[slowest]],
                size=self.party.sizes[[mix]],
                finish=np.array([[finish]]),
            )
        )

    def _admits(self, room: ClassRoom, slowest: int) -> BoolArray:
        fast = self.timeline.pace <= slowest
        return room.admits(self.passes) & (fast[:, np.newaxis] | ~self.party.works)

    def _fitting(self, mix: int, weighed: tuple[int, ...]) -> Fitting:
        """Return the ``Fitting`` of a mix; ``weighed`` roles are counted exactly, since each member has a worth."""
        party = self.party
        key = (tuple(party.needs[mix].tolist()), weighed)
        if key not in self.fittings:
            exact = is_bound([term for _, term in party.terms], len(party.works))
            exact[list(weighed)] = True
            layout = layout_of(
                party.needs[mix],
                exact=exact,
                maximised=None if weighed else party.maximised,
                enough=np.inf if weighed else 0.0,
            )
            self.fittings[key] = fitting_of(layout, self.requests)
        return self.fittings[key]
