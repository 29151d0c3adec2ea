"""The places that gangs keep from the plan before, as far as there is still room for all of them.

Method: all are claimed at once. Whoever then is on a node that is closed or has less than nothing left, and so is
crowded, may be one too many: these are given back, and looked at one by one on what the others leave, the earliest
start first.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from coschedule.queue.choosing.choice import Choice
from coschedule.queue.gangs import GangKey, PendingGang
from coschedule.queue.slots.claims import Claim
from coschedule.queue.slots.timeline import Timeline

P = TypeVar("P")


class Place(NamedTuple):
    """What a gang keeps, and what that takes of which nodes."""

    gang: PendingGang
    choice: Choice
    claims: tuple[Claim, ...]


class Keeping(NamedTuple, Generic[P]):
    """The places that are kept, and a planner that has claimed the ``whole`` of them, or all ``beside`` some."""

    places: dict[GangKey, Place]
    whole: P
    beside: P


def place_of(gang: PendingGang, choice: Choice) -> Place:
    """Tell what a choice takes, role by role."""
    outline = choice.outline
    claims = tuple(
        Claim(
            ranks=nodes.ranks,
            counts=nodes.counts,
            request=np.array(role.request, dtype=np.int64),
            start=outline.start,
            finish=outline.finish,
        )
        for role, nodes in zip(gang.roles, choice.seats, strict=True)
    )
    return Place(gang, choice, claims)


class Fitting(NamedTuple):
    """The places for which there is room together; a timeline with the ``whole`` of them, or all ``beside`` some."""

    places: list[Place]
    whole: Timeline
    beside: Timeline


def fitting(places: Sequence[Place], apart: Collection[GangKey], timeline: Timeline) -> Fitting:
    """Find the places for which there is room on the timeline, and claim them, those of the gangs ``apart`` apart."""
    own = [place for place in places if place.gang.key in apart]
    others = [place for place in places if place.gang.key not in apart]
    beside = timeline.claimed_all(claims_of(others))
    whole = beside.claimed_all(claims_of(own))
    doubtful = _crowded(places, whole)
    again, whole = _one_by_one(doubtful, whole.claimed_all(given_back(claims_of(doubtful))))
    left_out = {place.gang.key for place in doubtful} - again
    beside = beside.claimed_all(given_back(claims_of(place for place in others if place.gang.key in left_out)))
    return Fitting([place for place in places if place.gang.key not in left_out], whole, beside)


def _crowded(places: Sequence[Place], claimed: Timeline) -> list[Place]:
    """List the places that may be too many, where all of them are claimed."""
    is_crowded = iter(claimed.crowded(claims_of(places)))
    return [place for place in places if any(list(islice(is_crowded, len(place.claims))))]


def _one_by_one(places: Iterable[Place], timeline: Timeline) -> tuple[set[GangKey], Timeline]:
    """Claim the places for which there is room, one after the other; tell whose they are."""
    kept = set()
    for place in sorted(places, key=lambda place: place.choice.outline.start):
        beside = _beside(place, timeline)
        if beside is not None:
            kept.add(place.gang.key)
            timeline = beside
    return kept, timeline


def _beside(place: Place, timeline: Timeline) -> Timeline | None:
    """Claim a place, role by role; None where there is no room for it."""
    for claim in place.claims:
        if not timeline.has_room_for(claim):
            return None
        timeline = timeline.claimed(claim)
    return timeline


def claims_of(places: Iterable[Place]) -> list[Claim]:
    """List what all of these places take."""
    return [claim for place in places for claim in place.claims]


def given_back(claims: Iterable[Claim]) -> list[Claim]:
    """Turn claims into what undoes them."""
    return [replace(claim, request=-claim.request) for claim in claims]
