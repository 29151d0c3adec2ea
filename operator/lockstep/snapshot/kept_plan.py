"""What a gang was told before this process planned it: its promise, and the plan that goes on from there."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from coschedule import Kept, Role, Work, kept_from, own_times
from lockstep.belief.run_times.past_runs import factor_planned_with
from lockstep.belief.run_times.remaining_work import factor_at
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.start_estimate import StartEstimate
from lockstep.facts.past_runs import Learned, formatted_factor
from lockstep.facts.ranks import MOST_RANKS
from lockstep.facts.reasons import Condition
from lockstep.snapshot.nodes.node_arrays import NodeArrays

# Whole pieces are dealt: who is given one more than its share has less than twice as many.
_MOST_OF_SHARE = 2.0
# A status keeps whole seconds of both ends.
_ROUNDED_SECONDS = 1.0


def promised_start(gang: GangFact) -> float:
    """By when the gang was told that it starts; inf where it was told nothing, or asks for something else now."""
    told = _told(gang)
    return math.inf if told is None or told.promised_start is None else told.promised_start


def kept_plan(
    gang: GangFact, roles: Sequence[Role], nodes: NodeArrays, work: Work | None, learned: Learned | None = None
) -> Kept | None:
    """The placement that the gang was told of; None where it stands no more.

    It takes as long as is known by what was ``learned`` now, of which ``work`` knows too. Where that is no time that
    such members need on these nodes, they are not the nodes that they were, or somebody else has written it there.
    """
    status = gang.status
    if _told(gang) is None or status.start is None or not status.members:
        return None
    finish = math.inf if status.expected_finish is None else status.expected_finish
    names = [role.name for role in roles]
    there = kept_from(status.members, names, nodes.index, start=status.start, finish=math.inf)
    if there is None:
        return None
    slowdowns = nodes.own_slowdowns(learned)
    own = own_times(roles, tuple(zip(there.nodes, there.counts, strict=True)), nodes.slowdown, slowdowns)
    # As a status would spell it, so that what has not changed is no change.
    factor = float(formatted_factor(factor_at(gang, status.members, learned) * own))
    times = factor / factor_planned_with(status)
    finish = status.start + (finish - status.start) * times
    if not finish > status.start:
        return None
    kept, rounded = replace(there, finish=finish), _ROUNDED_SECONDS * times
    return kept if _is_run_of(kept, roles, slowdowns, work, rounded=rounded) else None


def _is_run_of(
    kept: Kept, roles: Sequence[Role], by_node: NDArray[np.float64], work: Work | None, *, rounded: float
) -> bool:
    """Whether members with a load may take so long: each as fast as its node, with twice its share at most."""
    if work is None:
        return math.isinf(kept.finish)
    of_roles = zip(roles, kept.seats, strict=True)
    working = [seat for role, seats in of_roles if role.load.is_work for seat in seats]
    count = sum(seat.members for seat in working)
    if not 1 <= count <= MOST_RANKS:
        return False
    slowdowns = [float(by_node[seat.node]) for seat in working]
    seconds = float(work.float_times(count)[-1])
    least, most = min(slowdowns) * seconds, _MOST_OF_SHARE * max(slowdowns) * seconds
    return least - rounded <= kept.finish - kept.start <= most + rounded


def _told(gang: GangFact) -> StartEstimate | None:
    planned = gang.status.condition(Condition.PLANNED)
    if planned is None or planned.status != "True" or planned.observed_generation != gang.generation:
        return None
    return gang.status.plan
