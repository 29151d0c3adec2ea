"""Checks the pace of a gang: which members to resize, and what the status of the gang should say.

A gang may have 10,000 members, so both are computed in parts, and other tasks of the event loop run in between. The
next check sees changes of the cache that happen meanwhile.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import TypeVar

from lockstep.act.changing.resizes import Resize
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.cycle.pace.due_resizes import due_resizes, takes
from lockstep.cycle.pace.paced_members import (
    MOST_UNPACED,
    PacedMember,
    given_back,
    how_many_paced,
    members_to_pace,
    obstacles,
    offers_of,
    unpaced_of,
    waiting_roles,
    wants_limits_kept,
    without_bids,
    yielding_nodes,
)
from lockstep.cycle.pace.pacing import node_paces, slowest
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.pace import PaceStatus, Unpaced
from lockstep.facts.pods.pod import PodFact
from lockstep.report.text.paces import PaceReasons, pace_message

_AT_ONCE = 500

_Member = TypeVar("_Member", PacedMember, PodFact)


async def find_resizes(state: State, gang: GangFact, reservation: Reservation) -> list[Resize]:
    """The resizes that are due. Resizes that give members more CPU come first.

    ``status.pace`` must already have the unpaced CPU of members.
    """
    assert gang.status.pace is not None, "it is written before anybody is resized"
    members = await _members(state, gang, reservation)
    offers = offers_of(state, gang, members)
    await asyncio.sleep(0)
    paces = node_paces(offers, keeps_limits=wants_limits_kept(gang))
    giving: list[Resize] = []
    taking: list[Resize] = []
    async for part in _parts(members):
        for resize in due_resizes(state, part, gang.status.pace.unpaced, paces):
            (taking if takes(resize) else giving).append(resize)
    return giving + taking


async def count_members_again(state: State, reservation: Reservation) -> None:
    """Count again what members take of their nodes, by the gang's present pace.

    The pace decides whether they keep their room.
    """
    async for part in _parts([*state.pods_of(reservation)]):
        for pod in part:
            state.pods.count_again(pod)


async def find_status(state: State, gang: GangFact, reservation: Reservation, *, refusal: str) -> PaceStatus | None:
    """The pace status that the gang should have; None if no member is paced and none should be.

    ``refusal`` is the API server's last message about members that were not resized.
    """
    members = await _members(state, gang, reservation)
    unpaced = _unpaced(gang, members)
    paced = back = pending = 0
    async for part in _parts(members):
        paced += how_many_paced(part, unpaced)
        back += given_back(part, unpaced)
        pending += sum(member.cpu.pending is not None for member in part)
    yielding = yielding_nodes(state, members)
    is_wanted = waiting_roles(gang) or yielding
    if not members or not (paced or back or pending or is_wanted):
        return None
    reasons = PaceReasons(
        slowest=slowest(offers_of(state, gang, members)),
        without_bids=without_bids(state, members),
        yielding=yielding,
        obstacles=obstacles(members, unpaced, keeps_limits=wants_limits_kept(gang)),
        refusal=refusal,
        keeps_limits=wants_limits_kept(gang),
    )
    pace = PaceStatus(members=len(members), paced=paced, given_back=back, message="", unpaced=unpaced)
    return replace(pace, message=pace_message(pace, reasons))


async def _members(state: State, gang: GangFact, reservation: Reservation) -> list[PacedMember]:
    members = members_to_pace(state, gang, reservation)
    await asyncio.sleep(0)
    return members


async def _parts(members: Sequence[_Member]) -> AsyncIterator[Sequence[_Member]]:
    """Parts of at most 500 members. Other tasks of the event loop run after each part."""
    for first in range(0, len(members), _AT_ONCE):
        yield members[first : first + _AT_ONCE]
        await asyncio.sleep(0)


def _unpaced(gang: GangFact, members: Sequence[PacedMember]) -> tuple[Unpaced, ...]:
    """The unpaced CPU of each role.

    If the status lacks a role, this is the present CPU, since no member of this role is paced yet.
    """
    known = () if gang.status.pace is None else gang.status.pace.unpaced
    roles = {one.role for one in known}
    found = (*known, *unpaced_of([member for member in members if member.role not in roles]))
    return found if len(found) <= MOST_UNPACED else known
