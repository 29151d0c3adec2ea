"""The gangs that hold nodes and may be evicted for more urgent gangs, in the engine's form."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from coschedule import AMOUNT_LIMIT, Disrupted, Holding, OpenEnded, RunningGang
from lockstep.belief.gangs.age import queued_since
from lockstep.belief.gangs.piece_reads import has_no_dealer_any_more
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.pods.budget import BudgetFact
from lockstep.facts.ranks import parse_ranks
from lockstep.snapshot.holders.disruptions import disrupted_by, disruptions, still_allowed
from lockstep.snapshot.holders.endings import expected_end, grace_seconds, is_ending
from lockstep.snapshot.holders.pod_gang_runs import (
    elastic_without_end,
    placed_pod_gangs,
    priority_of,
    run_of,
    yielding_pod_gangs,
)
from lockstep.snapshot.nodes.resource_columns import Columns

if TYPE_CHECKING:
    from lockstep.facts.pods.pod import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Evictable:
    """The gangs that may be evicted, and the number of pods that each budget allows to evict."""

    running: tuple[RunningGang, ...] = ()
    budgets: tuple[int, ...] = ()


@dataclass(slots=True)
class _Budgets:
    """Assigns numbers to the budgets against which members count."""

    numbers: dict[BudgetFact, int] = field(default_factory=dict)

    def disrupted(self, counts: Counter[BudgetFact]) -> tuple[Disrupted, ...]:
        return tuple(
            Disrupted(self.numbers.setdefault(budget, len(self.numbers)), count) for budget, count in counts.items()
        )


class _Holder(NamedTuple):
    """A gang that holds nodes."""

    gang: GangFact
    reservation: Reservation
    priority: int


def evictable_gangs(state: State, index: Mapping[str, int], columns: Columns, now: float, *, below: float) -> Evictable:
    """The gangs with a priority lower than ``below`` that may be evicted."""
    budgets = _Budgets()
    running = [
        replace(
            _running(state, one, index, columns, now),
            disrupts=budgets.disrupted(disruptions(state, one.gang, one.reservation)),
        )
        for one in _less_urgent(state, below)
    ]
    for gang in yielding_pod_gangs(state):
        if priority_of(state, gang) < below:
            pods = state.pod_gangs.group(gang.key).going_pods()
            disrupts = budgets.disrupted(disrupted_by(state, gang.key, pods))
            running.append(replace(run_of(state, gang, index, columns, now), disrupts=disrupts))
    allowed = still_allowed(state) if budgets.numbers else None
    return Evictable(
        running=tuple(running), budgets=tuple(allowed.of(one) for one in budgets.numbers) if allowed else ()
    )


def gangs_that_hold(state: State, index: Mapping[str, int], columns: Columns, now: float) -> tuple[RunningGang, ...]:
    """All gangs of known priority that hold nodes, whether or not they may be evicted; budgets are not read."""
    of_pods = (run_of(state, gang, index, columns, now) for gang in placed_pod_gangs(state))
    return (*(_running(state, one, index, columns, now) for one in _holders(state)), *of_pods)


def open_ended(state: State, index: Mapping[str, int], now: float) -> OpenEnded:
    """The gangs whose end is unknown, and the nodes of ``index`` that they hold.

    A pod gang is included only if its number of pods may change.
    """
    held = sorted(state.reservations.items())
    gangs = [(key, one) for key, one in held if expected_end(state, one, now) is None]
    nodes = [
        sorted({index[node] for node, _ in state.ledger.charged(one.gang, one.gang_uid, one.attempt) if node in index})
        for _, one in gangs
    ]
    of_pods = elastic_without_end(state, now)
    nodes += [sorted({index[node] for node in state.pod_gangs.group(key).nodes if node in index}) for key in of_pods]
    return OpenEnded(
        gangs=(*(key for key, _ in gangs), *of_pods),
        holder=np.repeat(np.arange(len(nodes)), [len(of_gang) for of_gang in nodes]),
        node=np.array([node for of_gang in nodes for node in of_gang], dtype=np.int64),
    )


def _running(state: State, holder: _Holder, index: Mapping[str, int], columns: Columns, now: float) -> RunningGang:
    gang, reservation, priority = holder
    return RunningGang(
        key=gang.key,
        priority=priority,
        queued_since=queued_since(gang, now),
        size=reservation.size,
        since=_since(gang),
        end=_or_never(expected_end(state, reservation, now)),
        grace=grace_seconds(state, gang, reservation),
        holds=holdings(state, index, columns, reservation),
    )


def _since(gang: GangFact) -> float:
    """The time since which the gang works; infinity if it does not work. A change of size does not move this time."""
    status, is_elastic = gang.status, isinstance(gang, AcceptedGang) and gang.spec.elastic is not None
    since = status.active_since if is_elastic and status.active_since is not None else status.started_at
    return math.inf if status.started_at is None or since is None else since


def lowest_held_priority(state: State) -> float:
    """The lowest priority of gangs that hold nodes; infinity if there are none.

    A pod gang counts only if it may give way.
    """
    of_pods = (priority_of(state, gang) for gang in yielding_pod_gangs(state))
    return min(chain((one.priority for one in _holders(state)), of_pods), default=math.inf)


def may_be_evicted(state: State, gang: GangFact, reservation: Reservation) -> bool:
    """Whether the gang's status has this reservation, and the gang is not ending for another reason.

    A Gang is never evicted: its pods belong to other controllers. It gives way once it is placed
    (``pod_gang_runs.py``). A gang whose dealer has ended counts as ending: it ends within a minute
    (``cycle/ends/late_members.py``). A gang is not evicted either if no process of Lockstep has reserved its nodes.
    """
    is_written = gang.status.reserved_at is not None and gang.status.attempt == reservation.attempt
    is_going = (
        gang.is_deleting
        or gang.policies.is_suspended
        or is_ending(state, gang)
        or has_no_dealer_any_more(gang, parse_ranks(gang.status.succeeded_ranks))
        or state.assumptions.has_unowned(gang)
    )
    return gang.uid == reservation.gang_uid and is_written and not (is_going or is_pod_gang(gang.key))


def holdings(state: State, index: Mapping[str, int], columns: Columns, reservation: Reservation) -> tuple[Holding, ...]:
    """The amounts that a gang takes of each node of ``index``. Ended members take nothing."""
    by_node: dict[int, list[tuple[Request, int]]] = {}
    for (node, request), count in state.ledger.charged(
        reservation.gang, reservation.gang_uid, reservation.attempt
    ).items():
        if node in index:
            by_node.setdefault(index[node], []).append((request, count))
    return tuple(Holding(node, columns.held(requests, AMOUNT_LIMIT)) for node, requests in by_node.items())


def each_member(state: State, index: Mapping[str, int], columns: Columns, reservation: Reservation) -> list[Holding]:
    """The amounts that each member of a gang takes of its node of ``index``. Ended members take nothing."""
    charged = state.ledger.charged(reservation.gang, reservation.gang_uid, reservation.attempt)
    return [
        Holding(index[node], columns.held([(request, 1)], AMOUNT_LIMIT))
        for (node, request), count in charged.items()
        if node in index
        for _ in range(count)
    ]


def _less_urgent(state: State, below: float) -> Iterator[_Holder]:
    for one in _holders(state):
        if one.priority < below and may_be_evicted(state, one.gang, one.reservation):
            yield one


def _holders(state: State) -> Iterator[_Holder]:
    for key, reservation in state.reservations.items():
        gang = state.gangs.get(key)
        if not isinstance(gang, AcceptedGang):
            continue
        priority = state.priorities.of(gang)
        if priority is not None:
            yield _Holder(gang, reservation, priority)


def _or_never(time: float | None) -> float:
    return math.inf if time is None else time
