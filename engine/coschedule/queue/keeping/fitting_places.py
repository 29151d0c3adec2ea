"""The places of the plan before for which there still is room together.

Method: all are claimed at once. Whoever then is on a node that is closed or has less than nothing left is *crowded*:
something ends later than was planned. It slides until there is room for it beside what runs, and so do those behind it
(``sliding.py``). Whoever is crowded still is given back and looked at one by one on what the others leave, the earliest
start first, and may slide once more.

Where somebody loses its place by that, since it would start later than it was promised, it is tried whether fewer lose
theirs if only what nobody sees is made up for by sliding, and those that are delayed by more lose theirs. Places that
were told at different times, as a new leader reads them, need not be of one plan: a few are also looked at one by one.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from coschedule.queue.keeping.kept_places import Place, claims_of, given_back
from coschedule.queue.keeping.sliding import planned_start, slid, with_room
from coschedule.queue.problem.gangs import RESOLUTION_SECONDS, GangKey
from coschedule.queue.slots.timeline import Timeline

_MOST_ONE_BY_ONE = 128
"""Where there are more places, looking at them one by one would take longer than a plan may."""

_FEW_OF_ALL = 0.2
"""Where more than this part of the places is given back or claimed, claiming all of them anew takes less time."""


class PlacesTogether(NamedTuple):
    """The places for which there is room together; a timeline with the ``whole`` of them, or all ``beside`` some."""

    places: list[Place]
    whole: Timeline
    beside: Timeline


class Together(NamedTuple):
    """Places for which there is room together, and a timeline with the ``whole`` of them."""

    places: list[Place]
    whole: Timeline


def fitting(
    places: Sequence[Place], apart: Collection[GangKey], timeline: Timeline, look_ahead: Callable[[Timeline], None]
) -> PlacesTogether:
    """Find the places for which there is room on the timeline, and claim them, those of the gangs ``apart`` apart.

    ``look_ahead`` is called with the timeline ``beside`` before the ``whole`` is made from it: what is found there need
    not be found again on those that are made from it.
    """
    own = [place for place in places if place.gang.key in apart]
    beside = timeline.claimed_all(claims_of(place for place in places if place.gang.key not in apart))
    whole = beside.claimed_all(claims_of(own))
    kept, crowded = list(places), _crowded(places, whole)
    if crowded:
        kept, whole = _most_kept(places, _delayed(crowded, timeline), timeline, whole)
        own = [place for place in kept if place.gang.key in apart]
        beside = whole.claimed_all(given_back(claims_of(own)))
    look_ahead(beside)
    return PlacesTogether(kept, beside.claimed_all(claims_of(own)), beside)


def those_with_room(places: Sequence[Place], whole: Timeline) -> Together:
    """Return those of the places, which are all claimed in the ``whole``, for which there is room, in their order.

    Who is crowded is given back and looked at one by one, and may slide.
    """
    crowded = _crowded(places, whole)
    if not crowded:
        return Together(list(places), whole)
    found = _one_by_one(crowded, whole.claimed_all(given_back(claims_of(crowded))))
    by_key = {place.gang.key: place for place in places}
    for place in crowded:
        del by_key[place.gang.key]
    by_key.update({place.gang.key: place for place in found.places})
    return Together([by_key[place.gang.key] for place in places if place.gang.key in by_key], found.whole)


def _delayed(crowded: Iterable[Place], timeline: Timeline) -> dict[GangKey, float]:
    """Tell when crowded places can start beside what runs, on a timeline without any place; inf where too late."""
    moved = {place.gang.key: with_room(place, timeline) for place in crowded}
    return {key: np.inf if place is None else place.choice.outline.start for key, place in moved.items()}


def _most_kept(
    places: Sequence[Place], delayed: Mapping[GangKey, float], timeline: Timeline, whole: Timeline
) -> Together:
    """Have places slide in a few ways, until no more can be kept or all are tried; return what most of them keep."""
    nodes = len(timeline.node)
    ways: list[Callable[[], Together]] = [
        lambda: _settled(places, slid(places, delayed, nodes), timeline, whole),
        lambda: _settled(places, slid(places, {**delayed, **_too_late(places, delayed)}, nodes), timeline, whole),
    ]
    if len(places) <= _MOST_ONE_BY_ONE:
        ways.append(lambda: _one_by_one(places, timeline))
    # Whoever has no room in time beside what runs has none in any way.
    most = len(places) - sum(start == np.inf for start in delayed.values())
    best = ways[0]()
    for way in ways[1:]:
        if len(best.places) == most:
            break
        best = max(best, way(), key=lambda kept: _merit(places, kept.places))
    return best


def _merit(places: Iterable[Place], kept: Sequence[Place]) -> tuple[int, float]:
    """Tell how good it is to keep these places: better the more they are, then the later others were promised."""
    keys = {place.gang.key for place in kept}
    return len(kept), min((place.gang.promised for place in places if place.gang.key not in keys), default=np.inf)


def _too_late(places: Iterable[Place], delayed: Mapping[GangKey, float]) -> dict[GangKey, float]:
    """Say of places that something delays by more than anybody would see that they are too late: inf."""
    starts = {place.gang.key: max(place.choice.outline.start, delayed.get(place.gang.key, -np.inf)) for place in places}
    planned = {place.gang.key: planned_start(place) for place in places}
    return {key: np.inf for key, start in starts.items() if start >= planned[key] + RESOLUTION_SECONDS}


def _settled(places: Sequence[Place], moved: Sequence[Place], timeline: Timeline, whole: Timeline) -> Together:
    """Return those of the places that have ``moved`` for which there is room; the ``whole`` has them unmoved."""
    old, new = {place.gang.key: place for place in places}, {place.gang.key: place for place in moved}
    gone = [place for key, place in old.items() if new.get(key) is not place]
    come = [place for key, place in new.items() if old.get(key) is not place]
    if len(gone) + len(come) > _FEW_OF_ALL * len(moved):
        return those_with_room(moved, timeline.claimed_all(claims_of(moved)))
    return those_with_room(moved, whole.claimed_all([*given_back(claims_of(gone)), *claims_of(come)]))


def _crowded(places: Sequence[Place], claimed: Timeline) -> list[Place]:
    """List the places that may be too many, where all of them are claimed."""
    is_crowded = iter(claimed.crowded(claims_of(places)))
    return [place for place in places if any(list(islice(is_crowded, len(place.claims))))]


def _one_by_one(places: Iterable[Place], timeline: Timeline) -> Together:
    """Find room for the places one after the other; return those that have it."""
    found = []
    for place in sorted(places, key=lambda place: place.choice.outline.start):
        settled = with_room(place, timeline)
        if settled is not None:
            found.append(settled)
            timeline = timeline.claimed_all(settled.claims)
    return Together(found, timeline)
