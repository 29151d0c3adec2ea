"""Which members of a gang stay if others are lost or have to leave, and when the gang then ends."""

import math
from collections.abc import Collection, Sequence

from coschedule import ChangeTerms, Members, Sizes
from lockstep.belief.holding.ranked_members import RankedMembers, places_of, ranked
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.role_sizes import varying_role


def staying_without(gang: GangFact, reservation: Reservation, lost: Collection[int]) -> RankedMembers | None:
    """The members with which a gang continues without the ``lost`` ranks: as many as its sizes allow.

    None if the gang can't continue: its members can't join and leave, one of them has succeeded, or too few are left.
    The first member of the role whose size varies must stay, and so must all members of the other roles.
    """
    if not isinstance(gang, AcceptedGang) or not gang.spec.keeps_members:
        return None
    role = varying_role(gang.spec.roles)
    places = places_of(reservation.members, reservation.gapped)
    varying = sorted(rank for rank, place in places.items() if role is not None and place[0] == role.name)
    if role is None or gang.status.succeeded_ranks or not varying or not {*lost} <= {*varying[1:]}:
        return None
    left = [rank for rank in varying if rank not in lost]
    most = _most(role.sizes, len(left))
    gone = {*lost, *left[most:]}
    return ranked({rank: place for rank, place in places.items() if rank not in gone}) if most else None


def finish_with_fewer(
    state: State, gang: AcceptedGang, before: Sequence[Members], staying: Sequence[Members], now: float
) -> float | None:
    """The time at which the gang is expected to end if only the ``staying`` members continue; None if unknown.

    The law of its run time gives the time. Without a law, or without terms for a change, the expected finish stays as
    it is.
    """
    end, work, terms = gang.status.expected_finish, gang.spec.work, state.change_times.terms(gang)
    if end is None or work is None or terms is None:
        return end
    longer = work.float_time(gang.spec.working(staying)) / work.float_time(gang.spec.working(before))
    return later_finish(end, longer, terms, now)


def later_finish(end: float, longer: float, terms: ChangeTerms, now: float) -> float | None:
    """The finish of a gang after a change; None if its profile has no run time for one of the two sizes.

    ``end`` is the expected finish without the change. After the change, the rest of the work takes ``longer`` times as
    long.
    """
    if not 0 < longer < math.inf:
        return None
    return now + terms.restart_time + max(end - now, 0.0) * longer


def _most(sizes: Sizes, most: int) -> int:
    """The largest size up to ``most``; 0 if there is none."""
    able = sizes.between(1, most)
    return int(able[-1]) if len(able) else 0
