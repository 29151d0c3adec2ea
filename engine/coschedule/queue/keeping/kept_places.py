"""The places that gangs keep from the previous plan, with their claims."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from coschedule.queue.choosing.choice import Choice
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.slots.claims import Claim
from coschedule.queue.slots.timeline import Timeline

P = TypeVar("P")


class Place(NamedTuple):
    """The choice that a gang keeps, and its claims."""

    gang: PendingGang
    choice: Choice
    claims: tuple[Claim, ...]


class Keeping(NamedTuple, Generic[P]):
    """The kept places, a timeline on which all are ``claimed``, and planners that continue from there.

    The planner ``whole`` has claimed all places. The planner ``beside`` has not claimed the places of gangs ``apart``,
    which will also be planned in other ways.
    """

    places: dict[GangKey, Place]
    claimed: Timeline
    whole: P
    beside: P


def place_of(gang: PendingGang, choice: Choice) -> Place:
    """Return a choice as a place with one claim for each role."""
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


def claims_of(places: Iterable[Place]) -> list[Claim]:
    """List the claims of all places."""
    return [claim for place in places for claim in place.claims]


def given_back(claims: Iterable[Claim]) -> list[Claim]:
    """Return claims that undo these claims."""
    return [replace(claim, request=-claim.request) for claim in claims]
