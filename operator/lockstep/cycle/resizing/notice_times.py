"""How long members may prepare for a change of size of which they have notice."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.run_times.reported_work import reported_part
from lockstep.belief.state import State
from lockstep.facts.elastic import LONGEST_NOTICE_SECONDS, NextSize
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.snapshot.holders.endings import expected_finish, longest_grace

# A shorter notice would be over before a kubelet has passed it on.
_SHORTEST_NOTICE_SECONDS = 10.0


class PromisedStarts(NamedTuple):
    """The promises to gangs that wait for a gang which changes its size.

    Some of these gangs start after members have left their nodes: these members must have left by ``left_by``. Others,
    with the promised ``starts``, may wait for the end of the gang at its next size.
    """

    left_by: float = math.inf
    starts: Sequence[float] = ()


def begin_of_change(
    state: State,
    gang: AcceptedGang,
    reservation: Reservation,
    room: Reservation,
    *,
    promises: PromisedStarts,
    now: float,
) -> float | None:
    """The latest time to ask members to end if they get notice now; None if there is no time for a notice.

    Members that are asked by then leave their nodes before any of these is taken back. At its next size, the gang still
    ends before one of its nodes is taken back. The notice breaks neither the gang's deadline nor ``promises`` that
    would be kept without it.
    """
    begin = min(
        now + LONGEST_NOTICE_SECONDS,
        promises.left_by - longest_grace(gang),
        latest_begin(state, gang, reservation),
        now + _slack(state, room, [gang.deadline, *promises.starts]),
    )
    # The status keeps whole seconds.
    return None if begin - now < _SHORTEST_NOTICE_SECONDS else float(math.floor(begin))


def beginning_at(
    state: State, gang: AcceptedGang, reservation: Reservation, following: NextSize, *, begin: float, now: float
) -> NextSize:
    """The change if members are asked to end at ``begin``.

    Its expected finish includes the work that they do until then.
    """
    finish = following.expected_finish
    if finish is not None:
        was, terms = following.asked_to_end_at, state.change_times.terms(gang)
        run_time = finish - was - (0.0 if terms is None else terms.restart_time)
        part = _part_left(state, gang, reservation, (was, begin), now)
        finish += begin - was + (part - 1) * max(run_time, 0.0)
    return replace(following, begins_at=begin, expected_finish=finish)


def _part_left(
    state: State, gang: AcceptedGang, reservation: Reservation, times: tuple[float, float], now: float
) -> float:
    """The work that is left at the second of two ``times``, divided by the work that is left at the first.

    It is 1 if the expected end can't give the result: members report their work, or the end is unknown or near.
    """
    end, (first, second) = expected_finish(reservation, now), times
    if end is None or reported_part(gang, reservation, state.members(gang).values(), state.pieces):
        return 1.0
    # Both times are whole seconds in the status. Near the end, their rounding would distort the quotient.
    if end - max(times) < LONGEST_NOTICE_SECONDS:
        return 1.0
    return (end - second) / (end - first)


def latest_begin(state: State, gang: GangFact, reservation: Reservation) -> float:
    """When members must be asked to end so that they have left before one of their nodes is taken back."""
    back = (state.owners.taken_back_at(entry.node) for entry in reservation.members)
    return min(back, default=math.inf) - longest_grace(gang)


def _slack(state: State, room: Reservation, goals: Iterable[float | None]) -> float:
    """The seconds by which the next size may end later than expected.

    Nodes without a known end allow any time. ``goals`` are times by which the gang should end. A goal that the
    gang misses anyway does not count.
    """
    finish = room.expected_finish
    back = min((state.owners.taken_back_at(entry.node) for entry in room.members), default=math.inf)
    if finish is None:
        return math.inf if back == math.inf else -math.inf
    return min([back, *(goal for goal in goals if goal is not None and goal >= finish)]) - finish
