"""Whether nodes and quotas still have room for the next size of a gang that runs."""

from collections import Counter
from dataclasses import replace

from coschedule import Members
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
    added = _added(room, reservation)
    return "" if not added or QuotaBounds(services.state).allow(gang, added) else _NO_QUOTA


def _added(room: Reservation, reservation: Reservation) -> tuple[Members, ...]:
    """The members of each role on each node beyond those that the gang has there already."""
    had = Counter({(entry.node, entry.role): entry.count for entry in reservation.members})
    more = ((entry, entry.count - had[entry.node, entry.role]) for entry in room.members)
    return tuple(replace(entry, count=count) for entry, count in more if count > 0)
