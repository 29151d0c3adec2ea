"""Sliding places: if a gang cannot start as planned, it and the gangs that wait for its nodes start a little later.

Running gangs rarely end exactly when planned. A waiting gang then starts when its nodes are free, on the same nodes and
for as long. Gangs that are planned behind it on some node begin when it has ended on that node. No gang slides beyond
its promise.

Two places that did not overlap in the previous plan do not overlap after sliding. So if several places overlap
after sliding, each two of them overlapped before. If each two of several intervals overlap, all of them have a common
instant, and at this instant there was room for all. There still is room after sliding, unless other claims leave less
room at the later time; such places are crowded.
"""

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from coschedule.model.numbers import FloatArray
from coschedule.queue.choosing.choice import Choice
from coschedule.queue.keeping.kept_places import Place, place_of
from coschedule.queue.owners.choosing import without_risk
from coschedule.queue.problem.gangs import GangKey, Kept, PendingGang
from coschedule.queue.search.finishes import finish_of
from coschedule.queue.slots.timeline import Timeline

_MOST_STARTS = 32
"""The number of later starts that are tried; a gang with room at none of them is planned again."""


def slid(places: Sequence[Place], delayed: Mapping[GangKey, float], nodes: int) -> list[Place]:
    """Return the places after the places in ``delayed`` have moved to the given starts; drop those that are too late.

    ``nodes`` is the number of nodes.
    """
    free_from = np.full(nodes, -np.inf)
    ending: list[tuple[float, int]] = []
    moved: list[Place] = []
    for place in sorted(places, key=lambda place: (planned_start(place), _kept(place).finish)):
        kept = _kept(place)
        while ending and ending[0][0] <= kept.start:
            _record_end(free_from, moved[heapq.heappop(ending)[1]])
        start = max(delayed.get(place.gang.key, -np.inf), *(float(free_from[one.ranks].max()) for one in place.claims))
        slid_place = later(place, start)
        if slid_place is None:
            continue
        # A place that ends as planned delays no other place: places behind it begin no sooner than its planned end.
        if slid_place.choice.outline.finish > kept.finish:
            heapq.heappush(ending, (kept.finish, len(moved)))
        moved.append(slid_place)
    by_key = {place.gang.key: place for place in moved}
    return [by_key[place.gang.key] for place in places if place.gang.key in by_key]


def later(place: Place, start: float) -> Place | None:
    """Return the place with this start, or unchanged if it starts later; None if ``start`` is too late for the gang.

    A gang without a promise does not slide: it is planned again.
    """
    outline, gang = place.choice.outline, place.gang
    if start <= outline.start:
        return place
    if math.isinf(gang.promised):
        return None
    finish = finish_of(start, outline.finish - outline.start)
    if gang.is_late_at(start) or (gang.deadline is not None and gang.deadline < finish):
        return None
    return place_of(gang, _starting(place.choice, gang, start, finish))


def with_room(place: Place, timeline: Timeline) -> Place | None:
    """Return the place at its first start with room on its nodes; None if there is none by its promise.

    At most ``_MOST_STARTS`` later starts are tried. A gang that may not be interrupted has no room in hours at risk.
    """
    timeline = without_risk(place.gang, timeline)
    if _has_room(place, timeline):
        return place
    for start in _later_starts(place, timeline):
        moved = later(place, start)
        if moved is None:
            return None
        if _has_room(moved, timeline):
            return moved
    return None


def planned_start(place: Place) -> float:
    """Return the start of a place in the previous plan."""
    return _kept(place).start


def _later_starts(place: Place, timeline: Timeline) -> Iterable[float]:
    """List the first instants after the start of a place at which something changes on its nodes."""
    classes = np.unique(np.concatenate([timeline.class_of[claim.ranks] for claim in place.claims]))
    begins = np.unique(timeline.spans_of.of(classes).begin)
    first = int(np.searchsorted(begins, place.choice.outline.start, side="right"))
    starts: list[float] = begins[first : first + _MOST_STARTS].tolist()
    return starts


def _has_room(place: Place, timeline: Timeline) -> bool:
    """Return whether there is room for the claims of all roles together."""
    return timeline.has_room_for_all(place.claims)


def _starting(choice: Choice, gang: PendingGang, start: float, finish: float) -> Choice:
    value = gang.price.value(start, finish, choice.outline.size)
    return replace(choice, outline=choice.outline._replace(value=value, start=start, finish=finish))


def _kept(place: Place) -> Kept:
    assert place.gang.kept is not None, "a place is made from what the gang keeps"
    return place.gang.kept


def _record_end(free_from: FloatArray, place: Place) -> None:
    for claim in place.claims:
        free_from[claim.ranks] = np.maximum(free_from[claim.ranks], place.choice.outline.finish)
