"""The nodes that limit a placed gang: the last node to have room, and the slowest node."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coschedule.model.kinds import times_on
from coschedule.model.numbers import IntArray
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.search.node_choice import ChosenNodes
from coschedule.queue.slots.open_slots import OpenSlots
from coschedule.queue.slots.timeline import Timeline


class LimitingNodes(NamedTuple):
    """The ranks of two nodes: ``latest`` has no room for its members just before the start; ``slowest`` is the slowest.

    If there are several such nodes, each is the first by rank. Ranks are by speed, then by name. ``latest`` is None if
    all nodes have room, or if the gang starts now.
    """

    latest: int | None
    slowest: int


def find_limiting_nodes(
    timeline: Timeline, open_slots: OpenSlots, chosen_nodes: ChosenNodes, start: float
) -> LimitingNodes:
    """Find the nodes that limit a gang that runs on ``chosen_nodes`` from ``start`` on."""
    slots = open_slots.by_class(open_slots.at(np.nextafter(start, -np.inf)))
    too_few = chosen_nodes.ranks[slots[timeline.class_of[chosen_nodes.ranks]] < chosen_nodes.counts]
    pace = timeline.pace[timeline.class_of[chosen_nodes.ranks]]
    return LimitingNodes(
        latest=int(too_few[0]) if start > timeline.now and too_few.size else None,
        slowest=int(chosen_nodes.ranks[np.argmax(pace)]),
    )


def slowest_node(gang: PendingGang, seats: Sequence[ChosenNodes], timeline: Timeline) -> int:
    """Return the rank of the slowest node of members with a load, or of all members if no role has a load.

    If several nodes are the slowest, return the first by rank; if the gang has factors for kinds, the first by name.
    """
    working = [nodes.ranks for role, nodes in zip(gang.roles, seats, strict=True) if role.load.is_work]
    seated = working or [nodes.ranks for nodes in seats]
    if gang.factors and len(timeline.kinds):
        return _slowest_by_kind(gang, np.unique(np.concatenate(seated)), timeline)
    return -max((pace, -rank) for pace, rank in (_slowest(ranks, timeline) for ranks in seated))[1]


def _slowest(ranks: IntArray, timeline: Timeline) -> tuple[int, int]:
    """Return the largest pace among the nodes of these ranks, and the lowest of these ranks with this pace.

    ``ranks`` are in ascending order. A node of a higher rank never has a smaller pace.
    """
    pace, class_of = timeline.pace, timeline.class_of
    slowest = int(pace[class_of[ranks[-1]]])
    if pace[class_of[ranks[0]]] == slowest:
        return slowest, int(ranks[0])
    return slowest, int(ranks[pace[class_of[ranks]].searchsorted(slowest)])


def _slowest_by_kind(gang: PendingGang, ranks: IntArray, timeline: Timeline) -> int:
    """Return the slowest node by the gang's own factors; the first by name if there are several."""
    nodes, slowdowns = timeline.node[ranks], timeline.slowdowns[timeline.pace[timeline.class_of[ranks]]]
    slowdowns = slowdowns * times_on(gang.factors, timeline.kinds[nodes])
    return int(ranks[np.lexsort((nodes, -slowdowns))[0]])
