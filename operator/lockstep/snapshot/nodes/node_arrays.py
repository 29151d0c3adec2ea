"""Nodes and their bids as arrays, built once for each generation of nodes."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coschedule import NodeTable
from lockstep.belief.nodes.node_kinds import NodeKinds
from lockstep.belief.state import State
from lockstep.facts.cluster.node import NodeFact
from lockstep.facts.columns import DISK_PREFIX, HOST_PORT_PREFIX, SLOTS, WHOLE
from lockstep.facts.past_runs import Learned

_OF_EVERY_NODE = ""
# Gangs usually use fewer resources. Beyond this number, all columns are dropped.
_MOST_COLUMNS = 256

# More than any node can hold, and small enough for subtraction without overflow.
UNLIMITED = 2**40


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeArrays:
    """Nodes and their bids as arrays over nodes.

    Members may use node n between ``start[n]`` and ``until[n]``. ``slots[n]`` is the number of members that its bid
    allows, and ``rows[n]`` is its row in the ledger's sums.
    """

    generation: int
    table: NodeTable
    index: dict[str, int]
    start: NDArray[np.float64]
    slowdown: NDArray[np.float64]
    until: NDArray[np.float64]
    kinds: NodeKinds
    rows: NDArray[np.intp]
    facts: tuple[NodeFact, ...]
    slots: NDArray[np.int64]
    columns: dict[str, NDArray[np.int64]]

    def allocatable(self, resource: str) -> NDArray[np.int64]:
        """How much of one resource each node can hold, in base units: int[n]."""
        if resource == SLOTS:
            return self.slots
        # Host ports and disks share one column.
        known_as = _OF_EVERY_NODE if resource.startswith((HOST_PORT_PREFIX, DISK_PREFIX)) else resource
        if known_as not in self.columns:
            if len(self.columns) >= _MOST_COLUMNS:
                self.columns.clear()
            self.columns[known_as] = self._column(resource)
        return self.columns[known_as]

    def room_for(self, most: Mapping[str, int]) -> NDArray[np.int64]:
        """The number of members for which each node has room: int[n], ``UNLIMITED`` for nodes not in ``most``."""
        room = np.full(len(self.facts), UNLIMITED, dtype=np.int64)
        there = [(self.index[node], count) for node, count in most.items() if node in self.index]
        room[[row for row, _ in there]] = [count for _, count in there]
        return room

    def _column(self, resource: str) -> NDArray[np.int64]:
        if resource.startswith((HOST_PORT_PREFIX, DISK_PREFIX)):
            return np.full(len(self.facts), WHOLE, dtype=np.int64)
        return np.array([dict(fact.allocatable).get(resource, 0) for fact in self.facts], dtype=np.int64)

    def own_slowdowns(self, learned: Learned | None) -> NDArray[np.float64]:
        """The factor of a gang's run time on each node, with these learned run times: float[n]."""
        slowdowns: NDArray[np.float64] = self.slowdown * self.kinds.times(learned)
        return slowdowns


def node_arrays(state: State) -> NodeArrays:
    """The pool's nodes ordered by name, with their bids; a node without a bid is an idle reference node."""
    facts = [node for _, node in sorted(state.nodes.items()) if state.pool.has(node.labels)]
    names = tuple(fact.name for fact in facts)
    bids = [state.bids.get(name) for name in names]
    return NodeArrays(
        generation=state.nodes.generation,
        table=NodeTable(
            names=names,
            labels=tuple(fact.labels for fact in facts),
            taints=tuple(fact.taints for fact in facts),
            ready=np.array([fact.is_ready for fact in facts], dtype=np.bool_),
            unschedulable=np.array([fact.is_unschedulable for fact in facts], dtype=np.bool_),
        ),
        index={name: number for number, name in enumerate(names)},
        start=np.array([max(0.0, state.owners.opens_at(name)) for name in names]),
        slowdown=np.array([1.0 if bid is None else bid.slowdown for bid in bids]),
        until=np.array([np.inf if bid is None or bid.available_until is None else bid.available_until for bid in bids]),
        kinds=NodeKinds.of(facts),
        rows=state.ledger.rows(names),
        facts=tuple(facts),
        slots=np.array([UNLIMITED if bid is None or bid.slots is None else bid.slots for bid in bids], dtype=np.int64),
        columns={},
    )
