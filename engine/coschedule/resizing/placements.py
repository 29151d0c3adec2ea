"""Turns the starts in a choice of sizes into placements: now, or when other gangs have given up their seats."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.problem.members import Members
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs.size_plan import SizedStart, SizePlan
from coschedule.resizing.gangs.sized_run import SizedRun
from coschedule.resizing.seats import seats_without


def placements(snapshot: Snapshot, sizes: SizePlan, runs: Sequence[SizedRun]) -> Iterator[Placement]:
    """List a placement for each start in ``sizes``, in the same order; ``runs`` has the gangs that change their size.

    A gang starts now if it fits into the free resources of the snapshot. Other gangs start when the members that
    running gangs give up have left, after their grace. If the promise of such a gang is earlier and has not passed, its
    planned start is the promise. Promises stay as they are, and no gang gets a new promise, as the next plan may choose
    other sizes.
    """
    gangs, free, graces = {gang.key: gang for gang in snapshot.gangs}, snapshot.free.copy(), _graces(sizes, runs)
    for start in sizes.starts:
        gang, nodes = gangs[start.gang], Counter(start.nodes)
        [role] = gang.roles
        on, taken = np.array(list(nodes)), np.outer(list(nodes.values()), role.request)
        lacking: list[int] = on[((free[on] < taken) & (taken > 0)).any(axis=1)].tolist()
        if not lacking:
            free[on] -= taken
        yield _placement(snapshot, gang, start, {node: graces[node] for node in lacking})


def _graces(sizes: SizePlan, runs: Sequence[SizedRun]) -> dict[int, float]:
    """Return the nodes where gangs give up members, each with the longest grace of these members, in seconds."""
    graces, changing = dict[int, float](), {run.key: run for run in runs}
    for change in sizes.changes:
        run = changing[change.gang]
        for node in seats_without(run.nodes, change.nodes):
            graces[node] = max(graces.get(node, 0.0), run.grace)
    return graces


def _placement(snapshot: Snapshot, gang: PendingGang, start: SizedStart, awaited: Mapping[int, float]) -> Placement:
    """Return the placement of a gang that starts when all nodes in ``awaited`` have room.

    ``awaited`` has the seconds from now until a node has room, by node.
    """
    names, [role], nodes = snapshot.nodes.names, gang.roles, Counter(start.nodes)
    begin = _begin(snapshot.now, gang, awaited)
    finish = start.end + (begin - snapshot.now)
    since = snapshot.now if gang.requested is None else min(gang.requested, snapshot.now)
    return Placement(
        gang=gang.key,
        size=len(start.nodes),
        start=begin,
        finish=finish,
        speedup=None if gang.serial is None else gang.serial / (finish - since),
        members=tuple(Members(names[node], nodes[node], role=role.name) for node in sorted(nodes)),
        slowest=names[max(sorted(nodes), key=snapshot.slowdown.__getitem__)],
        latest=_latest(snapshot, awaited),
        alternative=None,
        member_price=gang.member_price,
        promised=gang.promised if gang.promised < np.inf else None,
    )


def _latest(snapshot: Snapshot, awaited: Mapping[int, float]) -> str | None:
    """Return the awaited node that has room last; of several, the fastest one, then the first by name."""
    names, slowdowns = snapshot.nodes.names, snapshot.slowdown
    return names[min(awaited, key=lambda node: (-awaited[node], slowdowns[node], names[node]))] if awaited else None


def _begin(now: float, gang: PendingGang, awaited: Mapping[int, float]) -> float:
    """Return when all awaited nodes have room, or the gang's promise if it is earlier and has not passed."""
    begin = now + max(awaited.values(), default=0.0)
    return min(begin, gang.promised) if gang.promised > now else begin
