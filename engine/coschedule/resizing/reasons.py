"""Why gangs of known end change their size: the first reason that holds for each change.

Sizes are chosen for all gangs together, by one objective (``worth``). So no change has a reason of its own. A reason
says what changes for the gang, or which gangs get the seats that it gives up.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray
from coschedule.queue.problem.decisions import Placement, Plan
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.owner_forecasts import Forecasts
from coschedule.queue.problem.size_change import OwnerReturn, SizeChange, SizeReason, SlowNode
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.size_plan import SizePlan
from coschedule.resizing.seats import seats_without

_LIKELY = 0.5
"""A forecast says that an owner returns by a time if the probability is at least this."""


class Takers(NamedTuple):
    """``starts`` is the first gang that starts now on each node; ``grow`` are the nodes where running gangs grow."""

    starts: Mapping[int, GangKey]
    grow: frozenset[int]


_NO_TAKERS = Takers({}, frozenset())


def with_reasons(sizes: SizePlan, runs: Sequence[ElasticRun], snapshot: Snapshot, made: Plan) -> SizePlan:
    """Return the sizes with the reason of each change; ``made`` is the plan of the gangs that still wait."""
    if not sizes.changes:
        return sizes
    known = {run.key: run for run in runs}
    pairs = [(known[change.gang], change) for change in sizes.changes]
    takers = Takers(_starts(sizes, snapshot, made), _grow(pairs)) if any(map(_shrinks, sizes.changes)) else _NO_TAKERS
    return sizes._replace(changes=tuple(with_reason(run, change, snapshot, takers) for run, change in pairs))


def with_reason(run: ElasticRun, change: SizeChange, snapshot: Snapshot, takers: Takers) -> SizeChange:
    """Return the change with the first reason that holds, and the facts of this reason.

    The first three reasons are: a size was asked of the gang, an owner returns, a slow node. If none of these holds, a
    gang that does not shrink changes because room is free. If the gang shrinks, the reason is the waiting gang or the
    running gangs that get its seats. If no gang gets them, the reason is that an earlier plan was wrong.
    """
    if run.is_due:
        return change._replace(because=SizeReason.ASKED)
    left = sorted({*run.nodes} - {*change.nodes} - {node for part in run.fixed for node in part.nodes})
    if left and (owner := _owner(left, run.end, snapshot)) is not None:
        return change._replace(because=SizeReason.OWNER_RETURNS, leaves=owner)
    if left and (slow := _slow(run, change, snapshot)) is not None:
        return change._replace(because=SizeReason.SLOW_NODE, leaves=slow)
    if not _shrinks(change):
        return change._replace(because=SizeReason.ROOM_FREE)
    given = seats_without(run.nodes, change.nodes)
    if (first := next((node for node in given if node in takers.starts), None)) is not None:
        return change._replace(because=SizeReason.WAITING_GANG, made_for=takers.starts[first])
    is_for_others = not takers.grow.isdisjoint(given)
    return change._replace(because=SizeReason.OTHER_GANGS if is_for_others else SizeReason.EARLIER_PLAN)


def _owner(left: Sequence[int], end: float, snapshot: Snapshot) -> OwnerReturn | None:
    """Return the first return of an owner to the nodes ``left``; None if no owner returns before ``end``."""
    closes, likely = snapshot.until[left], _likely_returns(snapshot.forecasts, left)
    times = np.minimum(closes, likely)
    first = int(times.argmin())
    if times[first] >= end:
        return None
    return OwnerReturn(snapshot.nodes.names[left[first]], float(times[first]), bool(likely[first] < closes[first]))


def _likely_returns(forecasts: Forecasts, nodes: Sequence[int]) -> FloatArray:
    """Return, for each node, the end of the hour by which its owner is likely back; inf if there is no such hour."""
    if not forecasts.hours:
        return np.full(len(nodes), np.inf)
    is_likely = 1 - np.cumprod(1 - forecasts.returns[nodes], axis=1) >= _LIKELY
    times: FloatArray = np.where(is_likely, forecasts.edges[1:], np.inf).min(axis=1)
    return times


def _slow(run: ElasticRun, change: SizeChange, snapshot: Snapshot) -> SlowNode | None:
    """Return the slowest node of the gang before and after the change.

    Return None unless the node after the change is faster and the gang ends sooner. A gang that shrinks usually gives
    up its slowest nodes first. If it ends later, it shrinks for other gangs.
    """
    stay = [node for part in run.fixed if part.is_work for node in part.nodes]
    before, after = (_slowest([*nodes, *stay], snapshot) for nodes in (run.nodes, change.nodes))
    times, names = float(snapshot.slowdown[before] / snapshot.slowdown[after]), snapshot.nodes.names
    is_faster = times > 1 and change.end < change.end_before
    return SlowNode(names[before], times, names[after]) if is_faster else None


def _slowest(nodes: Sequence[int], snapshot: Snapshot) -> int:
    return nodes[int(snapshot.slowdown[nodes].argmax())]


def _shrinks(change: SizeChange) -> bool:
    return change.size_after < change.size_before


def _starts(sizes: SizePlan, snapshot: Snapshot, made: Plan) -> dict[int, GangKey]:
    """Return the first waiting gang that starts now on each node, by node."""
    starts, index = dict[int, GangKey](), snapshot.nodes.index
    for start in sizes.starts:
        starts |= {node: start.gang for node in start.nodes if node not in starts}
    for one in made.decisions:
        if isinstance(one, Placement) and one.start <= snapshot.now:
            starts |= {index[entry.node]: one.gang for entry in one.members if index[entry.node] not in starts}
    return starts


def _grow(pairs: Sequence[tuple[ElasticRun, SizeChange]]) -> frozenset[int]:
    """Return the nodes on which running gangs get members."""
    return frozenset(node for run, change in pairs for node in Counter(change.nodes) - Counter(run.nodes))
