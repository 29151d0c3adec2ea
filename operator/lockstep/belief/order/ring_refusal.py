"""The refusal of a gang that waits for itself."""

from coschedule import GangKey
from lockstep.belief.order.predecessors import Predecessors
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.keys import object_name
from lockstep.facts.reasons import Reason


def ring_refusal(predecessors: Predecessors, gang: GangKey) -> Refusal | None:
    """The refusal of a gang in a ring, with the path of the ring; None for other gangs."""
    place = predecessors.ring_of(gang)
    if place is None:
        return None
    path = [object_name(one) for one in place.path]
    more = len(place.ring) - len(path)
    by_way_of = [*path[1:], *([f"{more} more"] if more else []), path[0]]
    way = ", which waits for ".join(by_way_of)
    return Refusal(
        Reason.WAITS_FOR_ITSELF, f"after: {path[0]} waits for {way}. None of these can start: remove one entry."
    )
