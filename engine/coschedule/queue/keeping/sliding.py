"""Places that slide: a gang that can't start as planned starts a little later, and so do those that wait for its nodes.

What runs hardly ever ends at the very instant that was planned: a start takes its time, and so does a plan. Whoever
was to start then starts when the nodes are really free, on the same nodes and for as long, and those that were to
follow it on some node begin when it has ended there. Nobody slides beyond what it was promised.

Two places that did not overlap in the plan before do not overlap after sliding, and of places that overlap then each
two overlapped before. So, as any intervals that overlap in pairs have an instant in common, there is room for all of
them wherever there was, as long as nothing else has less room later than before; who slides into that is crowded.
"""

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from coschedule.model.numbers import FloatArray
from coschedule.queue.choosing.choice import Choice
from coschedule.queue.keeping.kept_places import Place, place_of
from coschedule.queue.problem.gangs import GangKey, Kept, PendingGang
from coschedule.queue.search.finishes import finish_of
from coschedule.queue.slots.timeline import Timeline

_MOST_STARTS = 32
"""So many later starts are tried; whoever has room at none of them is planned anew."""


def slid(places: Sequence[Place], delayed: Mapping[GangKey, float], nodes: int) -> list[Place]:
    """Return the places as they are when those that are ``delayed`` start at these times; leave out who is too late.

    There are so many ``nodes``.
    """
    free_from = np.full(nodes, -np.inf)
    ending: list[tuple[float, int]] = []
    moved: list[Place] = []
    for place in sorted(places, key=lambda place: (planned_start(place), _kept(place).finish)):
        kept = _kept(place)
        while ending and ending[0][0] <= kept.start:
            _note_end(free_from, moved[heapq.heappop(ending)[1]])
        start = max(delayed.get(place.gang.key, -np.inf), *(float(free_from[one.ranks].max()) for one in place.claims))
        settled = later(place, start)
        if settled is None:
            continue
        # Who ends as planned delays nobody: those behind it were to begin no sooner.
        if settled.choice.outline.finish > kept.finish:
            heapq.heappush(ending, (kept.finish, len(moved)))
        moved.append(settled)
    by_key = {place.gang.key: place for place in moved}
    return [by_key[place.gang.key] for place in places if place.gang.key in by_key]


def later(place: Place, start: float) -> Place | None:
    """Return a place that begins at ``start``, or as planned if that is later; None where that is too late for it.

    Who was promised nothing does not slide: it is planned anew.
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
    """Return the place at the first start, from its own on, at which its nodes have room for it; None where none is."""
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
    """When it was to begin in the plan before."""
    return _kept(place).start


def _later_starts(place: Place, timeline: Timeline) -> Iterable[float]:
    """List the first instants after its start at which something changes on its nodes."""
    classes = np.unique(np.concatenate([timeline.class_of[claim.ranks] for claim in place.claims]))
    begins = np.unique(timeline.spans_of.of(classes).begin)
    first = int(np.searchsorted(begins, place.choice.outline.start, side="right"))
    starts: list[float] = begins[first : first + _MOST_STARTS].tolist()
    return starts


def _has_room(place: Place, timeline: Timeline) -> bool:
    """Tell whether there is room for what all roles take together."""
    return timeline.has_room_for_all(place.claims)


def _starting(choice: Choice, gang: PendingGang, start: float, finish: float) -> Choice:
    value = gang.price.value(start, finish, choice.outline.size)
    return replace(choice, outline=choice.outline._replace(value=value, start=start, finish=finish))


def _kept(place: Place) -> Kept:
    assert place.gang.kept is not None, "who keeps a place has had it"
    return place.gang.kept


def _note_end(free_from: FloatArray, place: Place) -> None:
    for claim in place.claims:
        free_from[claim.ranks] = np.maximum(free_from[claim.ranks], place.choice.outline.finish)
