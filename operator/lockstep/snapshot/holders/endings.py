"""The times at which gangs that hold nodes are expected to release them."""

import math
from collections.abc import Generator, Iterator

from lockstep.belief.common.steps import Steps
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.run_times.overruns import end_after, patience
from lockstep.belief.state import State
from lockstep.facts.elastic import LONGEST_NOTICE_SECONDS
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.pod import MOST_GRACE_SECONDS, USUAL_GRACE_SECONDS, PodFact
from lockstep.snapshot.holders.pod_gang_releases import pod_gang_end_of

# The cost of the end of one gang, besides the cost of its pods, in pieces of work. A piece takes about a microsecond.
_PIECES_OF_GANG = 5


def expected_end(state: State, reservation: Reservation, now: float) -> float | None:
    """When a gang will release its nodes, in seconds since the epoch; None if this is unknown."""
    gang = state.gangs.get(reservation.gang)
    if gang is not None and is_ending(state, gang):
        asked_at = _asked_to_end_at(state, gang, now)
        return max((gone_by(pod, gang, asked_at) for pod in _left(state, reservation)), default=now)
    return expected_finish(reservation, now)


def expected_finish(reservation: Reservation, now: float) -> float | None:
    """When a gang is expected to finish its work, always after ``now``; None if this is unknown.

    If the gang runs longer than expected, this time moves on in steps, as in ``end_after``.
    """
    if reservation.expected_finish is None:
        return None
    return end_after(now, start=reservation.start, expected=reservation.expected_finish)


def next_plan_for_ends(state: State, now: float) -> Generator[None, None, float]:
    """When the next plan is due after a plan at ``now``; infinity if no gang has an expected end after ``now``.

    At that time, at least one gang that holds nodes has passed its expected end. The plan may come later than this end,
    so that one plan serves several such gangs: gangs that really end lead to a plan at once. The function works in
    steps, between which the cache may change.
    """
    due, steps = math.inf, Steps()
    for held in tuple(state.reservations.values()):
        due = min(due, _due(expected_end(state, held, now), held.start, now))
        if steps.are_due(_PIECES_OF_GANG + held.size):
            yield
    for gang in tuple(state.pod_gangs.objects.values()):
        one = pod_gang_end_of(state, gang, now)
        due = due if one is None else min(due, _due(one.end, one.start, now))
        if steps.are_due(_PIECES_OF_GANG):
            yield
    return due


def _due(end: float | None, start: float, now: float) -> float:
    return math.inf if end is None or end <= now else max(end, now + patience(end - start))


def is_ending(state: State, gang: GangFact) -> bool:
    """Whether the gang is being torn down, or will soon be evicted or change its size."""
    is_decided = state.giving_way.evicted.is_decided(gang.key) or gang.key in state.counts.next_sizes
    return gang.status.is_being_undone or is_decided


def grace_seconds(state: State, gang: GangFact, reservation: Reservation) -> float:
    """The grace period of the gang's members, in seconds; 0 if none is on a node."""
    return longest_grace(gang) if any(pod.node for pod in _left(state, reservation)) else 0.0


def longest_grace(gang: GangFact) -> float:
    """The longest grace period of the gang's roles, in seconds; a negative one counts as 1, as in the kubelet.

    The result is at most ``MOST_GRACE_SECONDS``: pods with a longer grace period are deleted with this one.
    """
    roles = gang.spec.roles if gang.spec else ()
    longest = max((_seconds(role.template.grace_seconds) for role in roles), default=0)
    return float(min(longest, MOST_GRACE_SECONDS))


def _left(state: State, reservation: Reservation) -> Iterator[PodFact]:
    return (pod for pod in state.pods_of(reservation) if not pod.has_ended)


def _asked_to_end_at(state: State, gang: GangFact, now: float) -> float:
    """When the members of a gang that is ending are asked to end: now, or when their notice is over."""
    following = state.counts.next_sizes.of(gang.key)
    return now if following is None else min(max(now, following.start), now + LONGEST_NOTICE_SECONDS)


def gone_by(pod: PodFact, gang: GangFact, asked_at: float) -> float:
    """When a member will be gone if it is asked to end at ``asked_at``, or was asked earlier."""
    if not pod.node:
        return asked_at
    grace = longest_grace(gang)
    end = asked_at + grace if pod.gone_by is None else min(pod.gone_by, asked_at + MOST_GRACE_SECONDS)
    return end_after(asked_at, start=end - grace, expected=end)


def _seconds(given: object) -> int:
    if not isinstance(given, int):
        return USUAL_GRACE_SECONDS
    return 1 if given < 0 else given
