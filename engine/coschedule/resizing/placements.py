"""Waiting gangs that a choice of sizes starts now, as placements; and which of these the free room allows."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.problem.members import Members
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs import SizedStart


def placements(snapshot: Snapshot, starts: Sequence[SizedStart]) -> Iterator[Placement]:
    """List the placements of the starts that fit into what is free in the snapshot, in their order.

    The others wait until gangs that shrink have given up their seats.
    """
    gangs, free = {gang.key: gang for gang in snapshot.gangs}, snapshot.free.copy()
    for start in starts:
        gang, nodes = gangs[start.gang], Counter(start.nodes)
        [role] = gang.roles
        taken = np.outer(list(nodes.values()), role.request)
        if (free[list(nodes)] >= taken).all():
            free[list(nodes)] -= taken
            yield _placement(snapshot, gang, start, nodes)


def _placement(snapshot: Snapshot, gang: PendingGang, start: SizedStart, nodes: Counter[int]) -> Placement:
    names, [role] = snapshot.nodes.names, gang.roles
    since = snapshot.now if gang.requested is None else min(gang.requested, snapshot.now)
    slowest = max(sorted(nodes), key=lambda node: float(snapshot.slowdown[node]))
    return Placement(
        gang=gang.key,
        size=len(start.nodes),
        start=snapshot.now,
        finish=start.end,
        speedup=None if gang.serial is None else gang.serial / (start.end - since),
        members=tuple(Members(names[node], nodes[node], role=role.name) for node in sorted(nodes)),
        slowest=names[slowest],
        latest=None,
        alternative=None,
        member_price=gang.member_price,
        promised=gang.promised if gang.promised < np.inf else None,
    )
