"""Reads the promise and the plan of an earlier process from a gang's status, so that they stay valid."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from coschedule import Kept, Role, Work, even_run, kept_from, own_times
from lockstep.belief.run_times.past_runs import factor_planned_with
from lockstep.belief.run_times.remaining_work import factor_at
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.start_estimate import StartEstimate
from lockstep.facts.past_runs import Learned, formatted_factor
from lockstep.facts.ranks import MOST_RANKS
from lockstep.facts.reasons import Condition
from lockstep.snapshot.nodes.node_arrays import NodeArrays

# Work is divided into whole pieces: a member with one piece above its share has less than twice its share.
_MOST_OF_SHARE = 2.0
# In seconds. A duration in a status may be wrong by this much, since a status rounds start and end.
_ROUNDED_SECONDS = 1.0


def promised_start(gang: GangFact) -> float:
    """The promised start in the status; infinity if there is none, or if the spec has changed since then."""
    stated = _stated_plan(gang)
    return math.inf if stated is None or stated.promised_start is None else stated.promised_start


def kept_plan(
    gang: GangFact, roles: Sequence[Role], nodes: NodeArrays, work: Work | None, learned: Learned | None = None
) -> Kept | None:
    """The placement in the gang's status; None if it no longer holds.

    Its duration is scaled by the run times ``learned`` since then; ``work`` is already scaled. The placement no longer
    holds if the work can't take that long with these members on these nodes: the nodes or the status were changed.
    """
    status = gang.status
    if _stated_plan(gang) is None or status.start is None or not status.members:
        return None
    finish = math.inf if status.expected_finish is None else status.expected_finish
    names = [role.name for role in roles]
    there = kept_from(status.members, names, nodes.index, start=status.start, finish=math.inf)
    if there is None:
        return None
    slowdowns = nodes.own_slowdowns(learned)
    own = own_times(roles, tuple(zip(there.nodes, there.counts, strict=True)), nodes.slowdown, slowdowns)
    # In the form of a status, so that an unchanged factor compares equal.
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
    """Whether the work may take that long: each member at the speed of its node, with at most twice its share."""
    if work is None:
        return math.isinf(kept.finish)
    of_roles = zip(roles, kept.seats, strict=True)
    working = [seat for role, seats in of_roles if role.load.is_work for seat in seats]
    if not 1 <= sum(seat.members for seat in working) <= MOST_RANKS or not all(kept.sizes):
        return False
    slowdowns = [float(by_node[seat.node]) for seat in working]
    seconds, overhead = even_run(roles, kept.sizes, work)
    least = min(slowdowns) * seconds + overhead
    most = _MOST_OF_SHARE * max(slowdowns) * seconds + overhead
    return least - rounded <= kept.finish - kept.start <= most + rounded


def _stated_plan(gang: GangFact) -> StartEstimate | None:
    planned = gang.status.condition(Condition.PLANNED)
    if planned is None or planned.status != "True" or planned.observed_generation != gang.generation:
        return None
    return gang.status.plan
