"""Whether nodes and quotas still have room for the next size of a gang that runs."""

from lockstep.act.requests.services import Services
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.report.text.conflict_sentences import conflict_sentence
from lockstep.snapshot.quotas.quota_bounds import QuotaBounds

_NO_QUOTA = "a quota has no room for that size any more"


def why_no_room(services: Services, gang: AcceptedGang, reservation: Reservation, room: Reservation, now: float) -> str:
    """Why the members of the next size would not get that room now, in a clause; '' if they would.

    What the present members take of their nodes is free by then.
    """
    conflict = services.cutter.conflict(gang, room, now, replaced=reservation)
    if conflict is not None:
        return conflict_sentence(conflict).rstrip(".")
    is_allowed = QuotaBounds(services.state).allow(gang, room.members, instead_of=reservation.members)
    return "" if is_allowed else _NO_QUOTA
