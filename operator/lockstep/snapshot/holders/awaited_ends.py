"""The time until which a gang has to wait for other gangs that give way to it."""

from collections.abc import Iterator

from coschedule import GangKey
from lockstep.belief.state import State
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.snapshot.holders.endings import expected_end, gone_by
from lockstep.snapshot.holders.leaving import leaving_members

# In seconds after the decision. Controllers delete pods at once. So if no pod is being deleted by then, the Gang keeps
# its pods.
_LONGEST_SHRINK_SECONDS = 120.0


def awaited_end(state: State, gang: GangKey, now: float) -> float | None:
    """When the gangs that give way to this gang will have left; None if none of them still holds its nodes."""
    ends = [_end_of(state, victim, now) for victim in victims_ending_for(state, gang)]
    ends += _ends_of_shrinks(state, gang, now)
    return max((end for end in ends if end is not None), default=None)


def victims_ending_for(state: State, gang: GangKey) -> tuple[GangKey, ...]:
    """The gangs that are evicted for this gang and still hold nodes."""
    victims = state.giving_way.evicted.victims_of(gang)
    return tuple(victim for victim in victims if victim in state.reservations or _are_leaving(state, victim))


def _are_leaving(state: State, victim: GangKey) -> bool:
    """Whether the owner of a Gang's pods is being suspended, and some of its pods still run or are being deleted."""
    group = state.pod_gangs.group(victim)
    return victim in state.pod_gangs.yielding.suspended and bool(group.going or group.leaving)


def _end_of(state: State, victim: GangKey, now: float) -> float | None:
    held = state.reservations.get(victim)
    if held is None:
        return now + state.pod_gangs.group(victim).held.grace_seconds
    return expected_end(state, held, now)


def _ends_of_shrinks(state: State, gang: GangKey, now: float) -> Iterator[float | None]:
    """Other gangs give up members for this gang: yield the times at which these members will have left.

    If a gang has to stop all its members to change its size, the expected end of the whole gang counts.
    """
    for victim in state.giving_way.shrunk.victims_of(gang):
        held, giver = state.reservations.get(victim), state.gangs.get(victim)
        if giver is not None and is_pod_gang(victim):
            yield _end_of_shrink(state, giver, now)
        if held is None or giver is None or is_pod_gang(victim):
            continue
        if victim in state.counts.next_sizes:
            yield expected_end(state, held, now)
        yield from (gone_by(pod, giver, now) for pod in leaving_members(state, held))


def _end_of_shrink(state: State, giver: GangFact, now: float) -> float | None:
    """When the pods that a Gang gives up will have left; None if none leaves.

    If its owner does not get the smaller size soon, the Gang keeps these pods.
    """
    group, following = state.pod_gangs.group(giver.key), giver.status.next_size
    is_begun = following is not None and now - following.decided_at < _LONGEST_SHRINK_SECONDS
    return now + group.held.grace_seconds if is_begun or group.leaving else None
