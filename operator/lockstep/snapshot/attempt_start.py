"""The decision to begin an attempt now, as a value: what the attempt holds, and the reasons for it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from coschedule import GangKey, Placement
from lockstep.belief.holding.reservation import Reservation, next_attempt, reserved_for
from lockstep.belief.state import State
from lockstep.facts.elastic import NextSize
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.past_runs import Learned
from lockstep.snapshot.quotas.quota_bounds import Narrowed


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptStart:
    """The ``reservation`` of a placement, and the facts about the plan for the gang's status.

    ``victims`` were evicted for the gang and are not placed again yet. ``learned`` has the learned run times of the
    plan, if any. ``narrowed`` is the quota that keeps the gang from more members, if any. With ``growth``, a Gang gets
    this size, and the reservation is for the new pods.
    """

    reservation: Reservation
    placement: Placement
    victims: Sequence[GangKey] = ()
    learned: Learned | None = None
    narrowed: Narrowed | None = None
    growth: NextSize | None = None


def start_of(
    state: State, gang: AcceptedGang, placement: Placement, now: float, *, narrowed: Narrowed | None = None
) -> AttemptStart:
    """The start of the gang's next attempt with this placement."""
    placement = _without_later(gang, placement)
    attempt = next_attempt(gang.status, state.members(gang).values())
    return AttemptStart(
        reservation=reserved_for(gang, placement, attempt=attempt, now=now),
        placement=placement,
        victims=state.giving_way.evicted.victims_of(gang.key),
        learned=state.past_runs.in_force(gang),
        narrowed=narrowed,
    )


def _without_later(gang: AcceptedGang, placement: Placement) -> Placement:
    """The placement without later pods: there is room for them, but they do not exist yet."""
    later = {role.name for role in gang.spec.roles if role.is_later}
    if not later:
        return placement
    members = tuple(entry for entry in placement.members if entry.role not in later)
    return replace(placement, members=members, size=sum(entry.count for entry in members))
