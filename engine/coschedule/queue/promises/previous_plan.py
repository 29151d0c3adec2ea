"""The previous plan of gangs of one priority, as far as they keep their places."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from coschedule.queue.keeping.kept_places import Keeping, Place
from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.decisions import Decision, Placement
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.promises.in_turn import in_turn, kept_start
from coschedule.queue.promises.keeping_places import keep, placement_of
from coschedule.queue.promises.planned import Planned


class PreviousPlan(NamedTuple):
    """The gangs that keep places or are planned again, their places, and these places as placements.

    Gangs ``apart`` are planned again: the gangs of all fronts (``promises.fronts``). If gangs of several groups wait,
    all gangs without a promise are planned again too.
    """

    gangs: Sequence[PendingGang]
    apart: Collection[GangKey]
    keeping: Keeping[Planner]
    placements: Mapping[GangKey, Placement]

    def with_gangs(self, decisions: Iterable[Decision]) -> list[tuple[PendingGang, Decision]]:
        """Pair decisions about some of these gangs with the gangs."""
        by_key = {gang.key: gang for gang in self.gangs}
        return [(by_key[one.gang], one) for one in decisions]

    def kept_whole(self) -> Planned:
        """Return a plan that keeps all places, with the gangs without a place planned behind them."""
        whole, rest = self.keeping.whole.fork(), [gang for gang in self.gangs if gang.key not in self.placements]
        charged = whole.charged.after(self.with_gangs(self.placements.values()))
        return Planned(whole, [*self.placements.values(), *in_turn(whole, rest, charged)])

    def newly_placed(self, first: Planned) -> dict[GangKey, Placement]:
        """Return the placements that the ``first`` plan found for gangs without a kept place; all fit together."""
        places = {one.gang: one for one in first.decisions if isinstance(one, Placement)}
        return {key: place for key, place in places.items() if key not in self.placements}

    def placement_at(self, place: Place, planner: Planner) -> Placement:
        """Return a place as a placement; the planner makes a new one if the place has moved."""
        key = place.gang.key
        return self.placements[key] if place is self.keeping.places[key] else placement_of(place, planner)


def previous_plan(
    planner: Planner,
    gangs: Sequence[PendingGang],
    apart: Collection[GangKey],
    raising: frozenset[GangKey] = frozenset(),
) -> PreviousPlan:
    """Find the places that gangs keep; gangs ``raising``, whose placement raised an exception, keep nothing."""
    early = [gang for gang in gangs if gang.kept is not None or gang.key in apart]
    in_order = sorted(early, key=kept_start)
    with_kept = [gang for gang in in_order if gang.kept is not None and gang.key not in raising]
    keeping = keep(planner, with_kept, apart=apart)
    place_of_gang = partial(_placement, keeping)
    tried = {key: planner.tried(place_of_gang, place.gang) for key, place in keeping.places.items()}
    placements = {key: placement for key, placement in tried.items() if placement is not None}
    if len(placements) < len(tried):
        return previous_plan(planner, gangs, apart, raising | (tried.keys() - placements.keys()))
    return PreviousPlan(in_order, apart, keeping, placements)


def _placement(keeping: Keeping[Planner], gang: PendingGang) -> Placement:
    return placement_of(keeping.places[gang.key], keeping.whole)
