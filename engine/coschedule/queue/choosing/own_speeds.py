"""Timelines for a gang that is faster or slower on some kinds of nodes than other gangs.

A gang with factors is planned on a timeline of its own. There a node's slow-down is multiplied by the gang's factor for
its kind, and nodes are ranked again, the fastest for this gang first. So choosers need not know of kinds. The choice is
then translated back to the ranks that all gangs share.

Example: nodes a and b are equally fast, and of kinds 0 and 1. A gang with the factor 2 for kind 0 takes twice as long
on a, so b ranks before a.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from coschedule.model.kinds import times_on
from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.problem.gangs import PendingGang, Role
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.slots.timeline import Timeline, no_kinds

_STEPS_A_NODE = 10
"""Ranking the nodes of a timeline again costs as much as this number of copies of the timeline."""

NodesOfRole = tuple[IntArray, IntArray]
"""Nodes by index, and the number of members of a role on each."""


def own_slowdowns(gang: PendingGang, snapshot: Snapshot) -> FloatArray:
    """Return the slow-down of each node for the gang: float[n]."""
    if not gang.factors:
        return snapshot.slowdown
    slowdowns: FloatArray = snapshot.slowdown * times_on(gang.factors, snapshot.kinds)
    return slowdowns


def own_snapshot(gang: PendingGang, snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with the gang's own slow-downs."""
    if not gang.factors:
        return snapshot
    return snapshot.as_fast_as(own_slowdowns(gang, snapshot))


def copies_for(gang: PendingGang, timeline: Timeline) -> int:
    """Return the cost of a gang's own timelines, in copies of a timeline.

    Each own timeline costs one copy. With factors, each costs ``_STEPS_A_NODE`` copies, since nodes are ranked again.
    """
    timelines = 1 + len(timeline.safer)
    return timelines if not gang.factors else _STEPS_A_NODE * timelines


def own_timeline(gang: PendingGang, timeline: Timeline) -> Timeline:
    """Return the timeline with the gang's own slow-downs, and with nodes ranked by them."""
    if not gang.factors or not len(timeline.kinds):
        return timeline
    times = times_on(gang.factors, timeline.kinds)[timeline.node]
    _, which = np.unique(times, return_inverse=True)
    divided = timeline.divided(which)
    of_class = np.empty(len(divided.width))
    of_class[divided.class_of] = times
    of_class *= divided.slowdowns[divided.pace]
    slowdowns, pace = np.unique(of_class, return_inverse=True)
    fastest_first = np.lexsort((divided.node, of_class[divided.class_of]))
    return replace(
        divided,
        slowdowns=slowdowns,
        pace=pace,
        node=divided.node[fastest_first],
        class_of=divided.class_of[fastest_first],
        kinds=no_kinds(),
        safer=tuple(own_timeline(gang, one) for one in timeline.safer),
    )


def own_times(roles: Sequence[Role], seats: Sequence[NodesOfRole], slowdowns: FloatArray, own: FloatArray) -> float:
    """Return the run time with the slow-downs ``own`` divided by the run time with ``slowdowns``; both are float[n].

    ``seats`` are role by role. Pieces are divided as if they need not be whole. The result is 1 if no role has a load.
    """
    working = [(role, one) for role, one in zip(roles, seats, strict=True) if role.load.is_work]
    if not working:
        return 1.0
    if working[0][0].load.is_unequal:
        return _even_end(working, own) / _even_end(working, slowdowns)
    nodes = np.concatenate([nodes for _, (nodes, _) in working])
    return float(own[nodes].max() / slowdowns[nodes].max())


def _even_end(working: Sequence[tuple[Role, NodesOfRole]], slowdowns: FloatArray) -> float:
    """Return the time after which the last role ends if each role divides its work among its members by speed.

    One unit of work (``Role.units``) takes a time of 1 on an idle reference node.
    """
    return max(role.units / float((counts / slowdowns[nodes]).sum()) for role, (nodes, counts) in working)


def shared_ranks(own: Timeline, timeline: Timeline) -> IntArray:
    """Return int[k]: the node of rank k in a gang's ``own`` timeline has this rank in ``timeline``."""
    return np.argsort(timeline.node)[own.node]
