"""The places that gangs keep from the plan before, and what they take."""

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
    """What a gang keeps, and what that takes of which nodes."""

    gang: PendingGang
    choice: Choice
    claims: tuple[Claim, ...]


class Keeping(NamedTuple, Generic[P]):
    """The places that are kept, a timeline on which all are ``claimed``, and planners that go on from there.

    The planner of the ``whole`` has claimed all of them too, the one ``beside`` some all others.
    """

    places: dict[GangKey, Place]
    claimed: Timeline
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


def claims_of(places: Iterable[Place]) -> list[Claim]:
    """List what all of these places take."""
    return [claim for place in places for claim in place.claims]


def given_back(claims: Iterable[Claim]) -> list[Claim]:
    """Turn claims into what undoes them."""
    return [replace(claim, request=-claim.request) for claim in claims]
