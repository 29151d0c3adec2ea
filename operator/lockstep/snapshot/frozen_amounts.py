"""Freezes the amounts of a snapshot: how much each node can hold, how much is taken, and when it is released.

All amounts are read in one step, in which the cache does not change.
"""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coschedule import AMOUNT_LIMIT, FairShares, GangKey, Nominated, Release, Snapshot
from lockstep.belief.state import State
from lockstep.snapshot.asked import Demands
from lockstep.snapshot.holders.counted_twice import all_counted_twice
from lockstep.snapshot.holders.group_shares import shares_of_groups, shares_that_hold
from lockstep.snapshot.holders.releases import Releases
from lockstep.snapshot.holders.running import Evictable, evictable_gangs, open_ended
from lockstep.snapshot.nodes.node_arrays import NodeArrays
from lockstep.snapshot.nodes.owner_forecasts import OwnerForecasts
from lockstep.snapshot.nodes.resource_columns import Columns

# The largest amount of one nominated pod, so that sums over many pods of a node do not overflow 64 bits.
_MOST_OF_ONE = AMOUNT_LIMIT // 2**10


class _Taken(NamedTuple):
    """The amounts that pods take of each node (``committed``): int[n, r].

    ``lasting`` has the part that is never released, and ``releases`` the parts whose release times are known.
    """

    committed: NDArray[np.int64]
    lasting: NDArray[np.int64]
    releases: tuple[Release, ...]


class AmountsFreezer:
    """Freezes the amounts of one state."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._releases = Releases(state)
        self._forecasts = OwnerForecasts()

    def without_gangs(
        self, asked: Demands, nodes: NodeArrays, now: float, resizable: Collection[GangKey]
    ) -> Callable[..., Snapshot]:
        """Freeze all amounts now. Returns a constructor of the snapshot, which needs only the gangs to plan.

        Members of ``resizable`` gangs are released one by one.
        """
        taken = self._taken(asked.columns, nodes, now, resizable)
        evictable = self._evictable(asked, nodes, now)
        return partial(
            Snapshot,
            now=now,
            resources=asked.columns.names,
            shares=self._shares(asked, nodes, now),
            nodes=nodes.table,
            free=self._room(asked, nodes) - taken.committed,
            start=nodes.start,
            slowdown=nodes.slowdown,
            kinds=nodes.kinds.by_node,
            until=nodes.until,
            releases=taken.releases,
            someday=_without_known_end(taken.committed - taken.lasting, taken.releases),
            lasting=taken.lasting,
            nominated=tuple(self._nominated(nodes, asked.columns)),
            running=evictable.running,
            budgets=evictable.budgets,
            open_ended=open_ended(self._state, nodes.index, now),
            forecasts=self._forecasts.of([self._state.bids.get(name) for name in nodes.table.names], now),
        )

    def _taken(self, columns: Columns, nodes: NodeArrays, now: float, resizable: Collection[GangKey]) -> _Taken:
        ledger = self._state.ledger
        opened = ledger.columns(columns.names)
        counted = ledger.committed(nodes.rows, opened) - self._counted_twice(nodes, columns)
        return _Taken(
            committed=np.clip(counted, 0, AMOUNT_LIMIT),
            lasting=np.clip(ledger.lasting(nodes.rows, opened), 0, AMOUNT_LIMIT),
            releases=self._releases.of(nodes, columns, now, by_member=resizable),
        )

    def _shares(self, asked: Demands, nodes: NodeArrays, now: float) -> FairShares:
        """The groups that take turns. The amounts that they hold are read only if a gang of the plan may preempt."""
        namespaces = (one.gang.key.namespace for one in asked.wanted)
        if not any(one.terms.may_preempt for one in asked.wanted):
            return shares_of_groups(self._state, namespaces, asked.columns, now)
        return shares_that_hold(self._state, namespaces, nodes.index, asked.columns, now)

    def _counted_twice(self, nodes: NodeArrays, columns: Columns) -> NDArray[np.int64]:
        """The amounts that the ledger counts twice on each node, for gangs that change their size: int[n, r]."""
        twice = np.zeros((len(nodes.facts), len(columns.names)), dtype=np.int64)
        for node, amounts in all_counted_twice(self._state).items():
            if node in nodes.index:
                twice[nodes.index[node]] = [min(amounts.get(name, 0), AMOUNT_LIMIT) for name in columns.names]
        return twice

    def _evictable(self, asked: Demands, nodes: NodeArrays, now: float) -> Evictable:
        """The gangs that may be evicted for a gang of the plan; none are read if no gang of the plan may preempt.

        With a FairShare, gangs of the same priority are included, because groups may take nodes back from them.
        """
        urgent = (one.priority for one in asked.wanted if one.terms.may_preempt)
        below = max(urgent, default=-math.inf) + bool(self._state.shares.named)
        return evictable_gangs(self._state, nodes.index, asked.columns, now, below=below)

    def _nominated(self, nodes: NodeArrays, columns: Columns) -> Iterator[Nominated]:
        for pod in self._state.counts.pods_nearby.nominated.values():
            if pod.nominated in nodes.index:
                vector = columns.held([(pod.request, 1)], _MOST_OF_ONE)
                yield Nominated(node=nodes.index[pod.nominated], request=vector, priority=pod.priority)

    def _room(self, asked: Demands, nodes: NodeArrays) -> NDArray[np.int64]:
        """How much of each resource each node can hold: int[n, r]."""
        columns = np.array([room_of(name, asked, nodes) for name in asked.columns.names], dtype=np.int64)
        shape = len(asked.columns.names), len(nodes.facts)
        room: NDArray[np.int64] = np.clip(columns.reshape(shape).T, 0, AMOUNT_LIMIT)
        return room


def room_of(name: str, asked: Demands, nodes: NodeArrays) -> NDArray[np.int64]:
    """How much of a resource each node can hold: int[n]. With many nodes, the first call for a resource is slow."""
    volumes = asked.volumes.room(name, nodes)
    return nodes.allocatable(name) if volumes is None else volumes


def _without_known_end(ending: NDArray[np.int64], releases: Sequence[Release]) -> NDArray[np.int64]:
    """The amounts that each node releases at unknown times: all amounts that end, less the known releases."""
    known = np.zeros(ending.shape)
    if releases:
        # Many nodes release the same amounts, which are then one object.
        requests = {id(release.request): release.request for release in releases}
        number = {one: row for row, one in enumerate(requests)}
        amounts = np.array(list(requests.values()), dtype=np.float64)
        rows = [number[id(release.request)] for release in releases]
        np.add.at(known, [release.node for release in releases], amounts[rows])
    # Integers below 2**53 stay exact as floats.
    unknown: NDArray[np.int64] = np.clip(ending - known, 0, AMOUNT_LIMIT).astype(np.int64)
    return unknown
