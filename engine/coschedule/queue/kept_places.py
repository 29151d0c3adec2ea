"""The places that gangs keep from the plan before, as far as there is still room for all of them.

Method: all are claimed at once. Whoever then is on a node that is closed or has less than nothing left, and so is
crowded, may be one too many: these are left out, and looked at one by one on what the others leave, the earliest start
first.
"""

from collections.abc import Iterable, Sequence
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


def with_room(places: Sequence[Place], crowded: Sequence[bool], timeline: Timeline) -> list[Place]:
    """Leave out the places for which there is no room; ``crowded`` says where there may be none, claim by claim."""
    is_crowded = iter(crowded)
    doubts = [any(list(islice(is_crowded, len(place.claims)))) for place in places]
    kept = [place for place, is_doubtful in zip(places, doubts, strict=True) if not is_doubtful]
    doubtful = [place for place, is_doubtful in zip(places, doubts, strict=True) if is_doubtful]
    timeline = timeline.claimed_all(claims_of(kept))
    for place in sorted(doubtful, key=lambda place: place.choice.outline.start):
        beside = _beside(place, timeline)
        if beside is not None:
            kept.append(place)
            timeline = beside
    return kept


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
