"""The places of the previous plan for which there still is room together.

Method: claim all places at once. A place is *crowded* if one of its nodes is then closed or overcommitted, since
something ends later than planned. For a gang that may not be interrupted, nodes are closed in hours at risk. Crowded
places slide to a start with room beside running gangs, and the places behind them slide too (``sliding.py``). Places
that are still crowded are given back. Then they are tried one by one on the remaining room, the earliest start first,
and may slide again.

If a gang then loses its place, since it would start after its promise, other ways are tried. In one way, places slide
only by delays that are too small to be visible, and places with larger delays are dropped. A new leader reads places
that were written at different times and so may belong to different plans. So a few places are also tried one by one.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from coschedule.queue.keeping.kept_places import Place, claims_of, given_back
from coschedule.queue.keeping.sliding import planned_start, slid, with_room
from coschedule.queue.owners.choosing import without_risk
from coschedule.queue.problem.gangs import RESOLUTION_SECONDS, GangKey
from coschedule.queue.slots.timeline import Timeline

_MOST_ONE_BY_ONE = 128
"""The most places that are tried one by one: more would take longer than a plan may."""

_FEW_OF_ALL = 0.2
"""If a larger part of the places is given back or claimed, claiming all of them again takes less time."""


class PlacesTogether(NamedTuple):
    """Places for which there is room together.

    ``whole`` has all their claims. ``beside`` has all claims except those of gangs ``apart`` (see ``fitting``).
    """

    places: list[Place]
    whole: Timeline
    beside: Timeline


class Together(NamedTuple):
    """Places for which there is room together, and the timeline ``whole`` with all their claims."""

    places: list[Place]
    whole: Timeline


def fitting(
    places: Sequence[Place], apart: Collection[GangKey], timeline: Timeline, find_slots: Callable[[Timeline], None]
) -> PlacesTogether:
    """Find the places for which there is room together on ``timeline``, and claim them.

    Claims of gangs ``apart`` are only in ``whole``, not in ``beside``. ``find_slots`` is called with ``beside``. Then
    ``whole`` is made from ``beside``. So all timelines that are made from ``beside`` share the slots that
    ``find_slots`` finds.
    """
    own = [place for place in places if place.gang.key in apart]
    beside = timeline.claimed_all(claims_of(place for place in places if place.gang.key not in apart))
    whole = beside.claimed_all(claims_of(own))
    kept, crowded = list(places), _crowded(places, whole)
    if crowded:
        kept, whole = _most_kept(places, _delayed(crowded, timeline), timeline, whole)
        own = [place for place in kept if place.gang.key in apart]
        beside = whole.claimed_all(given_back(claims_of(own)))
    find_slots(beside)
    return PlacesTogether(kept, beside.claimed_all(claims_of(own)), beside)


def those_with_room(places: Sequence[Place], whole: Timeline) -> Together:
    """Return the places for which there is room, in their order; all are claimed in ``whole``.

    Crowded places are given back and tried one by one, and may slide.
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
    """Return the starts at which crowded places have room on ``timeline``, which has no places; inf without a start."""
    moved = {place.gang.key: with_room(place, timeline) for place in crowded}
    return {key: np.inf if place is None else place.choice.outline.start for key, place in moved.items()}


def _most_kept(
    places: Sequence[Place], delayed: Mapping[GangKey, float], timeline: Timeline, whole: Timeline
) -> Together:
    """Slide places in a few ways, until no more can be kept or all ways are tried; return the best result."""
    nodes = len(timeline.node)
    ways: list[Callable[[], Together]] = [
        lambda: _moved(places, slid(places, delayed, nodes), timeline, whole),
        lambda: _moved(places, slid(places, {**delayed, **_too_late(places, delayed)}, nodes), timeline, whole),
    ]
    if len(places) <= _MOST_ONE_BY_ONE:
        ways.append(lambda: _one_by_one(places, timeline))
    # A place that can't start in time even beside running gangs alone is lost in all ways.
    most = len(places) - sum(start == np.inf for start in delayed.values())
    best = ways[0]()
    for way in ways[1:]:
        if len(best.places) == most:
            break
        best = max(best, way(), key=lambda kept: _merit(places, kept.places))
    return best


def _merit(places: Iterable[Place], kept: Sequence[Place]) -> tuple[int, float]:
    """Return the merit of keeping these places: more places are better, then later promises of the lost ones."""
    keys = {place.gang.key for place in kept}
    return len(kept), min((place.gang.promised for place in places if place.gang.key not in keys), default=np.inf)


def _too_late(places: Iterable[Place], delayed: Mapping[GangKey, float]) -> dict[GangKey, float]:
    """Return a start of inf, so that the place is dropped, for each gang that is delayed by a visible time."""
    starts = {place.gang.key: max(place.choice.outline.start, delayed.get(place.gang.key, -np.inf)) for place in places}
    planned = {place.gang.key: planned_start(place) for place in places}
    return {key: np.inf for key, start in starts.items() if start >= planned[key] + RESOLUTION_SECONDS}


def _moved(places: Sequence[Place], moved: Sequence[Place], timeline: Timeline, whole: Timeline) -> Together:
    """Return the ``moved`` places for which there is room; ``whole`` has the claims of the unmoved ``places``."""
    old, new = {place.gang.key: place for place in places}, {place.gang.key: place for place in moved}
    gone = [place for key, place in old.items() if new.get(key) is not place]
    come = [place for key, place in new.items() if old.get(key) is not place]
    if len(gone) + len(come) > _FEW_OF_ALL * len(moved):
        return those_with_room(moved, timeline.claimed_all(claims_of(moved)))
    return those_with_room(moved, whole.claimed_all([*given_back(claims_of(gone)), *claims_of(come)]))


def _crowded(places: Sequence[Place], claimed: Timeline) -> list[Place]:
    """List the crowded places on a timeline on which all of them are claimed."""
    crowded = set[GangKey]()
    for timeline in (claimed, *claimed.safer[:1]):
        own = [place for place in places if without_risk(place.gang, claimed) is timeline]
        is_crowded = iter(timeline.crowded(claims_of(own)))
        crowded |= {place.gang.key for place in own if any(list(islice(is_crowded, len(place.claims))))}
    return [place for place in places if place.gang.key in crowded]


def _one_by_one(places: Iterable[Place], timeline: Timeline) -> Together:
    """Find room for one place after the other, the earliest start first; return those that have room."""
    found = []
    for place in sorted(places, key=lambda place: place.choice.outline.start):
        with_it = with_room(place, timeline)
        if with_it is not None:
            found.append(with_it)
            timeline = timeline.claimed_all(with_it.claims)
    return Together(found, timeline)
