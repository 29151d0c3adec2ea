"""The placement of a gang in the previous plan as a choice, if it is still allowed.

This module checks the promise, the deadline, the sizes, the nodes and the terms. Room is checked for all gangs together
(``fitting_places.py``).
"""

from dataclasses import replace

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.choosing.choice import Choice
from coschedule.queue.choosing.limiting_nodes import slowest_node
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.feasible.topology import Topology
from coschedule.queue.keeping.obeyed_terms import are_obeyed
from coschedule.queue.problem.gangs import Kept, PendingGang, Role
from coschedule.queue.problem.snapshot import AMOUNT_LIMIT
from coschedule.queue.search.candidates import Outline
from coschedule.queue.search.finishes import finish_of
from coschedule.queue.search.node_choice import ChosenNodes
from coschedule.queue.slots.timeline import Timeline


def kept_choice(
    gang: PendingGang, timeline: Timeline, feasibility: Feasibility, topology: Topology, rank_of: IntArray
) -> Choice | None:
    """Return the kept placement as a choice; None without one, or if it is too late or no longer allowed.

    The node of index n has the rank rank_of[n]. A start before now, or before the gang's ``not_before``, moves to the
    later of these two times. The run time stays the same.
    """
    if gang.kept is None:
        return None
    kept = _from_now_on(gang.kept, max(timeline.now, gang.not_before))
    if gang.is_late_at(kept.start) or (gang.deadline is not None and gang.deadline < kept.finish < np.inf):
        return None
    for role, nodes, size in zip(gang.roles, kept.nodes, kept.sizes, strict=True):
        if not role.sizes.has(size) or size * max(role.request, default=0) > AMOUNT_LIMIT:
            return None
        if not _may_stay(role, nodes, kept, feasibility):
            return None
    if gang.terms and not _obeys_terms(gang, kept, topology):
        return None
    seats = seats_by_rank(kept, rank_of)
    return _choice(gang, kept, seats, timeline, rank_of)


def _may_stay(role: Role, nodes: IntArray, kept: Kept, feasibility: Feasibility) -> bool:
    """Return whether members of a role may stay on these nodes from the start to the finish."""
    if np.count_nonzero(feasibility.mask(role.constraints)[nodes]) < len(nodes):
        return False
    stays = feasibility.stays(role.constraints)
    return stays is None or bool((kept.start + stays[nodes] >= kept.finish).all())


def _obeys_terms(gang: PendingGang, kept: Kept, topology: Topology) -> bool:
    names = [role.name for role in gang.roles]
    nodes, counts = (dict(zip(names, of_roles, strict=True)) for of_roles in (kept.nodes, kept.counts))
    return are_obeyed(gang.terms, nodes, counts, topology)


def _from_now_on(kept: Kept, first: float) -> Kept:
    if kept.start >= first:
        return kept
    return replace(kept, start=first, finish=finish_of(first, kept.finish - kept.start))


def seats_by_rank(kept: Kept, rank_of: IntArray) -> tuple[ChosenNodes, ...]:
    """Return the seats by rank, role by role; the node of index n has the rank rank_of[n]."""
    chosen = []
    for nodes, counts in zip(kept.nodes, kept.counts, strict=True):
        ranks = rank_of[nodes]
        by_rank = ranks.argsort()
        chosen.append(ChosenNodes(ranks[by_rank], counts[by_rank]))
    return tuple(chosen)


def _choice(
    gang: PendingGang, kept: Kept, seats: tuple[ChosenNodes, ...], timeline: Timeline, rank_of: IntArray
) -> Choice:
    value = gang.price.value(kept.start, kept.finish, kept.size)
    waits = kept.latest is not None and kept.start > timeline.now
    return Choice(
        outline=Outline(value, kept.size, kept.start, kept.finish),
        seats=seats,
        slowest=slowest_node(gang, seats, timeline),
        latest=int(rank_of[kept.latest]) if waits else None,
        alternative=None,
    )
