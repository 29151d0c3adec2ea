"""For how long members may prepare a change of size of which they have notice."""

import math

from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.elastic import LONGEST_NOTICE_SECONDS
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.snapshot.holders.endings import longest_grace

# A kubelet takes longer to pass a notice on.
_SHORTEST_NOTICE_SECONDS = 10.0


def begin_of_change(
    state: State, gang: GangFact, reservation: Reservation, room: Reservation, *, before: float, now: float
) -> float | None:
    """When members that have notice from now on are asked to end at the latest; None if there is no time for a notice.

    They have left their nodes ``before`` that time, and before any of these nodes is taken back. The next size still
    ends before its own nodes are taken back, and by its deadline if it meets that.
    """
    begin = min(
        now + LONGEST_NOTICE_SECONDS,
        before - longest_grace(gang),
        latest_begin(state, gang, reservation),
        now + _slack(state, room),
        now + _slack_to_deadline(gang, room),
    )
    # The status keeps whole seconds.
    return None if begin - now < _SHORTEST_NOTICE_SECONDS else float(math.floor(begin))


def latest_begin(state: State, gang: GangFact, reservation: Reservation) -> float:
    """When members must be asked to end so that they have left before a node of theirs is taken back."""
    back = (state.owners.taken_back_at(entry.node) for entry in reservation.members)
    return min(back, default=math.inf) - longest_grace(gang)


def _slack(state: State, room: Reservation) -> float:
    """By how many seconds the next size may end later than expected; nodes without a known end allow any time."""
    back = min((state.owners.taken_back_at(entry.node) for entry in room.members), default=math.inf)
    if back == math.inf:
        return math.inf
    return -math.inf if room.expected_finish is None else back - room.expected_finish


def _slack_to_deadline(gang: GangFact, room: Reservation) -> float:
    """By how many seconds the next size may end later and meet its deadline; one that misses it may take any time."""
    deadline = gang.deadline if isinstance(gang, AcceptedGang) else None
    if deadline is None or room.expected_finish is None or room.expected_finish > deadline:
        return math.inf
    return deadline - room.expected_finish
