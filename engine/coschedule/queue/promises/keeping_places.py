"""Keeping the previous placements of gangs, as far as there still is room for them."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial

from coschedule.queue.choosing.own_speeds import own_timeline
from coschedule.queue.choosing.plain import PlainChooser
from coschedule.queue.keeping.fitting_places import fitting, those_with_room
from coschedule.queue.keeping.kept_places import Keeping, Place, claims_of, given_back
from coschedule.queue.owners.choosing import without_risk
from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.members import Members
from coschedule.queue.search.candidates import Outline


def keep(planner: Planner, gangs: Sequence[PendingGang], *, apart: Collection[GangKey]) -> Keeping[Planner]:
    """Claim the previous placements of gangs of one priority in forks, as far as there still is room for them.

    Gangs ``apart`` will also be planned in other ways, so one fork is without them.
    """
    if gangs:
        planner.let_in_front_of(gangs[0])
    places = list(_places(planner, gangs))
    find_slots = partial(planner.facts.find_slots, [place.gang for place in places if place.gang.key in apart])
    fits = fitting(places, apart, planner.claimed.timeline, find_slots)
    beside = planner.fork()
    beside.go_on([place for place in fits.places if place.gang.key not in apart], fits.beside)
    whole = planner.fork()
    whole.go_on(fits.places, fits.whole)
    return Keeping({place.gang.key: place for place in fits.places}, fits.whole, whole, beside)


def keep_beside(
    planner: Planner,
    keeping: Keeping[Planner],
    gone: Collection[GangKey],
    placed: Sequence[tuple[PendingGang, Placement]],
    *,
    claimed_before: Collection[GangKey] = (),
) -> list[Place]:
    """Continue with the kept places, except those of gangs ``gone``, and with the gangs ``placed``.

    The planner has claimed the places of the gangs ``claimed_before`` already. Returns the kept places for which there
    still is room.
    """
    given_up = [place for key, place in keeping.places.items() if key in gone]
    claims = [claim for gang, placement in placed for claim in planner.facts.placing.claims(gang, placement)]
    claimed = keeping.claimed.claimed_all([*given_back(claims_of(given_up)), *claims])
    kept = those_with_room([place for key, place in keeping.places.items() if key not in gone], claimed)
    planner.go_on([place for place in kept.places if place.gang.key not in claimed_before], kept.whole)
    return kept.places


def placement_of(place: Place, planner: Planner) -> Placement:
    """Return a kept place, which the planner has claimed, as a placement."""
    gang, choice = place.gang, place.choice
    if choice.outline.start <= planner.now:
        choice = replace(choice, alternative=_alternative_to(place, planner))
    return planner.facts.placing.placement(gang, choice, _unchanged_members(gang))


def _places(planner: Planner, gangs: Sequence[PendingGang]) -> Iterator[Place]:
    """List the kept places of gangs, with or without room; a gang for which this raises an exception has none."""
    place_kept_by = partial(planner.facts.kept_place, timeline=planner.claimed.timeline)
    for gang in gangs:
        place = planner.tried(place_kept_by, gang)
        if place is not None:
            yield place


def _alternative_to(place: Place, planner: Planner) -> Outline | None:
    """Return the alternative to a kept place; None for gangs that have no ``PlainChooser``."""
    chooser = planner.chooser(place.gang)
    if not isinstance(chooser, PlainChooser):
        return None
    planner.find_slots([place.gang])
    without_it = without_risk(place.gang, planner.claimed.timeline).claimed_all(given_back(place.claims))
    return chooser.alternative(own_timeline(place.gang, without_it), place.choice.outline)


def _unchanged_members(gang: PendingGang) -> tuple[Members, ...]:
    """Return the kept members, or () if they have unequal parts of the work.

    The work may have changed since the previous plan, so unequal parts are computed again.
    """
    is_whole = not any(role.load.is_unequal for role in gang.roles)
    return gang.kept.members if gang.kept is not None and is_whole else ()
