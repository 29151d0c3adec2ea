"""What the plan before gave a gang, chosen again where it is still possible.

Nothing is searched: only whether its nodes still pass. Whether they have room is seen for all gangs together
(``kept_places.py``).
"""

from dataclasses import replace

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.candidates import Outline
from coschedule.queue.choosing.choice import Choice
from coschedule.queue.constraints.feasibility import Feasibility
from coschedule.queue.finishes import finish_of
from coschedule.queue.gangs import Kept, PendingGang, Seat
from coschedule.queue.limiting_nodes import slowest_node
from coschedule.queue.node_choice import ChosenNodes
from coschedule.queue.slots.timeline import Timeline


def kept_choice(gang: PendingGang, timeline: Timeline, feasibility: Feasibility, rank_of: IntArray) -> Choice | None:
    """Return the choice of what is kept, None where there is no such thing, or its sizes or nodes do not suit any more.

    The node of index n has rank_of[n]. What should have started by now starts now, and runs as long. Where members obey
    terms among themselves nothing is kept: whether they do so is not seen node by node.
    """
    if gang.kept is None or gang.terms:
        return None
    kept = _from_now_on(gang.kept, max(timeline.now, gang.not_before))
    if kept.start > gang.promised or (gang.deadline is not None and gang.deadline < kept.finish < np.inf):
        return None
    for role, of_role in zip(gang.roles, kept.seats, strict=True):
        if not role.sizes.has(np.array([sum(seat.members for seat in of_role)])).all():
            return None
        if not feasibility.mask(role.constraints)[[seat.node for seat in of_role]].all():
            return None
    seats = tuple(seats_by_rank(of_role, rank_of) for of_role in kept.seats)
    return _choice(gang, kept, seats, timeline, rank_of)


def _from_now_on(kept: Kept, first: float) -> Kept:
    if kept.start >= first:
        return kept
    return replace(kept, start=first, finish=finish_of(first, kept.finish - kept.start))


def seats_by_rank(of_role: tuple[Seat, ...], rank_of: IntArray) -> ChosenNodes:
    """Call the nodes of seats by their ranks; the node of index n has rank_of[n]."""
    ranks = rank_of[[seat.node for seat in of_role]]
    by_rank = np.argsort(ranks)
    return ChosenNodes(ranks[by_rank], np.array([seat.members for seat in of_role], dtype=np.int64)[by_rank])


def _choice(
    gang: PendingGang, kept: Kept, seats: tuple[ChosenNodes, ...], timeline: Timeline, rank_of: IntArray
) -> Choice:
    value = gang.price.value(kept.start, kept.finish, kept.size)
    waits = kept.latest is not None and kept.start > timeline.now
    return Choice(
        outline=Outline(value, kept.size, kept.start, kept.finish),
        seats=seats,
        slowest=slowest_node(gang.roles, seats, timeline),
        latest=int(rank_of[kept.latest]) if waits else None,
        alternative=None,
    )
