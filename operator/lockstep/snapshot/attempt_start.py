"""A decision to begin an attempt now, as a value: what the attempt holds, and why it was decided so."""

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
    """The ``reservation`` of a placement, and what its status says of the plan.

    ``victims`` were evicted for the gang and are not placed again yet. ``learned`` has the learned run times of the
    plan, if any. ``narrowed`` is the quota that keeps the gang from more members, if any. By its ``growth`` a Gang gets
    that size, and the reservation is for the new pods.
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
    """Start the next attempt of a gang as this placement says."""
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
    """The placement without pods that come later: there was room for them, but there is nothing to bind yet."""
    later = {role.name for role in gang.spec.roles if role.is_later}
    if not later:
        return placement
    members = tuple(entry for entry in placement.members if entry.role not in later)
    return replace(placement, members=members, size=sum(entry.count for entry in members))
