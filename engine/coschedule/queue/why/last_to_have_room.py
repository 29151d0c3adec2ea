"""Why a gang starts no sooner on its nodes: which of them is the last to have room for its members."""

from collections.abc import Iterator

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.planner.turn import Turn
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.slots.claims import Claim


def last_to_have_room(turn: Turn, placement: Placement, *, within_seconds: float = 0.0) -> str | None:
    """Return the node that has room only from the gang's start on, None where there is none or the gang starts now.

    If there are several such nodes, the fastest is returned, then the first by name. Nodes that have had room for at
    most ``within_seconds`` count too: a start that was rounded to seconds may be that late. Nodes that are left idle
    for short gangs do not count.
    """
    start = placement.start
    if not start > turn.snapshot.now:
        return None
    before = min(start - within_seconds, float(np.nextafter(start, -np.inf)))
    left_idle = {turn.snapshot.nodes.names[one.node] for one in turn.snapshot.left_idle}
    for rank, amounts in _taken_by_rank(turn, placement):
        name = turn.snapshot.nodes.names[int(turn.by_now.node[rank])]
        claim = Claim(ranks=np.array([rank]), counts=np.array([1]), request=amounts, start=before, finish=start)
        if name not in left_idle and not turn.by_now.has_room_for(claim):
            return name
    return None


def _taken_by_rank(turn: Turn, placement: Placement) -> Iterator[tuple[int, IntArray]]:
    """List the requests of all members on each node, by rank."""
    requests = {role.name: np.array(role.request, dtype=np.int64) for role in turn.gang.roles}
    index, rank_of = turn.snapshot.nodes.index, np.argsort(turn.by_now.node)
    taken: dict[int, IntArray] = {}
    for members in placement.members:
        rank, amounts = int(rank_of[index[members.node]]), members.count * requests[members.role]
        taken[rank] = taken[rank] + amounts if rank in taken else amounts
    yield from sorted(taken.items(), key=lambda one: one[0])
