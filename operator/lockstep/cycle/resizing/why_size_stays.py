"""Whether a running gang may still have its next size, with regard to nodes, quotas and its deadline."""

from lockstep.act.requests.services import Services
from lockstep.api.quantities import rfc3339
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.report.text.conflict_sentences import conflict_sentence
from lockstep.report.text.sentences import n_members
from lockstep.snapshot.holders.endings import expected_finish
from lockstep.snapshot.quotas.quota_bounds import QuotaBounds

_NO_QUOTA = "a quota no longer has room for that size"


def why_size_stays(
    services: Services, gang: AcceptedGang, reservation: Reservation, room: Reservation, now: float
) -> str:
    """Why the members of the next size may not get that room now, as a clause; '' if they may.

    The nodes and quotas of the present members count as free.
    """
    conflict = services.cutter.conflict(gang, room, now, replaced=reservation)
    if conflict is not None:
        return conflict_sentence(conflict).rstrip(".")
    if not QuotaBounds(services.state).allow(gang, room.members, instead_of=reservation.members):
        return _NO_QUOTA
    return _why_too_late(gang, reservation, room, now)


def _why_too_late(gang: AcceptedGang, reservation: Reservation, room: Reservation, now: float) -> str:
    """A clause if the next size misses a deadline that the present size meets, else ''.

    A size for which the user asks may miss it.
    """
    is_asked = gang.spec.elastic is not None and gang.spec.elastic.size is not None
    end, then = expected_finish(reservation, now), room.expected_finish
    if gang.deadline is None or is_asked or end is None or then is None or not end <= gang.deadline < then:
        return ""
    return f"with {n_members(room.size)} the gang would miss its deadline, {rfc3339(gang.deadline)}"
